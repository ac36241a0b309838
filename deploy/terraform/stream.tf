# The table's stream to the function of that name, and the queue of what it gave up.

resource "aws_lambda_event_source_mapping" "stream" {
  function_name    = aws_lambda_function.work["stream"].arn
  event_source_arn = aws_dynamodb_table.store.stream_arn

  # Not LATEST, which may pass over what is committed in the minutes that a new mapping takes to begin. The cursor of
  # each target passes over what was sent already.
  starting_position = "TRIM_HORIZON"

  batch_size                         = 100
  maximum_batching_window_in_seconds = var.batch_window
  parallelization_factor             = 1

  # AWS's own defaults for both are without bound: one poison record would stop the shard for a day.
  maximum_retry_attempts         = 5
  maximum_record_age_in_seconds  = 3600
  bisect_batch_on_function_error = true
  function_response_types        = ["ReportBatchItemFailures"]
  tags                           = local.tags

  # New commits only: of all records, they alone have a text `id` beside a number `rev`. What does not match costs no
  # invocation, and what the function itself writes does not call it again.
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

  # Lambda refuses the mapping of a function that may not read the stream.
  depends_on = [aws_iam_role_policy.stream]
}

# A message says where a batch that was given up stands in the stream. What was committed is in the table's log.
resource "aws_sqs_queue" "failures" {
  name                      = "${var.name}-stream-failures"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = true
  tags                      = local.tags
}
