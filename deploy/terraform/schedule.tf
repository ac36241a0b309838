# The function `schedule`, once a minute.

resource "aws_scheduler_schedule" "minute" {
  name                = "${var.name}-minute"
  description         = "discfg's work of every minute on ${aws_dynamodb_table.store.name}"
  schedule_expression = "rate(1 minute)"

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_lambda_function.work["schedule"].arn
    role_arn = aws_iam_role.scheduler.arn

    retry_policy {
      maximum_retry_attempts       = 1
      maximum_event_age_in_seconds = 60
    }
  }

  depends_on = [aws_iam_role_policy.scheduler]
}

# The call of the next minute does the remaining work.
resource "aws_lambda_function_event_invoke_config" "schedule" {
  function_name                = aws_lambda_function.work["schedule"].function_name
  maximum_retry_attempts       = 0
  maximum_event_age_in_seconds = 60
}

resource "aws_iam_role" "scheduler" {
  name_prefix        = "${var.name}-scheduler-"
  assume_role_policy = data.aws_iam_policy_document.scheduler_trust.json
  tags               = local.tags
}

data "aws_iam_policy_document" "scheduler_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["scheduler.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_iam_role_policy" "scheduler" {
  name   = "invoke"
  role   = aws_iam_role.scheduler.id
  policy = data.aws_iam_policy_document.scheduler.json
}

data "aws_iam_policy_document" "scheduler" {
  statement {
    sid       = "InvokeSchedule"
    actions   = ["lambda:InvokeFunction"]
    resources = [aws_lambda_function.work["schedule"].arn]
  }
}
