# The table, as `discfg store init` creates it, with deletion protection and point-in-time recovery.

locals {
  tags = merge(var.tags, { discfg = var.name })

  # From the ARN, so that nothing has to be looked up: arn:PARTITION:dynamodb:REGION:ACCOUNT:table/NAME
  table_arn = split(":", aws_dynamodb_table.store.arn)
  region    = local.table_arn[3]
  account   = local.table_arn[4]
}

resource "aws_dynamodb_table" "store" {
  name                        = var.table
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  range_key                   = "sk"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = var.deletion_protection
  tags                        = local.tags

  attribute {
    name = "pk"
    type = "S"
  }

  attribute {
    name = "sk"
    type = "B"
  }

  attribute {
    name = "due"
    type = "S"
  }

  attribute {
    name = "expiry"
    type = "N"
  }

  global_secondary_index {
    name            = "expiry"
    hash_key        = "due"
    range_key       = "expiry"
    projection_type = "KEYS_ONLY"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }
}
