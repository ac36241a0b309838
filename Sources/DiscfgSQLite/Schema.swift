import DiscfgCore
import GRDB

/// The tables of the file, and the migrations from older formats.
///
/// The tables can be read with the `sqlite3` tool, which shows values that are text as text. `changes` has the items
/// after and before each change in columns, so that one change can be read without the rest of its commit. A value of
/// more than 32 KiB is stored once, in `blobs`; then `digest` names it, and `value` is NULL. Times are milliseconds.
enum Schema {
    /// “dcfg”, which distinguishes discfg's files from those of other programs.
    static let applicationID: Int64 = 0x6463_6667
    /// The newest format; `migrations` has one step for each.
    static let version = Int64(migrations.count)

    static let migrations = [
        """
        CREATE TABLE configs(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            settings TEXT NOT NULL,
            created INTEGER NOT NULL,
            tail INTEGER NOT NULL,
            tail_time INTEGER NOT NULL,
            trimmed INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE removed_configs(id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE log(
            config INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            id TEXT NOT NULL,
            time INTEGER NOT NULL,
            author TEXT NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY(config, revision)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE changes(
            config INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            key BLOB NOT NULL,
            kind TEXT NOT NULL,
            value BLOB,
            content_type TEXT,
            version INTEGER,
            created INTEGER,
            modified INTEGER,
            modified_at INTEGER,
            author TEXT,
            expiry INTEGER,
            lease INTEGER,
            digest BLOB,
            previous_value BLOB,
            previous_content_type TEXT,
            previous_version INTEGER,
            previous_created INTEGER,
            previous_modified INTEGER,
            previous_modified_at INTEGER,
            previous_author TEXT,
            previous_expiry INTEGER,
            previous_lease INTEGER,
            previous_digest BLOB,
            PRIMARY KEY(config, revision, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX changes_by_key ON changes(config, key, revision);
        CREATE INDEX changes_by_digest ON changes(digest) WHERE digest IS NOT NULL;
        CREATE INDEX changes_by_previous_digest ON changes(previous_digest) WHERE previous_digest IS NOT NULL;
        CREATE TABLE items(
            config INTEGER NOT NULL,
            key BLOB NOT NULL,
            value BLOB,
            content_type TEXT NOT NULL,
            version INTEGER NOT NULL,
            created INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            modified_at INTEGER NOT NULL,
            author TEXT NOT NULL,
            expiry INTEGER,
            lease INTEGER,
            digest BLOB,
            PRIMARY KEY(config, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX items_by_expiry ON items(config, expiry) WHERE expiry IS NOT NULL;
        CREATE INDEX items_by_digest ON items(digest) WHERE digest IS NOT NULL;
        CREATE TABLE blobs(
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            value BLOB NOT NULL
        ) STRICT;
        """,
        // Overdue leases are first in their index, and ending leases before them.
        """
        CREATE TABLE leases(
            config INTEGER NOT NULL,
            id INTEGER NOT NULL,
            ttl INTEGER NOT NULL,
            expiry INTEGER NOT NULL,
            ending INTEGER NOT NULL,
            PRIMARY KEY(config, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX leases_by_expiry ON leases(config, iif(ending, 0, expiry));
        CREATE INDEX items_by_lease ON items(config, lease) WHERE lease IS NOT NULL;
        """,
        """
        CREATE TABLE notes(
            config INTEGER NOT NULL,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            version INTEGER NOT NULL,
            PRIMARY KEY(config, name)
        ) STRICT, WITHOUT ROWID;
        """,
        // Distinguishes a lease from later leases with the same id; the leases of an earlier format share one
        // generation.
        "ALTER TABLE leases ADD COLUMN generation TEXT NOT NULL DEFAULT '';",
        // An older discfg removed the changes of a trimmed commit before its entry, so its remains of a trimmed log are
        // incomplete.
        "DELETE FROM log WHERE revision <= (SELECT trimmed FROM configs WHERE id = log.config);",
        // Each renewal raises the version.
        "ALTER TABLE leases ADD COLUMN version INTEGER NOT NULL DEFAULT 0;",
    ]

    /// The kind of a file.
    enum Kind: Equatable {
        /// The file is empty.
        case new
        /// A file of discfg in some format; 0 is a file whose creation was interrupted.
        case discfg(version: Int64)
        case foreign
    }

    /// Determines the kind of the file.
    static func kind(_ db: Database) throws -> Kind {
        let application = try db.query("PRAGMA application_id").first { $0.integer(0) }
        if application == applicationID {
            return .discfg(version: try db.query("PRAGMA user_version").first { $0.integer(0) } ?? 0)
        }
        let isEmpty = try db.query("SELECT 1 FROM sqlite_schema LIMIT 1").first { _ in true } == nil
        return application == 0 && isEmpty ? .new : .foreign
    }

    /// Creates missing tables, and migrates older formats; safe if several processes do it at the same time.
    static func prepare(_ db: Database, errors: ErrorTranslator) throws {
        if try kind(db) == .new {
            // Before the file gets a write-ahead log, so that the mark is in the file itself and can be read without a
            // log.
            try db.changing {
                if try kind(db) == .new { try db.execute(sql: "PRAGMA application_id = \(applicationID)") }
            }
        }
        guard case .discfg(let found) = try kind(db) else { throw errors.foreign() }
        guard found <= version else { throw errors.newer(found) }
        let mode = try db.query("PRAGMA journal_mode").first { $0.text(0) }
        if mode != "wal" { try db.execute(sql: "PRAGMA journal_mode = WAL") }
        guard found < version else { return }
        try db.changing {
            guard case .discfg(let now) = try kind(db), now < version else { return }
            for migration in migrations[Int(now)...] { try db.execute(sql: migration) }
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }
}
