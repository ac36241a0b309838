# Each alarm evaluates five minutes; missing data is not an error, because then nothing ran.

locals {
  function_alarms = merge(
    {
      for name in keys(local.functions) : "${name}-errors" => {
        function    = name
        description = "discfg's ${name} function failed or ran out of time."
        metric      = "Errors"
        statistic   = "Sum"
        threshold   = 1
      }
    },
    {
      for name in keys(local.functions) : "${name}-throttles" => {
        function    = name
        description = "discfg's ${name} function was called more often at once than it may run."
        metric      = "Throttles"
        statistic   = "Sum"
        threshold   = 1
      }
    },
    {
      stream-age = {
        function    = "stream"
        description = "Notifications are five minutes behind the table; records that are an hour old are given up."
        metric      = "IteratorAge"
        statistic   = "Maximum"
        threshold   = 300000
      }
    },
  )

  alarm_actions = var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "function" {
  for_each = local.function_alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  namespace           = "AWS/Lambda"
  metric_name         = each.value.metric
  dimensions          = { FunctionName = aws_lambda_function.work[each.value.function].function_name }
  statistic           = each.value.statistic
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = each.value.threshold
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = local.tags
}

resource "aws_cloudwatch_metric_alarm" "failures" {
  alarm_name          = "${var.name}-stream-failures"
  alarm_description   = "A batch of commits was given up by the stream function; the queue says which."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.failures.name }
  statistic           = "Maximum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  tags                = local.tags
}
