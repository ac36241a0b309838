extension PatternTable {
    /// The table as a resource of a SAM or CloudFormation template, in YAML.
    ///
    /// - Parameters:
    ///   - logicalName: The resource's name in the template.
    ///   - name: The table's name; `nil` lets CloudFormation make one, for a function to be told by `!Ref`.
    /// - Returns: Lines to stand under `Resources:`, indented by two spaces.
    public static func samResource(_ logicalName: String = "Patterns", name: String? = nil) -> String {
        """
          \(logicalName):
            Type: AWS::DynamoDB::Table
            DeletionPolicy: Retain
            UpdateReplacePolicy: Retain
            Properties:\(name.map { "\n      TableName: \($0)" } ?? "")
              BillingMode: PAY_PER_REQUEST
              AttributeDefinitions:
                - {AttributeName: pk, AttributeType: S}
                - {AttributeName: sk, AttributeType: S}
                - {AttributeName: duePartition, AttributeType: S}
                - {AttributeName: due, AttributeType: N}
              KeySchema:
                - {AttributeName: pk, KeyType: HASH}
                - {AttributeName: sk, KeyType: RANGE}
              GlobalSecondaryIndexes:
                - IndexName: due
                  KeySchema:
                    - {AttributeName: duePartition, KeyType: HASH}
                    - {AttributeName: due, KeyType: RANGE}
                  Projection: {ProjectionType: KEYS_ONLY}
              StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
              TimeToLiveSpecification: {AttributeName: ttl, Enabled: true}

        """
    }

    /// The table as a resource of a Terraform module.
    ///
    /// - Parameters:
    ///   - label: The resource's name in the module.
    ///   - name: The table's name.
    /// - Returns: The resource, in HCL.
    public static func terraformResource(_ label: String = "patterns", name: String) -> String {
        let attributes = [("pk", "S"), ("sk", "S"), ("duePartition", "S"), ("due", "N")]
            .map { "  attribute {\n    name = \"\($0)\"\n    type = \"\($1)\"\n  }\n" }.joined()
        return """
            resource "aws_dynamodb_table" "\(label)" {
              name             = "\(name)"
              billing_mode     = "PAY_PER_REQUEST"
              hash_key         = "pk"
              range_key        = "sk"
              stream_enabled   = true
              stream_view_type = "NEW_AND_OLD_IMAGES"

            \(attributes)
              global_secondary_index {
                name            = "due"
                hash_key        = "duePartition"
                range_key       = "due"
                projection_type = "KEYS_ONLY"
              }

              ttl {
                attribute_name = "ttl"
                enabled        = true
              }
            }

            """
    }

    /// What a function or server may have to do with the table, as a statement of an IAM policy.
    ///
    /// Transactions need no permission of their own. A consumer of the stream needs that of the stream besides:
    /// `dynamodb:DescribeStream`, `dynamodb:GetShardIterator` and `dynamodb:GetRecords` on `ARN/stream/*`.
    ///
    /// - Parameter arn: The table's ARN.
    /// - Returns: The statement, in JSON.
    public static func policyStatement(forTable arn: String) -> String {
        let actions = [
            "BatchGetItem", "ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem",
        ]
        let names = actions.map { "    \"dynamodb:\($0)\"" }.joined(separator: ",\n")
        return """
            {
              "Effect": "Allow",
              "Action": [
            \(names)
              ],
              "Resource": ["\(arn)", "\(arn)/index/\(dueIndex)"]
            }
            """
    }
}
