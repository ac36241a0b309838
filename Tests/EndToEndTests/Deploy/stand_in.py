"""Reads back from ministack, the stand-in for AWS, what a deployment has made, in the form that deployment.py judges.

Everything is read over AWS's own protocols, in an account of its own: ministack takes an access key of twelve digits as
the account, so what others do there at the same time is not seen.
"""
import json
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as xml

from deployment import FUNCTIONS, many

REGION = 'us-east-1'
TARGETS = {
    'dynamodb': ('DynamoDB_20120810', 'application/x-amz-json-1.0'),
    'sqs': ('AmazonSQS', 'application/x-amz-json-1.0'),
    'logs': ('Logs_20140328', 'application/x-amz-json-1.1'),
    'monitoring': ('GraniteServiceVersion20100801', 'application/x-amz-json-1.0'),
}


class StandInError(Exception):
    """An answer that is an error; `status` is 404 where nothing was found."""

    def __init__(self, what, status, text):
        super().__init__(f'{what} was answered with {status}: {text}')
        self.status = status
        self.text = text


class StandIn:
    def __init__(self, endpoint, account):
        self.endpoint = endpoint.rstrip('/')
        self.account = account

    def check_health(self):
        """Ends the program where nobody answers: Terraform would try for minutes."""
        try:
            urllib.request.urlopen(f'{self.endpoint}/_ministack/health', timeout=10).close()
        except OSError as error:
            raise SystemExit(f'there is no ministack at {self.endpoint}: {error}') from error

    def send(self, service, method, path, headers, body):
        scope = f'{self.account}/20260101/{REGION}/{service}/aws4_request'
        # That a request is signed, and by whom, must be seen; without AUTH the signature is not checked.
        headers = {**headers, 'Authorization': f'AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0'}
        request = urllib.request.Request(self.endpoint + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise StandInError(f'{service} {method} {path}', error.code, error.read().decode()) from error

    def call(self, service, operation, **parameters):
        """An operation of a service that speaks JSON."""
        target, kind = TARGETS[service]
        headers = {'X-Amz-Target': f'{target}.{operation}', 'Content-Type': kind}
        return json.loads(self.send(service, 'POST', '/', headers, json.dumps(parameters).encode()))

    def get(self, service, path):
        """What a service that speaks REST has at a path; nothing where there is nothing."""
        try:
            return json.loads(self.send(service, 'GET', path, {}, None))
        except StandInError as error:
            if error.status == 404:
                return {}
            raise

    def query(self, service, version, action, **parameters):
        """An operation of a service that takes forms, answered as XML; without its namespaces."""
        form = urllib.parse.urlencode({'Action': action, 'Version': version, **parameters}).encode()
        headers = {'Content-Type': 'application/x-www-form-urlencoded'}
        root = xml.fromstring(self.send(service, 'POST', '/', headers, form))
        for element in root.iter():
            element.tag = element.tag.rpartition('}')[2]
        return root

    def iam(self, action, **parameters):
        return self.query('iam', '2010-05-08', action, **parameters)


def texts(root, path):
    return [element.text for element in root.findall(path)]


def document(text):
    """A policy, which IAM gives percent-encoded."""
    return many(json.loads(urllib.parse.unquote(text))['Statement'])


def last(name, given):
    """The short name in a function's name or ARN."""
    short = str(given).rpartition(':')[2].removeprefix(f'{name}-')
    return short if short in FUNCTIONS else given


def key_schema(keys):
    return [(key['AttributeName'], key['KeyType']) for key in keys]


def read_table(aws, table):
    described = aws.call('dynamodb', 'DescribeTable', TableName=table)['Table']
    ttl = aws.call('dynamodb', 'DescribeTimeToLive', TableName=table)['TimeToLiveDescription']
    backups = aws.call('dynamodb', 'DescribeContinuousBackups', TableName=table)['ContinuousBackupsDescription']
    recovery = backups['PointInTimeRecoveryDescription']['PointInTimeRecoveryStatus']
    return {
        'name': described['TableName'],
        'keys': key_schema(described['KeySchema']),
        'types': {part['AttributeName']: part['AttributeType'] for part in described['AttributeDefinitions']},
        'indexes': {
            index['IndexName']: {
                'keys': key_schema(index['KeySchema']), 'projection': index['Projection']['ProjectionType'],
            }
            for index in described.get('GlobalSecondaryIndexes', [])
        },
        'billing': described.get('BillingModeSummary', {}).get('BillingMode'),
        'stream': described.get('StreamSpecification', {}).get('StreamViewType'),
        'ttl': ttl.get('AttributeName') if ttl['TimeToLiveStatus'] == 'ENABLED' else None,
        'recovery': recovery == 'ENABLED',
        'protected': described.get('DeletionProtectionEnabled'),
    }, described['LatestStreamArn']


def read_functions(aws, name):
    functions = {}
    for part in aws.get('lambda', '/2015-03-31/functions/').get('Functions', []):
        own = part['FunctionName']
        concurrency = aws.get('lambda', f'/2019-09-30/functions/{own}/concurrency')
        functions[last(name, own)] = {
            'name': own,
            'handler': part['Handler'],
            'runtime': part['Runtime'],
            'architectures': part['Architectures'],
            'memory': part['MemorySize'],
            'timeout': part['Timeout'],
            'environment': part.get('Environment', {}).get('Variables'),
            'concurrency': concurrency.get('ReservedConcurrentExecutions', 0),
            'log_group': part.get('LoggingConfig', {}).get('LogGroup'),
            'role': part['Role'],
        }
    return functions


def read_log_groups(aws):
    groups = aws.call('logs', 'DescribeLogGroups')['logGroups']
    return {group['logGroupName']: group.get('retentionInDays') for group in groups}


def read_permissions(aws, name):
    permissions = []
    for short in FUNCTIONS:
        policy = aws.get('lambda', f'/2015-03-31/functions/{name}-{short}/policy').get('Policy')
        for part in json.loads(policy)['Statement'] if policy else []:
            principal = part['Principal']
            permissions.append({
                'function': last(name, part['Resource']),
                'principal': principal['Service'] if set(principal) == {'Service'} else principal,
                'action': part['Action'],
                'source': part.get('Condition', {}).get('ArnLike', {}).get('AWS:SourceArn'),
            })
    return permissions


def read_stage(stage):
    settings, log = stage.get('defaultRouteSettings', {}), stage.get('accessLogSettings', {})
    return {
        'name': stage['stageName'],
        'deploys': stage.get('autoDeploy'),
        'rate': settings.get('throttlingRateLimit'),
        'burst': settings.get('throttlingBurstLimit'),
        'exceptions': stage.get('routeSettings') or {},
        'log_group': log.get('destinationArn', '').partition('log-group:')[2].removesuffix(':*'),
        'log': json.loads(log.get('format', '{}')),
    }


def read_http(aws, name):
    apis = aws.get('apigateway', '/v2/apis')['items']
    if len(apis) != 1:
        raise SystemExit(f'there are {len(apis)} APIs in the account instead of one')
    path = f'/v2/apis/{apis[0]["apiId"]}'
    items = {what: aws.get('apigateway', f'{path}/{what}')['items']
             for what in ('routes', 'integrations', 'authorizers', 'stages')}
    return {
        'protocol': apis[0]['protocolType'],
        'routes': [
            {
                'key': route['routeKey'],
                'auth': route.get('authorizationType'),
                'authorizer': route.get('authorizerId') or None,
                'target': route.get('target', '').removeprefix('integrations/'),
            }
            for route in items['routes']
        ],
        'integrations': {
            part['integrationId']: {
                'function': last(name, part['integrationUri']),
                'payload': part['payloadFormatVersion'],
                'type': part['integrationType'],
            }
            for part in items['integrations']
        },
        'authorizers': {
            part['authorizerId']: {
                'type': part['authorizerType'],
                'source': many(part['identitySource']),
                'issuer': part['jwtConfiguration'].get('issuer'),
                'audience': part['jwtConfiguration'].get('audience'),
            }
            for part in items['authorizers']
        },
        'stages': [read_stage(stage) for stage in items['stages']],
        'permissions': read_permissions(aws, name),
    }, apis[0]['apiId']


def read_mapping(aws, name):
    parts = aws.get('lambda', '/2015-03-31/event-source-mappings/')['EventSourceMappings']
    if len(parts) != 1:
        return {}
    part = parts[0]
    return {
        'function': last(name, part['FunctionArn']),
        'source': part['EventSourceArn'],
        'position': part.get('StartingPosition'),
        'filters': [json.loads(one['Pattern']) for one in part.get('FilterCriteria', {}).get('Filters', [])],
        'batch': part.get('BatchSize'),
        'window': part.get('MaximumBatchingWindowInSeconds'),
        'parallel': part.get('ParallelizationFactor'),
        'retries': part.get('MaximumRetryAttempts'),
        'age': part.get('MaximumRecordAgeInSeconds'),
        'bisect': part.get('BisectBatchOnFunctionError'),
        'responses': part.get('FunctionResponseTypes'),
        'failures': part.get('DestinationConfig', {}).get('OnFailure', {}).get('Destination'),
        'enabled': part['State'] == 'Enabled',
    }


def read_queue(aws):
    urls = aws.call('sqs', 'ListQueues').get('QueueUrls', [])
    if len(urls) != 1:
        return {}
    got = aws.call('sqs', 'GetQueueAttributes', QueueUrl=urls[0], AttributeNames=['All'])['Attributes']
    return {
        'name': urls[0].rpartition('/')[2],
        'arn': got['QueueArn'],
        'seconds': int(got['MessageRetentionPeriod']),
        'encrypted': got.get('SqsManagedSseEnabled') == 'true',
    }


def read_schedule(aws, name, roles):
    listed = aws.get('scheduler', '/schedules')['Schedules']
    if len(listed) != 1:
        return {}
    part = aws.get('scheduler', f'/schedules/{listed[0]["Name"]}')
    invoke = aws.get('lambda', f'/2019-09-25/functions/{name}-schedule/event-invoke-config')
    retry = part['Target'].get('RetryPolicy', {})
    return {
        'expression': part['ScheduleExpression'],
        'enabled': part['State'] == 'ENABLED',
        'function': last(name, part['Target']['Arn']),
        'role': roles.get(part['Target']['RoleArn']),
        'retries': retry.get('MaximumRetryAttempts'),
        'age': retry.get('MaximumEventAgeInSeconds'),
        'invoke_retries': invoke.get('MaximumRetryAttempts'),
        'invoke_age': invoke.get('MaximumEventAgeInSeconds'),
    }


def read_roles(aws, functions):
    """The roles with all that is put onto them, and the short name of each by its ARN."""
    names = {part['role']: short for short, part in functions.items()}
    roles = {}
    for role in aws.iam('ListRoles').iter('member'):
        own, arn = role.findtext('RoleName'), role.findtext('Arn')
        if own is None:
            continue
        statements = []
        for policy in texts(aws.iam('ListAttachedRolePolicies', RoleName=own), './/PolicyArn'):
            version = aws.iam('GetPolicy', PolicyArn=policy).findtext('.//DefaultVersionId')
            got = aws.iam('GetPolicyVersion', PolicyArn=policy, VersionId=version)
            statements += document(got.findtext('.//Document'))
        for policy in texts(aws.iam('ListRolePolicies', RoleName=own), './/PolicyNames/member'):
            got = aws.iam('GetRolePolicy', RoleName=own, PolicyName=policy)
            statements += document(got.findtext('.//PolicyDocument'))
        trust = aws.iam('GetRole', RoleName=own).findtext('.//AssumeRolePolicyDocument')
        roles[names.setdefault(arn, 'scheduler')] = {'trust': document(trust), 'statements': statements}
    return roles, names


def read_alarms(aws):
    return [
        {
            'namespace': part['Namespace'], 'metric': part['MetricName'],
            'dimension': {dimension['Name']: dimension['Value'] for dimension in part['Dimensions']},
            'statistic': part.get('Statistic'), 'threshold': part['Threshold'], 'period': part.get('Period'),
            'periods': part['EvaluationPeriods'], 'comparison': part['ComparisonOperator'],
            'missing': part.get('TreatMissingData'), 'described': bool(part.get('AlarmDescription')),
            'enabled': part['ActionsEnabled'],
            'alarm_actions': part.get('AlarmActions', []), 'ok_actions': part.get('OKActions', []),
        }
        for part in aws.call('monitoring', 'DescribeAlarms')['MetricAlarms']
    ]


def read(aws, name, table):
    """What stands in the account, the ARN of the table's stream, and the name of the API."""
    made = {}
    made['table'], stream = read_table(aws, table)
    made['functions'] = read_functions(aws, name)
    made['log_groups'] = read_log_groups(aws)
    made['http'], api = read_http(aws, name)
    made['urls'] = []
    for short in FUNCTIONS:
        url = aws.get('lambda', f'/2021-10-31/functions/{name}-{short}/url')
        if url:
            made['urls'].append({'function': short, 'auth': url['AuthType']})
    made['mapping'] = read_mapping(aws, name)
    made['queue'] = read_queue(aws)
    made['roles'], names = read_roles(aws, made['functions'])
    made['schedule'] = read_schedule(aws, name, names)
    made['alarms'] = read_alarms(aws)
    return made, stream, api


def remains(aws):
    """Whatever is left in the account, by kind: nothing, after a deployment was destroyed."""
    left = {
        'tables': aws.call('dynamodb', 'ListTables')['TableNames'],
        'functions': aws.get('lambda', '/2015-03-31/functions/').get('Functions', []),
        'mappings': aws.get('lambda', '/2015-03-31/event-source-mappings/')['EventSourceMappings'],
        'log groups': sorted(read_log_groups(aws)),
        'APIs': aws.get('apigateway', '/v2/apis')['items'],
        'queues': aws.call('sqs', 'ListQueues').get('QueueUrls', []),
        'schedules': aws.get('scheduler', '/schedules')['Schedules'],
        'roles': texts(aws.iam('ListRoles'), './/RoleName'),
        'alarms': aws.call('monitoring', 'DescribeAlarms')['MetricAlarms'],
    }
    return {kind: things for kind, things in left.items() if things}
