import AWSClient
import DynamoDBPatterns
import Testing

@Suite struct EventSourceSnippetTests {
    private func mapping() throws -> EventSourceMapping {
        try EventSourceMapping(
            filter: FilterCriteria(.eventName(.insert)), batchSize: 10, batchingWindow: .seconds(5),
            maximumRetryAttempts: 3, maximumRecordAge: .seconds(3600), bisectsOnError: true)
    }

    @Test("The event for SAM names every setting")
    func sam() throws {
        let expected = """
              Type: DynamoDB
              Properties:
                Stream: !GetAtt Table.StreamArn
                StartingPosition: TRIM_HORIZON
                BatchSize: 10
                MaximumBatchingWindowInSeconds: 5
                ParallelizationFactor: 1
                MaximumRetryAttempts: 3
                MaximumRecordAgeInSeconds: 3600
                BisectBatchOnFunctionError: true
                FunctionResponseTypes:
                  - ReportBatchItemFailures
                DestinationConfig:
                  OnFailure:
                    Type: SQS
                    Destination: !GetAtt Failures.Arn
                FilterCriteria:
                  Filters:
                    - Pattern: '{"eventName":["INSERT"]}'

            """
        #expect(
            try mapping().samSnippet(
                stream: "!GetAtt Table.StreamArn", onFailure: .queue("!GetAtt Failures.Arn"), indent: 2) == expected)
        let plain = try EventSourceMapping(reportsBatchItemFailures: false).samSnippet(stream: "arn")
        #expect(plain.contains("MaximumRetryAttempts: -1\n  MaximumRecordAgeInSeconds: -1\n"))
        #expect(plain.hasSuffix("  BisectBatchOnFunctionError: false\n"))
    }

    @Test("The resource for Terraform is formatted as Terraform formats it")
    func terraform() throws {
        let expected = """
            resource "aws_lambda_event_source_mapping" "reader" {
              event_source_arn                   = aws_dynamodb_table.items.stream_arn
              function_name                      = aws_lambda_function.reader.arn
              starting_position                  = "TRIM_HORIZON"
              batch_size                         = 10
              maximum_batching_window_in_seconds = 5
              parallelization_factor             = 1
              maximum_retry_attempts             = 3
              maximum_record_age_in_seconds      = 3600
              bisect_batch_on_function_error     = true
              function_response_types            = ["ReportBatchItemFailures"]

              destination_config {
                on_failure {
                  destination_arn = aws_sqs_queue.failures.arn
                }
              }

              filter_criteria {
                filter {
                  pattern = jsonencode({ "eventName" = ["INSERT"] })
                }
              }
            }

            """
        #expect(
            try mapping().terraformSnippet(
                name: "reader", stream: "aws_dynamodb_table.items.stream_arn",
                function: "aws_lambda_function.reader.arn", onFailure: .topic("aws_sqs_queue.failures.arn"))
                == expected)
    }
}
