import DiscfgCore
import GRDB
import GRDBSQLite

/// One use of a prepared statement: bind in order, step, read columns by index.
///
/// GRDB's own arguments and rows use arrays of boxed values. These calls, which every read and write uses, call SQLite
/// directly, with bytes as `[UInt8]`. The connection, its queue and the statement cache are GRDB's.
struct Query {
    /// Makes SQLite copy the bound bytes.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private let prepared: Statement
    private let statement: OpaquePointer
    private var bound: Int32 = 0

    fileprivate init(_ prepared: Statement) {
        self.prepared = prepared
        self.statement = prepared.sqliteStatement
    }

    // MARK: Binding, in the order of the question marks

    mutating func bind(_ value: Int64) {
        bound += 1
        sqlite3_bind_int64(statement, bound, value)
    }

    mutating func bind(_ value: Int64?) {
        if let value { bind(value) } else { bindNull() }
    }

    mutating func bind(_ text: String) {
        bound += 1
        var text = text
        _ = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                // An empty buffer may have no address, which would bind NULL.
                if let start = $0.baseAddress, !$0.isEmpty {
                    sqlite3_bind_text(statement, bound, start, Int32($0.count), Self.copied)
                } else {
                    sqlite3_bind_text(statement, bound, "", 0, Self.copied)
                }
            }
        }
    }

    mutating func bind(_ bytes: [UInt8]) {
        bound += 1
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(statement, bound, 0)
        } else {
            _ = bytes.withUnsafeBytes {
                sqlite3_bind_blob64(statement, bound, $0.baseAddress, UInt64($0.count), Self.copied)
            }
        }
    }

    mutating func bind(_ bytes: [UInt8]?) {
        if let bytes { bind(bytes) } else { bindNull() }
    }

    mutating func bindNull(_ count: Int32 = 1) {
        for _ in 0..<count {
            bound += 1
            sqlite3_bind_null(statement, bound)
        }
    }

    // MARK: Running

    /// Runs a statement and ignores its rows.
    func run() throws {
        defer { finish() }
        while try step() {}
    }

    /// The result of `body` for the first row, or `nil` if there is none.
    func first<Result>(_ body: (Query) throws -> Result) throws -> Result? {
        defer { finish() }
        return try step() ? try body(self) : nil
    }

    /// Calls `body` for each row, until it returns `false`.
    func forEach(_ body: (Query) throws -> Bool) throws {
        defer { finish() }
        while try step(), try body(self) {}
    }

    private func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let message = sqlite3_db_handle(statement).flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    private func finish() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    // MARK: Columns, the first is 0

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String {
        let start = UnsafeRawPointer(sqlite3_column_text(statement, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count(column)), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, column)
        return Array(UnsafeRawBufferPointer(start: start, count: count(column)))
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    private func count(_ column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }
}

extension Database {
    /// The statement, prepared once for each connection.
    func query(_ sql: String) throws -> Query { Query(try cachedStatement(sql: sql)) }

    /// Runs several reads as of one moment.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        if !(isPlanted(.keepsSnapshots) && isInsideTransaction) { try query("BEGIN").run() }
        // Ends the snapshot; a read has nothing to commit.
        defer { if !(isPlanted(.keepsSnapshots) && Int.random(in: 0..<10) > 0) { try? query("ROLLBACK").run() } }
        return try body()
    }

    /// Makes several changes as one, or none.
    ///
    /// - Throws: The errors of `body`, with nothing changed; `CommitFailure` if the last step fails.
    func changing<Result>(_ body: () throws -> Result) throws -> Result {
        try query("BEGIN IMMEDIATE").run()
        let result: Result
        do {
            result = try body()
        } catch {
            try? query("ROLLBACK").run()
            throw error
        }
        do {
            try query("COMMIT").run()
        } catch {
            // SQLite may have rolled back already; then this does nothing.
            try? query("ROLLBACK").run()
            if isPlanted(.ignoresFailedCommits) { return result }
            throw CommitFailure(cause: error)
        }
        return result
    }
}

/// The last step of a transaction failed.
struct CommitFailure: Error {
    var cause: any Error
}
