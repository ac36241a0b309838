# The mapping from the table's stream to the function `stream`, and the queue of failures.

resource "aws_lambda_event_source_mapping" "stream" {
  function_name    = aws_lambda_function.work["stream"].arn
  event_source_arn = aws_dynamodb_table.store.stream_arn

  # Not LATEST, which may skip commits of the minutes that a new mapping takes to begin. The stored progress of each
  # notification skips commits that were sent already.
  starting_position = "TRIM_HORIZON"

  batch_size                         = 100
  maximum_batching_window_in_seconds = var.batch_window
  parallelization_factor             = 1

  # By AWS's defaults both are unlimited: one bad record would stop the shard for a day.
  maximum_retry_attempts         = 5
  maximum_record_age_in_seconds  = 3600
  bisect_batch_on_function_error = true
  function_response_types        = ["ReportBatchItemFailures"]
  tags                           = local.tags

  # New commits only: no other records have both a text `id` and a number `rev`. A record that does not match costs no
  # invocation, so the function's own writes do not call it again.
  filter_criteria {
    filter {
      pattern = jsonencode({
        eventName = ["INSERT"]
        dynamodb = {
          NewImage = {
            id  = { S = [{ exists = true }] }
            rev = { N = [{ exists = true }] }
          }
        }
      })
    }
  }

  destination_config {
    on_failure {
      destination_arn = aws_sqs_queue.failures.arn
    }
  }

  # Lambda refuses the mapping if the function may not read the stream.
  depends_on = [aws_iam_role_policy.stream]
}

# A message has the position of a failed batch in the stream. The commits are in the table's log.
resource "aws_sqs_queue" "failures" {
  name                      = "${var.name}-stream-failures"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
  tags                      = local.tags
}
