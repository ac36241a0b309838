extension EventSourceMapping {
    /// Where Lambda sends a message about each batch that it gives up; as an expression of the template's language.
    public enum FailureDestination: Sendable, Hashable {
        /// The ARN of an SQS queue, such as `!GetAtt Failures.Arn` or `aws_sqs_queue.failures.arn`.
        case queue(String)
        /// The ARN of an SNS topic.
        case topic(String)

        var expression: String {
            switch self {
            case .queue(let expression), .topic(let expression): expression
            }
        }
    }

    /// An event of an `AWS::Serverless::Function`, in YAML; to be put under a name in the function's `Events`.
    ///
    /// - Parameters:
    ///   - stream: The stream's ARN as the template has it, such as `!GetAtt Table.StreamArn`.
    ///   - onFailure: Where what is given up goes; SAM lets the function send there.
    ///   - indent: How many spaces each line begins with.
    /// - Returns: The lines, each with its end.
    public func samSnippet(stream: String, onFailure: FailureDestination? = nil, indent: Int = 0) -> String {
        var lines = ["Type: DynamoDB", "Properties:", "  Stream: \(stream)"]
        lines += settings.map { "  \($0.sam): \($0.value)" }
        if reportsBatchItemFailures { lines += ["  FunctionResponseTypes:", "    - ReportBatchItemFailures"] }
        if let onFailure {
            let type = if case .queue = onFailure { "SQS" } else { "SNS" }
            lines += ["  DestinationConfig:", "    OnFailure:", "      Type: \(type)"]
            lines.append("      Destination: \(onFailure.expression)")
        }
        return Snippet.text(lines, indent: indent) + (filter?.samSnippet(indent: indent + 2) ?? "")
    }

    /// An `aws_lambda_event_source_mapping`, for Terraform.
    ///
    /// The function's role has to be allowed to read the stream, and to send to the destination.
    ///
    /// - Parameters:
    ///   - name: The resource's name in Terraform.
    ///   - stream: The stream's ARN as an expression, such as `aws_dynamodb_table.items.stream_arn`.
    ///   - function: The function's ARN or name as an expression, such as `aws_lambda_function.reader.arn`.
    ///   - onFailure: Where what is given up goes.
    /// - Returns: The lines, each with its end.
    public func terraformSnippet(
        name: String, stream: String, function: String, onFailure: FailureDestination? = nil
    ) -> String {
        var arguments = [("event_source_arn", stream), ("function_name", function)]
        arguments += settings.map { ($0.terraform, $0.isText ? "\"\($0.value)\"" : $0.value) }
        if reportsBatchItemFailures { arguments.append(("function_response_types", "[\"ReportBatchItemFailures\"]")) }
        let width = arguments.map(\.0.count).max() ?? 0
        var lines = ["resource \"aws_lambda_event_source_mapping\" \"\(name)\" {"]
        lines += arguments.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count)) = \($0.1)" }
        if let onFailure {
            lines += ["", "  destination_config {", "    on_failure {"]
            lines += ["      destination_arn = \(onFailure.expression)", "    }", "  }"]
        }
        let filter = filter.map { "\n" + $0.terraformSnippet(indent: 2) } ?? ""
        return Snippet.text(lines, indent: 0) + filter + "}\n"
    }

    private struct Setting {
        var sam: String
        var terraform: String
        var value: String
        var isText = false

        init(_ sam: String, _ terraform: String, _ value: some CustomStringConvertible, isText: Bool = false) {
            (self.sam, self.terraform, self.value, self.isText) = (sam, terraform, value.description, isText)
        }
    }

    private var settings: [Setting] {
        [
            Setting("StartingPosition", "starting_position", startingPosition.rawValue, isText: true),
            Setting("BatchSize", "batch_size", batchSize),
            Setting(
                "MaximumBatchingWindowInSeconds", "maximum_batching_window_in_seconds",
                batchingWindow.components.seconds),
            Setting("ParallelizationFactor", "parallelization_factor", parallelizationFactor),
            Setting("MaximumRetryAttempts", "maximum_retry_attempts", maximumRetryAttempts ?? -1),
            Setting(
                "MaximumRecordAgeInSeconds", "maximum_record_age_in_seconds",
                maximumRecordAge?.components.seconds ?? -1),
            Setting("BisectBatchOnFunctionError", "bisect_batch_on_function_error", bisectsOnError),
        ]
    }
}
