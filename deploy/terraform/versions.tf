# discfg without servers: a table, three functions, an HTTP API, a schedule and alarms.
#
#   make lambda
#   export AWS_REGION=eu-central-1
#   terraform -chdir=deploy/terraform init
#   terraform -chdir=deploy/terraform apply -var zip="$PWD/.build/lambda/discfg-lambda.zip"
#
# or as a module of what you have:
#
#   module "discfg" {
#     source = "./deploy/terraform"
#     zip    = "./.build/lambda/discfg-lambda.zip"
#   }
#
#   output "discfg" {
#     value = module.discfg
#   }
#
# The first command makes the zip that all three functions run; `make lambda` and `terraform apply` again update them.
# Afterwards the outputs say what to put into DISCFG_STORE, and where the API is. Nobody reaches the API without signing
# as an IAM identity or showing a JSON Web Token: there is no value of `auth` that opens it.
#
# deploy/sam makes the same with AWS SAM. What is changed here is changed there.
terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7.0"
    }
  }
}
