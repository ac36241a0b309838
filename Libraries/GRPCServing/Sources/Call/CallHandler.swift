import NIOCore
import NIOHPACK
import NIOHTTP2

/// One call: the only handler of its HTTP/2 stream.
///
/// It belongs to the event loop of its connection. What a task must know of it goes through `GRPCRequests` and `GRPCResponses`.
final class CallHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// How far the call has come.
    enum Phase {
        /// Nothing has come.
        case new
        /// The one request of a method is coming.
        case receiving
        /// The method is carried out.
        case working
        /// The end is written; what the client still sends is ignored.
        case answered
        /// The stream is closed.
        case closed
    }

    let connection: GRPCConnection
    var options: GRPCOptions { connection.server.options }
    var phase = Phase.new
    var context: ChannelHandlerContext?
    private var stream = 0

    // What comes.
    var call = GRPCCall(path: "", metadata: [:], localAddress: nil)
    private var method: GRPCMethod?
    private var reader = MessageReader(maximumBytes: 0)
    private var request: ByteBuffer?
    private var hasEnded = false
    var requestMemory: HeldMemory
    /// When the part of a message began that has come; `nil` if it is not the client's turn.
    var partSince: NIODeadline?
    /// Bytes that were ignored, because the call was answered already.
    private var ignored = 0
    private var consumer: CheckedContinuation<ByteBuffer?, any Error>?
    private var isReadingOver = false
    private var isReadDue = false

    // What goes.
    var answerMemory: HeldMemory
    /// When something was written of which the client has not let through all.
    var unreadSince: NIODeadline?
    var hasHead = false

    // What runs.
    var task: Task<Void, Never>?
    /// When the client gives the call up; work that is not done at once has a timer for it.
    var end: NIODeadline?
    var timer: Scheduled<Void>?
    var isStopped = false
    /// Whether the work goes on although the function that began it has returned.
    var isCounted = false
    var waits: Bool { method?.waits ?? false }

    init(_ connection: GRPCConnection) {
        self.connection = connection
        requestMemory = HeldMemory(of: connection.server.options.requests)
        answerMemory = HeldMemory(of: connection.server.options.answers)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if let id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) { stream = Int(id) }
        connection.add(self, stream)
    }

    func handlerRemoved(context: ChannelHandlerContext) { close() }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    /// The errors of a stream are its end, which `channelInactive` tells.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            if headers.endStream { hasEnded = true }
            if phase == .new { begin(headers.headers) }
            if headers.endStream { receive(ByteBuffer()) }
        case .data(let part):
            if part.endStream { hasEnded = true }
            guard case .byteBuffer(let bytes) = part.data else { return }
            receive(bytes)
        default: break
        }
    }

    /// Holds back reads while a request of a stream waits to be taken.
    func read(context: ChannelHandlerContext) {
        if case .stream = method?.kind, phase == .working, consumer == nil, reader.isReady {
            isReadDue = true
        } else {
            context.read()
        }
    }

    /// Ends whatever the stream holds; it is closed.
    private func close() {
        guard phase != .closed else { return }
        phase = .closed
        context = nil
        connection.remove(self, stream)
        timer?.cancel()
        (partSince, unreadSince) = (nil, nil)
        answerMemory.release()
        if waits || connection.server.isCutOff { task?.cancel() }
        if task == nil { requestMemory.release() }
        endReading()
    }
}

// Requests.
extension CallHandler {
    /// Finds the method of a call, and what must be known before its messages.
    private func begin(_ headers: HPACKHeaders) {
        let path = headers.first(name: ":path") ?? ""
        call = GRPCCall(path: path, metadata: headers, localAddress: context?.channel.localAddress)
        phase = .receiving
        guard !options.answers.isExhausted else { return finish(options.overloaded) }
        guard Self.isGRPC(headers) else {
            return refuse("415", GRPCStatus(.invalidArgument, "invalid gRPC request content-type"))
        }
        guard headers.first(name: ":method") == "POST" else {
            return refuse("405", GRPCStatus(.internalError, "gRPC calls are made by POST"))
        }
        guard let method = connection.server.methods[path] else { return finish(connection.server.unknown(path)) }
        if let encoding = headers.first(name: "grpc-encoding"), encoding != "identity" {
            return finish(
                GRPCStatus(.unimplemented, "grpc: Decompressor is not installed for grpc-encoding \"\(encoding)\""),
                more: ["grpc-accept-encoding": "identity"])
        }
        if let text = headers.first(name: "grpc-timeout") {
            guard let timeout = GRPCTimeout.parse(text) else {
                return finish(GRPCStatus(.internalError, "malformed grpc-timeout: \(text)"))
            }
            end = .now() + timeout
        }
        self.method = method
        reader = MessageReader(maximumBytes: method.maximumBytes)
        if case .stream(let prepare) = method.kind { startStream(prepare) }
    }

