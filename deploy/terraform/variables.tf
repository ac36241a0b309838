# The same choices as the parameters of deploy/sam/template.yaml; only `zip` is required.

variable "zip" {
  description = "Path of the zip that `make lambda` builds."
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.zip)
    error_message = "There is no such file: run “make lambda”, and name the zip that it has made."
  }
}

variable "name" {
  description = "The name of everything but the table, or a part of the name."
  type        = string
  default     = "discfg"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9-]{0,23}$", var.name))
    error_message = "A letter, then up to 23 letters, digits and “-”: names of roles have no room for more."
  }
}

variable "table" {
  description = "The table to create."
  type        = string
  default     = "discfg"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_.-]{3,255}$", var.table))
    error_message = "3 to 255 letters, digits, “_”, “-”, “.”."
  }
}

variable "deletion_protection" {
  description = "Whether AWS refuses to delete the table, also by `terraform destroy`."
  type        = bool
  default     = true
  nullable    = false
}

variable "auth" {
  description = "Who may call the API: “IAM” for identities that may execute-api:Invoke, “JWT” for holders of a token."
  type        = string
  default     = "IAM"
  nullable    = false

  validation {
    condition     = contains(["IAM", "JWT"], var.auth)
    error_message = "“IAM” or “JWT”; there is no open API."
  }
}

variable "jwt_issuer" {
  description = "With auth = “JWT”, the issuer of the tokens, such as “https://accounts.example.com”."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = can(regex("^(https://.+)?$", var.jwt_issuer))
    error_message = "A URL that begins with “https://”."
  }

  validation {
    condition     = var.auth != "JWT" || var.jwt_issuer != ""
    error_message = "auth = “JWT” needs jwt_issuer, the URL of the issuer."
  }
}

variable "jwt_audience" {
  description = "With auth = “JWT”, the audiences of the tokens; a token must have one of them."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = var.auth != "JWT" || length(compact(var.jwt_audience)) > 0
    error_message = "auth = “JWT” needs jwt_audience, for whom the tokens are issued."
  }
}

variable "function_url" {
  description = "Whether to create a Function URL too; free in itself, IAM only, without throttling."
  type        = bool
  default     = false
  nullable    = false
}

variable "api_memory" {
  description = "Memory of the api function in MB; CPU grows with it."
  type        = number
  default     = 256
  nullable    = false
}

variable "api_concurrency" {
  description = "Requests that the api function answers at once, reserved for it; null for the account's limit."
  type        = number
  default     = null

  validation {
    condition     = coalesce(var.api_concurrency, 1) >= 1
    error_message = "A number above 0, or null."
  }
}

variable "throttle_rate" {
  description = "Requests a second that the HTTP API accepts; more get 429."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.throttle_rate >= 1
    error_message = "At least 1: the API would answer nobody."
  }
}

variable "throttle_burst" {
  description = "Requests that the HTTP API accepts at once."
  type        = number
  default     = 200
  nullable    = false

  validation {
    condition     = var.throttle_burst >= 1
    error_message = "At least 1: the API would answer nobody."
  }
}

variable "batch_window" {
  description = "Seconds of collecting commits for the stream function; 0 notifies soonest, 1 needs fewer calls."
  type        = number
  default     = 0
  nullable    = false
}

variable "topic_arns" {
  description = "SNS topics to which notifications may be sent."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.topic_arns : can(regex("^arn:[a-z-]+:sns:[^*]+$", arn))])
    error_message = "ARNs of SNS topics, without wildcards."
  }
}

variable "queue_arns" {
  description = "SQS queues to which notifications may be sent."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.queue_arns : can(regex("^arn:[a-z-]+:sqs:[^*]+$", arn))])
    error_message = "ARNs of SQS queues, without wildcards."
  }
}

variable "event_bus_arns" {
  description = "EventBridge buses to which notifications may be sent."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.event_bus_arns : can(regex("^arn:[a-z-]+:events:[^*]+$", arn))])
    error_message = "ARNs of EventBridge buses, without wildcards."
  }
}

variable "alarm_topic_arn" {
  description = "The SNS topic to which alarms are sent; if null, they appear in the console only."
  type        = string
  default     = null
}

variable "log_level" {
  description = "The log level of the functions. Values of keys are never logged."
  type        = string
  default     = "info"
  nullable    = false

  validation {
    condition     = contains(["trace", "debug", "info", "notice", "warning", "error", "critical"], var.log_level)
    error_message = "“trace”, “debug”, “info”, “notice”, “warning”, “error” or “critical”."
  }
}

variable "log_retention" {
  description = "Days for which logs are kept; one of the numbers that CloudWatch Logs accepts."
  type        = number
  default     = 30
  nullable    = false
}

variable "tags" {
  description = "Tags of all resources, in addition to “discfg”, which has the name."
  type        = map(string)
  default     = {}
  nullable    = false
}
