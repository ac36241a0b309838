# Three functions from one zip. The handler's name selects the work of the program.

locals {
  functions = {
    api = {
      description = "discfg's REST and etcd APIs"
      memory      = var.api_memory
      timeout     = 29
      concurrency = coalesce(var.api_concurrency, -1) # -1 is none reserved
    }
    stream = {
      description = "discfg's notifications of new commits"
      memory      = 256
      timeout     = 60
      concurrency = -1
    }
    schedule = {
      description = "discfg's expiry of keys, retention, and notifications that are tried again"
      memory      = 256
      timeout     = 60
      concurrency = -1
    }
  }
}

resource "aws_lambda_function" "work" {
  for_each = local.functions

  function_name                  = "${var.name}-${each.key}"
  description                    = each.value.description
  filename                       = var.zip
  source_code_hash               = filebase64sha256(var.zip)
  runtime                        = "provided.al2023"
  architectures                  = ["x86_64"]
  handler                        = each.key
  role                           = aws_iam_role.function[each.key].arn
  memory_size                    = each.value.memory
  timeout                        = each.value.timeout
  reserved_concurrent_executions = each.value.concurrency
  tags                           = local.tags

  environment {
    variables = {
      DISCFG_STORE     = "dynamodb:${aws_dynamodb_table.store.name}"
      DISCFG_LOG_LEVEL = var.log_level
    }
  }

  logging_config {
    log_format = "Text"
    log_group  = aws_cloudwatch_log_group.function[each.key].name
  }

  # A function that runs before it has its permissions would fail.
  depends_on = [
    aws_iam_role_policy.logs,
    aws_iam_role_policy.records,
    aws_iam_role_policy.upkeep,
    aws_iam_role_policy.send,
  ]
}

resource "aws_cloudwatch_log_group" "function" {
  for_each = local.functions

  name              = "/aws/lambda/${var.name}-${each.key}"
  retention_in_days = var.log_retention
  tags              = local.tags
}

resource "aws_lambda_function_url" "api" {
  count = var.function_url ? 1 : 0

  function_name      = aws_lambda_function.work["api"].function_name
  authorization_type = "AWS_IAM"
}
