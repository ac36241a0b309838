# Roles: one for each function, without AWS's own policies, which allow every resource of the account.

locals {
  # The functions that query overdue keys and describe the table.
  keepers = toset(["api", "schedule"])
  # Whether there are targets of notifications in AWS.
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

# Every function, if targets are named: the function `api` sends too, when a notification is tested or replayed.

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

# Only the function `stream`: the stream, and the queue of failures.

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

  # Lambda requires it to create the mapping. It lists the streams of a table, so its resource is all.
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
