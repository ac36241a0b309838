# The same choices as the parameters of deploy/sam/template.yaml; only `zip` is required.

variable "zip" {
  description = "Path of the zip that `make lambda` makes."
  type        = string
  nullable    = false

  validation {
    condition     = fileexists(var.zip)
    error_message = "There is no such file: run “make lambda”, and name the zip that it has made."
  }
}

variable "name" {
  description = "What everything but the table is called, and a part of longer names."
  type        = string
  default     = "discfg"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9-]{0,23}$", var.name))
    error_message = "A letter, then up to 23 letters, digits and “-”: names of roles have no room for more."
  }
}

variable "table" {
  description = "The table to make."
  type        = string
  default     = "discfg"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_.-]{3,255}$", var.table))
    error_message = "3 to 255 letters, digits, “_”, “-”, “.”."
  }
}

variable "deletion_protection" {
  description = "Whether AWS refuses to delete the table. It is what keeps `terraform destroy` from doing so."
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
  description = "With auth = “JWT”, for whom the tokens are issued; one of them must be in the token."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = var.auth != "JWT" || length(compact(var.jwt_audience)) > 0
    error_message = "auth = “JWT” needs jwt_audience, for whom the tokens are issued."
  }
}

variable "function_url" {
  description = "Whether there is a Function URL too; it costs nothing itself, knows IAM alone, does not throttle."
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
  description = "Requests that the api function answers at once, reserved for it; null for what the account has."
  type        = number
  default     = null

  validation {
    condition     = coalesce(var.api_concurrency, 1) >= 1
    error_message = "A number above 0, or null."
  }
}

variable "throttle_rate" {
  description = "Requests a second that the HTTP API lets through; more get 429."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.throttle_rate >= 1
    error_message = "At least 1: the API would answer nobody."
  }
}

variable "throttle_burst" {
  description = "Requests that the HTTP API lets through at once."
  type        = number
  default     = 200
  nullable    = false

  validation {
    condition     = var.throttle_burst >= 1
    error_message = "At least 1: the API would answer nobody."
  }
}

variable "batch_window" {
  description = "Seconds in which commits are gathered for the stream function; 0 notifies soonest, 1 calls it less."
  type        = number
  default     = 0
  nullable    = false
}

variable "topic_arns" {
  description = "SNS topics that notifications may go to."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.topic_arns : can(regex("^arn:[a-z-]+:sns:[^*]+$", arn))])
    error_message = "ARNs of SNS topics, without wildcards."
  }
}

variable "queue_arns" {
  description = "SQS queues that notifications may go to."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.queue_arns : can(regex("^arn:[a-z-]+:sqs:[^*]+$", arn))])
    error_message = "ARNs of SQS queues, without wildcards."
  }
}

variable "event_bus_arns" {
  description = "EventBridge buses that notifications may go to."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for arn in var.event_bus_arns : can(regex("^arn:[a-z-]+:events:[^*]+$", arn))])
    error_message = "ARNs of EventBridge buses, without wildcards."
  }
}

variable "alarm_topic_arn" {
  description = "The SNS topic that alarms tell; null for alarms that are seen in the console only."
  type        = string
  default     = null
}

variable "log_level" {
  description = "How much the functions log. Values of keys are never logged."
  type        = string
  default     = "info"
  nullable    = false

  validation {
    condition     = contains(["trace", "debug", "info", "notice", "warning", "error", "critical"], var.log_level)
    error_message = "“trace”, “debug”, “info”, “notice”, “warning”, “error” or “critical”."
  }
}

variable "log_retention" {
  description = "Days that logs are kept; one of the numbers that CloudWatch Logs knows."
  type        = number
  default     = 30
  nullable    = false
}

variable "tags" {
  description = "Tags of everything, beside “discfg”, which holds the name."
  type        = map(string)
  default     = {}
  nullable    = false
}
