import NIOCore
import NIOHPACK
import NIOHTTP2

// Work.
extension CallHandler {
    /// Carries out a method with one request and one response.
    func start(_ request: ByteBuffer, _ prepare: @escaping @Sendable (ByteBuffer, GRPCCall) throws -> GRPCWork) {
        guard request.readableBytes <= options.inlineBytes else {
            let call = call
            return run(GRPCWork { try await prepare(request, call).answer() })
        }
        do {
            run(try prepare(request, call))
        } catch {
            finish(.failure(error))
        }
    }

    private func run(_ work: GRPCWork) {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: connection.eventLoop), connection.eventLoop)
        let operation: @Sendable () async -> Void = {
            let result: Result<GRPCMessage, any Error>
            do { result = .success(try await work.answer()) } catch { result = .failure(error) }
            if eventLoop.inEventLoop {
                bound.value.finish(result)
            } else {
                eventLoop.execute { bound.value.finish(result) }
            }
        }
        if work.isQuick, #available(macOS 26, *) {
            // Up to where it waits for the first time, it runs here and now.
            noteStarted(Task.immediate { await operation() })
        } else {
            noteStarted(Task { await operation() })
        }
    }

    /// Carries out a method with any number of requests and responses.
    func startStream(_ prepare: @Sendable (GRPCCall) throws -> GRPCMethod.StreamBody) {
        phase = .working
        do {
            let body = try prepare(call)
            writeHead()
            context?.flush()
            let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: connection.eventLoop), connection.eventLoop)
            let requests = GRPCRequests(handler: bound, eventLoop: eventLoop)
            let responses = GRPCResponses(handler: bound, eventLoop: eventLoop)
            noteStarted(
                Task {
                    let result: Result<GRPCMessage?, any Error>
                    do {
                        try await body(requests, responses)
                        result = .success(nil)
                    } catch {
                        result = .failure(error)
                    }
                    eventLoop.execute { bound.value.answer(result) }
                })
        } catch {
            finish(.failure(error))
        }
    }

    private func noteStarted(_ task: Task<Void, Never>) {
        guard phase == .working else { return }
        self.task = task
        isCounted = true
        connection.server.started(self, task)
        if let end {
            let bound = NIOLoopBound(self, eventLoop: connection.eventLoop)
            timer = connection.eventLoop.scheduleTask(deadline: end) { bound.value.expire() }
        }
        if waits, connection.isStopping { stop() }
    }

    /// Ends work that may take long, because the server stops.
    func stop() {
        guard phase == .working, waits else { return }
        isStopped = true
        task?.cancel()
    }

    /// Ends the call: its time is over.
    func expire() {
        guard phase == .receiving || phase == .working else { return }
        finish(GRPCStatus(.deadlineExceeded, "context deadline exceeded"))
    }

    private func finish(_ result: Result<GRPCMessage, any Error>) { answer(result.map { $0 }) }

    /// Answers a call whose work is done; `nil` if its messages are written.
    private func answer(_ result: Result<GRPCMessage?, any Error>) {
        task = nil
        requestMemory.release()
        if isCounted {
            isCounted = false
            connection.server.ended(self)
        }
        guard phase == .working else { return }
        switch result {
        case .success(let message):
            writeHead()
            if let message { writeData(message, promise: nil) }
            writeEnd(GRPCStatus(.ok, "").trailers)
        case .failure(let error):
            finish(isStopped ? options.stopped : options.status(error, call))
        }
    }
}

// Answers.
extension CallHandler {
    private static let head: HPACKHeaders = [":status": "200", "content-type": "application/grpc"]

    /// Ends a call without an answer, or after some.
    func finish(_ status: GRPCStatus, more: HPACKHeaders = [:]) {
        var trailers = hasHead ? [:] : Self.head
        trailers.add(contentsOf: status.trailers)
        trailers.add(contentsOf: more)
        writeEnd(trailers)
    }

    /// Ends what is no call of gRPC by a status of HTTP.
    func refuse(_ httpStatus: String, _ status: GRPCStatus) {
        var trailers: HPACKHeaders = [":status": httpStatus, "content-type": "application/grpc"]
        trailers.add(contentsOf: status.trailers)
        writeEnd(trailers)
    }

    private func writeHead() {
        guard !hasHead, let context else { return }
        hasHead = true
        context.write(wrapOutboundOut(.headers(.init(headers: Self.head))), promise: nil)
    }

    private func writeData(_ message: GRPCMessage, promise: EventLoopPromise<Void>?) {
        answerMemory.overdraw(message.framed.readableBytes)
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(message.framed))
        context?.write(wrapOutboundOut(.data(data)), promise: promise)
    }

    private func writeEnd(_ trailers: HPACKHeaders) {
        guard let context, phase != .answered else { return }
        phase = .answered
        hasHead = true
        timer?.cancel()
        partSince = nil
        if waits { task?.cancel() }
        if task == nil { requestMemory.release() }
        unreadSince = .now()
        context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: trailers, endStream: true))), promise: nil)
        endReading()
        // The client must come to its end, whatever it still sends.
        resumeReads()
    }

    /// Writes responses of a stream; the continuation is resumed when they are sent.
    func write(_ messages: [GRPCMessage], _ continuation: CheckedContinuation<Void, any Error>) {
        guard phase == .working, let context, let last = messages.last else {
            continuation.resume(throwing: CancellationError())
            return
        }
        writeHead()
        let size = messages.reduce(0) { $0 + $1.framed.readableBytes }
        for message in messages.dropLast() { writeData(message, promise: nil) }
        let written = connection.eventLoop.makePromise(of: Void.self)
        writeData(last, promise: written)
        unreadSince = .now()
        let bound = NIOLoopBound(self, eventLoop: connection.eventLoop)
        written.futureResult.whenComplete { result in
            bound.value.noteSent(size)
            continuation.resume(with: result)
        }
        context.flush()
    }

    private func noteSent(_ size: Int) {
        answerMemory.giveBack(size)
        if phase == .working { unreadSince = nil }
    }
}