    /// Whether the content type is that of gRPC.
    private static func isGRPC(_ headers: HPACKHeaders) -> Bool {
        guard let type = headers.first(name: "content-type") else { return false }
        let prefix = "application/grpc"
        guard type.utf8.count >= prefix.utf8.count, type.prefix(prefix.count).lowercased() == prefix else {
            return false
        }
        guard let next = type.utf8.dropFirst(prefix.utf8.count).first else { return true }
        return next == UInt8(ascii: "+") || next == UInt8(ascii: ";")
    }

    private func receive(_ bytes: ByteBuffer) {
        guard phase == .receiving || phase == .working, let method else {
            return ignore(bytes.readableBytes)
        }
        guard requestMemory.take(bytes.readableBytes) else { return finish(options.overloaded) }
        if bytes.readableBytes > 0 { reader.append(bytes) }
        if partSince == nil, !hasEnded { partSince = .now() }
        switch method.kind {
        case .stream: serveConsumer()
        case .unary(let prepare): receiveOnly(prepare)
        }
        if method.isUnary ? hasEnded : reader.held == 0 || reader.isReady { partSince = nil }
    }

    /// Takes the one request of a method, and starts it at the end of the client's side.
    private func receiveOnly(_ prepare: @escaping @Sendable (ByteBuffer, GRPCCall) throws -> GRPCWork) {
        guard phase == .receiving else { return ignore(0) }
        do throws(GRPCStatus) {
            while let message = try reader.next() {
                guard request == nil else { throw GRPCStatus(.unimplemented, "more than one request") }
                request = message
            }
            guard hasEnded else { return }
            guard reader.held == 0 else { throw .cutShort }
            guard let request else { throw GRPCStatus(.unimplemented, "no request") }
            self.request = nil
            phase = .working
            start(request, prepare)
        } catch {
            finish(error)
        }
    }

    /// Counts what comes after the answer; a client that goes on for too long is cut off.
    private func ignore(_ size: Int) {
        ignored += size
        if ignored > 16 << 20 { context?.close(promise: nil) }
    }

    /// Hands the next request to the reader of a stream, as soon as there is one.
    func take(_ continuation: CheckedContinuation<ByteBuffer?, any Error>) {
        guard consumer == nil, !isReadingOver else {
            continuation.resume(throwing: CancellationError())
            return
        }
        consumer = continuation
        serveConsumer()
        if consumer != nil || !reader.isReady { resumeReads() }
    }

    /// Does the read that was held back, if there is one.
    func resumeReads() {
        guard isReadDue else { return }
        isReadDue = false
        context?.read()
    }

    private func serveConsumer() {
        guard let consumer else { return }
        do throws(GRPCStatus) {
            let before = reader.held
            let message = try reader.next()
            guard message != nil || hasEnded else { return }
            if message == nil, reader.held > 0 { throw .cutShort }
            requestMemory.giveBack(before - reader.held)
            partSince = reader.held == 0 || reader.isReady ? nil : .now()
            self.consumer = nil
            consumer.resume(returning: message)
        } catch {
            self.consumer = nil
            isReadingOver = true
            consumer.resume(throwing: error)
        }
    }

    /// Ends the reader of a stream.
    func endReading() {
        isReadingOver = true
        guard let consumer else { return }
        self.consumer = nil
        consumer.resume(throwing: CancellationError())
    }

    /// Closes the stream of a client that is too slow.
    func check(_ now: NIODeadline) {
        let isPartLate = partSince.map { now - $0 > options.pace(requestMemory.bytes) } ?? false
        let isUnread = unreadSince.map { now - $0 > options.readingPatience } ?? false
        if isPartLate || isUnread { context?.close(promise: nil) }
    }
}

extension GRPCMethod {
    var isUnary: Bool {
        switch kind {
        case .unary: true
        case .stream: false
        }
    }
}

extension GRPCStatus {
    fileprivate static let cutShort = GRPCStatus(.internalError, "the request ends within a message")
}
