# The HTTP API: one route with the authoriser, so that no path is without it, not even /health.

resource "aws_apigatewayv2_api" "http" {
  name          = var.name
  description   = "discfg"
  protocol_type = "HTTP"
  tags          = local.tags
}

resource "aws_apigatewayv2_integration" "api" {
  api_id                 = aws_apigatewayv2_api.http.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.work["api"].arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_authorizer" "jwt" {
  count = var.auth == "JWT" ? 1 : 0

  api_id           = aws_apigatewayv2_api.http.id
  name             = "jwt"
  authorizer_type  = "JWT"
  identity_sources = ["$request.header.Authorization"]

  jwt_configuration {
    issuer   = var.jwt_issuer
    audience = var.jwt_audience
  }
}

resource "aws_apigatewayv2_route" "default" {
  api_id             = aws_apigatewayv2_api.http.id
  route_key          = "$default"
  target             = "integrations/${aws_apigatewayv2_integration.api.id}"
  authorization_type = var.auth == "JWT" ? "JWT" : "AWS_IAM"
  authorizer_id      = one(aws_apigatewayv2_authorizer.jwt[*].id)
}

resource "aws_apigatewayv2_stage" "default" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "$default"
  auto_deploy = true
  tags        = local.tags

  default_route_settings {
    throttling_rate_limit  = var.throttle_rate
    throttling_burst_limit = var.throttle_burst
  }

  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.access.arn
    # The path without the query, which may contain a value.
    format = jsonencode({
      requestId        = "$context.requestId"
      time             = "$context.requestTime"
      ip               = "$context.identity.sourceIp"
      user             = "$context.identity.userArn"
      subject          = "$context.authorizer.claims.sub"
      method           = "$context.httpMethod"
      path             = "$context.path"
      status           = "$context.status"
      length           = "$context.responseLength"
      milliseconds     = "$context.responseLatency"
      error            = "$context.error.message"
      integrationError = "$context.integrationErrorMessage"
    })
  }

  # The stage publishes the current API, which must have its route by then.
  depends_on = [aws_apigatewayv2_route.default]
}

resource "aws_cloudwatch_log_group" "access" {
  # Log groups with this prefix need no entry in the account's resource policy, whose size is limited.
  name              = "/aws/vendedlogs/${var.name}-access"
  retention_in_days = var.log_retention
  tags              = local.tags
}

resource "aws_lambda_permission" "api" {
  function_name = aws_lambda_function.work["api"].function_name
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.http.execution_arn}/*/$default"
}
