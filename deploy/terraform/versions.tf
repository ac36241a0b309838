# discfg without servers: a table, three functions, an HTTP API, a schedule and alarms.
#
#   make lambda
#   export AWS_REGION=eu-central-1
#   terraform -chdir=deploy/terraform init
#   terraform -chdir=deploy/terraform apply -var zip="$PWD/.build/lambda/discfg-lambda.zip"
#
# or as a module of your own configuration:
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
# The first command builds the zip that all three functions run; `make lambda` and `terraform apply` again update them.
# Afterwards the outputs have the value of DISCFG_STORE and the URL of the API. Every caller must sign requests as an
# IAM identity or send a JSON Web Token: no value of `auth` makes the API public.
#
# deploy/sam creates the same with AWS SAM. Change both together.
terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7.0"
    }
  }
}
