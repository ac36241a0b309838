#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Which way a process goes, or how it ended.
public enum ProcessPhase: String, Sendable, Hashable, CaseIterable {
    /// Its steps are being carried out.
    case running = "RUNNING"
    /// Its steps are being undone, the last one first.
    case compensating = "COMPENSATING"
    /// All steps stand.
    case done = "DONE"
    /// All steps that began, and have a compensation, are undone.
    case compensated = "COMPENSATED"

    /// Whether nothing more will happen.
    public var isEnd: Bool { self == .done || self == .compensated }
}

/// How far a process is.
public struct ProcessStatus<State: Codable & Sendable>: Sendable {
    /// The identity that the process was started with.
    public var id: String
    /// Whether its steps are being carried out or undone, or how it ended.
    public var phase: ProcessPhase
    /// Whether nobody goes on with it until `Processor.resume`; `lastError` says why.
    public var isStuck: Bool
    /// The step that is carried out or undone next, or was last.
    public var step: String
    /// How many attempts of it have begun since the last success or wait.
    public var attempt: Int
    /// As the last step that was written down left it.
    public var state: State
    /// Why the process was turned back, in the words of the step or its error; `nil` while it was not.
    public var failure: String?
    /// What went wrong last, in the error's words.
    public var lastError: String?
    /// When a worker goes on with it, or takes it over from one that ended; `nil` at the end.
    public var due: Date?
}

/// What became of a start.
public enum ProcessStart: Sendable, Hashable {
    case started
    /// There is a process with this identity already, and it is left as it is: the state of this start is dropped, also
    /// if it is another.
    case exists(ProcessPhase)
}
