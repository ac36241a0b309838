package import DiscfgCore

// Directories of etcd's v2 API.
extension CallerService {
    /// Carries out a write of a file or a directory as one commit.
    package func carryOut(_ write: DirectoryWrite, in config: ConfigName) async throws -> DirectoryResult {
        var write = write
        write.author = caller.author
        return try await service.carryOut(write, in: config)
    }

    /// Reads a file or a directory.
    package func read(
        _ path: DirectoryPath, isRecursive: Bool, in config: ConfigName
    ) async throws -> DirectoryResult {
        try await service.read(path, isRecursive: isRecursive, in: config)
    }

    /// Follows what happens to a path, from a revision on; by default from the next.
    package func follow(
        _ watch: DirectoryWatch, from first: Revision?, in config: ConfigName
    ) async throws -> Result<DirectoryFeed, DirectoryRefusal> {
        try await service.follow(watch, from: first, in: config)
    }
}
