import GRDB
import Testing

/// Looks at the file with SQLite alone: it is sound, the log has no gap, and no large value is missing or left over.
func checkIntegrity(of path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    try DatabaseQueue(path: path, configuration: configuration).read { db in
        try #expect(String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        let gaps = """
            SELECT count(*) FROM configs c WHERE c.tail - c.trimmed <>
                (SELECT count(*) FROM log l WHERE l.config = c.id AND l.revision > c.trimmed AND l.revision <= c.tail)
            """
        try #expect(Int.fetchOne(db, sql: gaps) == 0, "every revision is in the log")
        let rest = "SELECT count(*) FROM log WHERE config NOT IN (SELECT id FROM configs)"
        try #expect(Int.fetchOne(db, sql: rest) == 0, "nothing is left of a removed config")
        let kept = """
            SELECT count(*) FROM configs c WHERE c.trimmed + 1 - (SELECT min(revision) FROM log l WHERE l.config = c.id) <>
                (SELECT count(*) FROM log l WHERE l.config = c.id AND l.revision <= c.trimmed)
            """
        try #expect(Int.fetchOne(db, sql: kept) == 0, "what is kept of the trimmed log has no gap")
        let torn = """
            SELECT count(*) FROM changes WHERE revision NOT IN (SELECT revision FROM log WHERE config = changes.config)
            """
        try #expect(Int.fetchOne(db, sql: torn) == 0, "no change is left of a trimmed commit")
        let leases = "SELECT count(*) FROM leases WHERE config NOT IN (SELECT id FROM configs)"
        try #expect(Int.fetchOne(db, sql: leases) == 0, "no lease of a removed config is left")
        let digests = """
            SELECT digest FROM items UNION SELECT digest FROM changes UNION SELECT previous_digest FROM changes
            """
        let wanted =
            "SELECT count(*) FROM (\(digests)) WHERE digest IS NOT NULL AND digest NOT IN (SELECT digest FROM blobs)"
        try #expect(Int.fetchOne(db, sql: wanted) == 0, "every large value is there")
        let unused =
            "SELECT count(*) FROM blobs WHERE digest NOT IN (SELECT digest FROM (\(digests)) WHERE digest IS NOT NULL)"
        try #expect(Int.fetchOne(db, sql: unused) == 0, "no large value is left over")
    }
}
