# The values for the next steps: DISCFG_STORE, and the URL of the API.

output "store" {
  description = "The value of DISCFG_STORE for commands and servers that use the table directly."
  value       = "dynamodb:${aws_dynamodb_table.store.name}?region=${local.region}"
}

output "api_url" {
  description = "The URL of the HTTP API."
  value       = aws_apigatewayv2_api.http.api_endpoint
}

output "api_arn" {
  description = "With auth = “IAM”, the resource of execute-api:Invoke in the policy of callers of the HTTP API."
  value       = "${aws_apigatewayv2_api.http.execution_arn}/*"
}

output "function_url" {
  description = "URL of the api function without the API, for callers with InvokeFunctionUrl and InvokeFunction."
  value       = one(aws_lambda_function_url.api[*].function_url)
}

output "table_name" {
  description = "The table."
  value       = aws_dynamodb_table.store.name
}

output "table_arn" {
  description = "The table's ARN."
  value       = aws_dynamodb_table.store.arn
}

output "failure_queue" {
  description = "The URL of the queue of batches that the stream function gave up."
  value       = aws_sqs_queue.failures.url
}
