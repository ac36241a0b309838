import Dispatch

/// The process: looks whether it can run at all, and hands over to the command line.
@main
enum Program {
    static func main() {
        do {
            // The first task starts libdispatch, which ends the process with a trap if it gets no descriptors.
            try Descriptor.checkFree(Descriptor.neededToStart, or: "discfg cannot start")
        } catch {
            Failure(error).exit()
        }
        Task {
            await Discfg.main()
            CurrentProcess.end(0)
        }
        dispatchMain()
    }
}
