# Roles: one for each function, none of them with AWS's own policies, which name every resource of the account.

locals {
  # The functions that find what is overdue and describe the table.
  keepers = toset(["api", "schedule"])
  # Whether there is anything outside of the table that notifications go to.
  has_targets = length(concat(var.topic_arns, var.queue_arns, var.event_bus_arns)) > 0
}

resource "aws_iam_role" "function" {
  for_each = local.functions

  name_prefix        = "${var.name}-${each.key}-"
  assume_role_policy = data.aws_iam_policy_document.trust.json
  tags               = local.tags
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

# Every function: its own log group.

resource "aws_iam_role_policy" "logs" {
  for_each = local.functions

  name   = "logs"
  role   = aws_iam_role.function[each.key].id
  policy = data.aws_iam_policy_document.logs[each.key].json
}

data "aws_iam_policy_document" "logs" {
  for_each = local.functions

  statement {
    sid       = "WriteLogs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.function[each.key].arn}:*"]
  }
}

# Every function: the table's records. With what the next policy allows, it is docs/iam/writer.json.

resource "aws_iam_role_policy" "records" {
  for_each = local.functions

  name   = "records"
  role   = aws_iam_role.function[each.key].id
  policy = data.aws_iam_policy_document.records.json
}

data "aws_iam_policy_document" "records" {
  statement {
    sid = "ReadAndWriteRecords"
    actions = [
      "dynamodb:GetItem",
      "dynamodb:BatchGetItem",
      "dynamodb:Query",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
    ]
    resources = [aws_dynamodb_table.store.arn]
  }
}

resource "aws_iam_role_policy" "upkeep" {
  for_each = local.keepers

  name   = "upkeep"
  role   = aws_iam_role.function[each.key].id
  policy = data.aws_iam_policy_document.upkeep.json
}

data "aws_iam_policy_document" "upkeep" {
  statement {
    sid       = "FindExpired"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.store.arn}/index/expiry"]
  }

  statement {
    sid       = "DescribeTable"
    actions   = ["dynamodb:DescribeTable"]
    resources = [aws_dynamodb_table.store.arn]
  }
}

# Every function, where targets are named: the api function sends too, when somebody tries a notification.

resource "aws_iam_role_policy" "send" {
  for_each = { for name, function in local.functions : name => function if local.has_targets }

  name   = "send"
  role   = aws_iam_role.function[each.key].id
  policy = data.aws_iam_policy_document.send.json
}

data "aws_iam_policy_document" "send" {
  dynamic "statement" {
    for_each = length(var.topic_arns) > 0 ? [var.topic_arns] : []

    content {
      sid       = "SendToTopics"
      actions   = ["sns:Publish"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(var.queue_arns) > 0 ? [var.queue_arns] : []

    content {
      sid       = "SendToQueues"
      actions   = ["sqs:SendMessage"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(var.event_bus_arns) > 0 ? [var.event_bus_arns] : []

    content {
      sid       = "SendToEventBuses"
      actions   = ["events:PutEvents"]
      resources = statement.value
    }
  }
}

# The stream's function alone: the stream, and the queue of what it gave up.

resource "aws_iam_role_policy" "stream" {
  name   = "stream"
  role   = aws_iam_role.function["stream"].id
  policy = data.aws_iam_policy_document.stream.json
}

data "aws_iam_policy_document" "stream" {
  statement {
    sid       = "ReadStream"
    actions   = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
    resources = [aws_dynamodb_table.store.stream_arn]
  }

  # Lambda asks for it to make the mapping; it lists the streams of a table, so its resource is all of them.
  statement {
    sid       = "ListStreams"
    actions   = ["dynamodb:ListStreams"]
    resources = ["${aws_dynamodb_table.store.arn}/stream/*"]
  }

  statement {
    sid       = "KeepFailures"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.failures.arn]
  }
}
