import NIOCore
import NIOPosix

/// Runs tasks on the thread of the event loop.
///
/// There is one invocation at a time, and waking another thread for each of its steps would take longer than the steps.
/// Nothing that blocks may run here.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// An executor on the only event loop of this process; must be called before anything uses the network.
    static func single() -> EventLoopExecutor {
        NIOSingletons.groupLoopCountSuggestion = 1
        return EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next())
    }

    private init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
