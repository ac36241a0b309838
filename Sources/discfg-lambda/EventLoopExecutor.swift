import NIOCore
import NIOPosix

/// Runs tasks on the thread that also waits for the network.
///
/// One invocation is under way at a time: between its steps there is nothing else to do, and to wake another thread for each
/// would take longer than the steps. Nothing that blocks may run here.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// The one loop of this process; has to be asked for before anything uses the network.
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
