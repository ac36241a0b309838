"""Proves deploy/sam/template.yaml without AWS: lints it, translates it, and judges what it makes for every choice.

Usage: check_sam.py TEMPLATE

Needs cfn-lint and aws-sam-translator in this Python. Ends with 0 where all is right, and with 1 otherwise.
"""
import copy
import itertools
import json
import logging
import os
import subprocess
import sys

from cloudformation import ACCOUNT, REGION, STACK, Template, TemplateError
from deployment import CHECKOUT, FUNCTIONS, Checks, Choice, Place, judge, many

# The translator asks boto3 for the region; it calls nobody.
os.environ['AWS_DEFAULT_REGION'] = REGION
from samtranslator.translator.transform import transform  # noqa: E402  after the environment is set
from samtranslator.yaml_helper import yaml_parse  # noqa: E402

# It complains that nobody publishes how long it took.
logging.getLogger('samtranslator').setLevel(logging.ERROR)

ZIP = CHECKOUT / '.build' / 'lambda' / 'discfg-lambda.zip'
ISSUER, AUDIENCE = 'https://issuer.example.com', ['discfg', 'ops']
TOPICS = [f'arn:aws:sns:{REGION}:{ACCOUNT}:changes', f'arn:aws:sns:{REGION}:{ACCOUNT}:audit']
QUEUES = [f'arn:aws:sqs:{REGION}:{ACCOUNT}:changes']
BUSES = [f'arn:aws:events:{REGION}:{ACCOUNT}:event-bus/changes']
ALARM_TOPIC = f'arn:aws:sns:{REGION}:{ACCOUNT}:alarms'


class NoManagedPolicies:
    """The translator looks up AWS's own policies by name; a template that names none needs no answer."""

    def load(self):
        return {}


def load(path):
    with open(path, encoding='utf-8') as file:
        return yaml_parse(file.read())


def translate(document, given, zip_uri='s3://bucket/zip'):
    """The template as CloudFormation has it, once `sam deploy` has put the zip into a bucket."""
    document = copy.deepcopy(document)
    document['Globals']['Function']['CodeUri'] = zip_uri
    return transform(document, dict(given), NoManagedPolicies())


def choices():
    """Every combination of what changes which resources are made, with the parameters that choose it."""
    sides = itertools.product((False, True), repeat=7)
    for jwt, url, topics, queues, buses, alarms, concurrency in sides:
        choice, given = Choice(name=STACK), {}
        if jwt:
            choice.auth, choice.issuer, choice.audience = 'JWT', ISSUER, AUDIENCE
            given |= {'Auth': 'JWT', 'JwtIssuer': ISSUER, 'JwtAudience': ','.join(AUDIENCE)}
        if url:
            choice.function_url, given['FunctionUrl'] = True, 'true'
        if topics:
            choice.topics, given['TopicArns'] = TOPICS, ', '.join(TOPICS)
        if queues:
            choice.queues, given['QueueArns'] = QUEUES, ','.join(QUEUES)
        if buses:
            choice.buses, given['EventBusArns'] = BUSES, ','.join(BUSES)
        if alarms:
            choice.alarm_topic, given['AlarmTopicArn'] = ALARM_TOPIC, ALARM_TOPIC
        if concurrency:
            choice.concurrency, given['ApiConcurrency'] = 7, '7'
        yield choice, given
    # What changes values alone is changed all at once.
    yield Choice(
        name=STACK, table='other', protected=False, memory=512, rate=5, burst=9, window=1, log_level='debug',
        retention=7,
    ), {
        'TableName': 'other', 'DeletionProtection': 'false', 'ApiMemory': '512', 'ThrottleRate': '5',
        'ThrottleBurst': '9', 'BatchWindow': '1', 'LogLevel': 'debug', 'LogRetention': '7',
    }


def one(resources):
    """The only resource of a type; nothing where there are none or several, which the judge then says."""
    return next(iter(resources.values())) if len(resources) == 1 else {}


def number(value):
    return int(value) if value is not None else 0


def last(arn):
    """The short name in a function's name or ARN."""
    name = str(arn).rpartition(':')[2].removeprefix(f'{STACK}-')
    return name if name in FUNCTIONS else arn


def key_schema(keys):
    return [(key['AttributeName'], key['KeyType']) for key in keys]


def read_table(template):
    table = one(template.resources('AWS::DynamoDB::Table'))
    ttl = table.get('TimeToLiveSpecification', {})
    return {
        'name': table.get('TableName'),
        'keys': key_schema(table.get('KeySchema', [])),
        'types': {part['AttributeName']: part['AttributeType'] for part in table.get('AttributeDefinitions', [])},
        'indexes': {
            index['IndexName']: {
                'keys': key_schema(index['KeySchema']), 'projection': index['Projection']['ProjectionType'],
            }
            for index in table.get('GlobalSecondaryIndexes', [])
        },
        'billing': table.get('BillingMode'),
        'stream': table.get('StreamSpecification', {}).get('StreamViewType'),
        'ttl': ttl.get('AttributeName') if ttl.get('Enabled') is True else None,
        'recovery': table.get('PointInTimeRecoverySpecification', {}).get('PointInTimeRecoveryEnabled'),
        'protected': table.get('DeletionProtectionEnabled') == 'true',
    }


def read_functions(template):
    return {
        last(part.get('FunctionName')): {
            'name': part.get('FunctionName'),
            'handler': part.get('Handler'),
            'runtime': part.get('Runtime'),
            'architectures': part.get('Architectures'),
            'memory': number(part.get('MemorySize')),
            'timeout': part.get('Timeout'),
            'environment': part.get('Environment', {}).get('Variables'),
            'concurrency': number(part.get('ReservedConcurrentExecutions')),
            'log_group': part.get('LoggingConfig', {}).get('LogGroup'),
            'role': part.get('Role'),
        }
        for part in template.resources('AWS::Lambda::Function').values()
    }


def read_log_groups(template):
    groups = template.resources('AWS::Logs::LogGroup').values()
    return {group['LogGroupName']: number(group.get('RetentionInDays')) for group in groups}


def read_stage(stage):
    settings, log = stage.get('DefaultRouteSettings', {}), stage.get('AccessLogSettings', {})
    return {
        'name': stage['StageName'],
        'deploys': stage.get('AutoDeploy'),
        'rate': number(settings.get('ThrottlingRateLimit')),
        'burst': number(settings.get('ThrottlingBurstLimit')),
        'exceptions': stage.get('RouteSettings', {}),
        'log_group': log.get('DestinationArn', '').partition('log-group:')[2].removesuffix(':*'),
        'log': json.loads(log.get('Format', '{}')),
    }


def read_http(template):
    gateway = 'AWS::ApiGatewayV2::'
    return {
        'protocol': one(template.resources(gateway + 'Api')).get('ProtocolType'),
        'routes': [
            {
                'key': route['RouteKey'],
                'auth': route.get('AuthorizationType'),
                'authorizer': route.get('AuthorizerId'),
                'target': route.get('Target', '').removeprefix('integrations/'),
            }
            for route in template.resources(gateway + 'Route').values()
        ],
        'integrations': {
            name: {
                'function': last(part.get('IntegrationUri')),
                'payload': part.get('PayloadFormatVersion'),
                'type': part.get('IntegrationType'),
            }
            for name, part in template.resources(gateway + 'Integration').items()
        },
        'authorizers': {
            name: {
                'type': part.get('AuthorizerType'),
                'source': part.get('IdentitySource'),
                'issuer': part.get('JwtConfiguration', {}).get('Issuer'),
                'audience': part.get('JwtConfiguration', {}).get('Audience'),
            }
            for name, part in template.resources(gateway + 'Authorizer').items()
        },
        'stages': [read_stage(stage) for stage in template.resources(gateway + 'Stage').values()],
        'permissions': [
            {
                'function': last(part['FunctionName']), 'principal': part['Principal'], 'action': part['Action'],
                'source': part.get('SourceArn'),
            }
            for part in template.resources('AWS::Lambda::Permission').values()
        ],
    }


def read_mapping(template):
    part = one(template.resources('AWS::Lambda::EventSourceMapping'))
    return {
        'function': last(part.get('FunctionName')),
        'source': part.get('EventSourceArn'),
        'position': part.get('StartingPosition'),
        'filters': [json.loads(one['Pattern']) for one in part.get('FilterCriteria', {}).get('Filters', [])],
        'batch': part.get('BatchSize'),
        'window': number(part.get('MaximumBatchingWindowInSeconds')),
        'parallel': part.get('ParallelizationFactor'),
        'retries': part.get('MaximumRetryAttempts'),
        'age': part.get('MaximumRecordAgeInSeconds'),
        'bisect': part.get('BisectBatchOnFunctionError'),
        'responses': part.get('FunctionResponseTypes'),
        'failures': part.get('DestinationConfig', {}).get('OnFailure', {}).get('Destination'),
        'enabled': part.get('Enabled', True),
    }


def read_queue(template):
    queues = template.resources('AWS::SQS::Queue')
    part = one(queues)
    return {
        'name': part.get('QueueName'),
        'arn': template.attributes(next(iter(queues)))['Arn'] if part else None,
        'seconds': part.get('MessageRetentionPeriod'),
        'encrypted': part.get('SqsManagedSseEnabled'),
    }


def read_schedule(template, roles):
    part = one(template.resources('AWS::Scheduler::Schedule'))
    target = part.get('Target', {})
    invoke = one(template.resources('AWS::Lambda::EventInvokeConfig'))
    return {
        'expression': part.get('ScheduleExpression'),
        'enabled': part.get('State', 'ENABLED') == 'ENABLED',
        'function': last(target.get('Arn')),
        'role': roles.get(target.get('RoleArn')),
        'retries': target.get('RetryPolicy', {}).get('MaximumRetryAttempts'),
        'age': target.get('RetryPolicy', {}).get('MaximumEventAgeInSeconds'),
        'invoke_retries': invoke.get('MaximumRetryAttempts'),
        'invoke_age': invoke.get('MaximumEventAgeInSeconds'),
    }


def role_names(template, functions):
    """The short name of each role by its ARN: the function's that takes it, otherwise the scheduler's."""
    names = {part['role']: name for name, part in functions.items()}
    for role in template.resources('AWS::IAM::Role'):
        names.setdefault(template.attributes(role)['Arn'], 'scheduler')
    return names


def read_roles(template, names):
    """All that reaches a role: its own policies, and those of this template that it names."""
    shared = {template.value(name): part for name, part in template.resources('AWS::IAM::ManagedPolicy').items()}
    roles = {}
    for name, part in template.resources('AWS::IAM::Role').items():
        documents = [policy['PolicyDocument'] for policy in part.get('Policies', [])]
        for policy in part.get('ManagedPolicyArns', []):
            if policy not in shared:
                raise TemplateError(f'{name} has the policy {policy}, whose statements nobody here has seen')
            documents.append(shared[policy]['PolicyDocument'])
        roles[names[template.attributes(name)['Arn']]] = {
            'trust': many(part['AssumeRolePolicyDocument']['Statement']),
            'statements': [statement for document in documents for statement in many(document['Statement'])],
        }
    return roles


def read_alarms(template):
    return [
        {
            'namespace': part['Namespace'], 'metric': part['MetricName'],
            'dimension': {dimension['Name']: dimension['Value'] for dimension in part['Dimensions']},
            'statistic': part.get('Statistic'), 'threshold': part['Threshold'], 'period': part.get('Period'),
            'periods': part['EvaluationPeriods'], 'comparison': part['ComparisonOperator'],
            'missing': part.get('TreatMissingData'), 'described': bool(part.get('AlarmDescription')),
            'enabled': part.get('ActionsEnabled', True),
            'alarm_actions': part.get('AlarmActions', []), 'ok_actions': part.get('OKActions', []),
        }
        for part in template.resources('AWS::CloudWatch::Alarm').values()
    ]


def read(template):
    functions = read_functions(template)
    names = role_names(template, functions)
    return {
        'table': read_table(template), 'functions': functions, 'log_groups': read_log_groups(template),
        'http': read_http(template), 'mapping': read_mapping(template), 'queue': read_queue(template),
        'urls': [
            {'function': last(part['TargetFunctionArn']), 'auth': part.get('AuthType')}
            for part in template.resources('AWS::Lambda::Url').values()
        ],
        'schedule': read_schedule(template, names), 'roles': read_roles(template, names),
        'alarms': read_alarms(template),
    }


# A type that is not listed could add access that no check here covers: another API, or a policy put onto a role.
KNOWN_TYPES = {
    'AWS::ApiGatewayV2::Api', 'AWS::ApiGatewayV2::Authorizer', 'AWS::ApiGatewayV2::Integration',
    'AWS::ApiGatewayV2::Route', 'AWS::ApiGatewayV2::Stage', 'AWS::CloudWatch::Alarm', 'AWS::DynamoDB::Table',
    'AWS::IAM::ManagedPolicy', 'AWS::IAM::Role', 'AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::EventSourceMapping',
    'AWS::Lambda::Function', 'AWS::Lambda::Permission', 'AWS::Lambda::Url', 'AWS::Logs::LogGroup', 'AWS::SQS::Queue',
    'AWS::Scheduler::Schedule',
}


def check_whole(checks, template, choice):
    """No route hides, the table outlives the stack, the outputs can be pasted, and all is tagged."""
    for name, api in template.resources('AWS::ApiGatewayV2::Api').items():
        hidden = {'Body', 'BodyS3Location', 'RouteKey', 'Target'} & set(api)
        checks.same(f'what makes routes of {name} that are no resources', hidden, set())
    parts = template.document['Resources']
    checks.same('types of resources', {part['Type'] for part in parts.values()} - KNOWN_TYPES, set())
    for name, part in parts.items():
        if part['Type'] == 'AWS::DynamoDB::Table':
            checks.same(f'{name} outlives the stack', (part.get('DeletionPolicy'), part.get('UpdateReplacePolicy')),
                        ('Retain', 'Retain'))
    untagged = {
        'AWS::ApiGatewayV2::Authorizer', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route',
        'AWS::IAM::ManagedPolicy', 'AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::Permission', 'AWS::Lambda::Url',
        'AWS::Scheduler::Schedule',
    }
    for name, properties in template.resources().items():
        if parts[name]['Type'] not in untagged:
            tags = properties.get('Tags', {})
            tags = {tag['Key']: tag['Value'] for tag in tags} if isinstance(tags, list) else tags
            checks.same(f'the tag of {name}', tags.get('discfg'), STACK)
    outputs = template.outputs()
    checks.same('the output Store', outputs.get('Store'), f'dynamodb:{choice.table}?region={REGION}')
    names = {'Store', 'ApiUrl', 'ApiArn', 'TableName', 'TableArn', 'FailureQueue'}
    checks.same('the outputs', set(outputs), names | ({'FunctionUrl'} if choice.function_url else set()))


def check_choices(checks, document, sets):
    for choice, given in sets:
        wrong = len(checks.wrong)
        try:
            template = Template(translate(document, given), given)
            checks.same('broken rules', template.broken_rules(), [])
            place = Place(
                region=REGION, account=ACCOUNT, stream=template.value('Table.StreamArn'),
                api=next(iter(template.resources('AWS::ApiGatewayV2::Api'))))
            judge(checks, read(template), choice, place)
            check_whole(checks, template, choice)
        except TemplateError as error:
            checks.holds(str(error), False, given)
        if len(checks.wrong) > wrong:
            checks.wrong.insert(wrong, f'with the parameters {given or "as they are"}:')
            break  # what is wrong with one set is mostly wrong with others


def check_refusals(checks, document):
    """No parameter opens the API, and what a JWT is checked against must be given."""
    auth = document['Parameters']['Auth']
    checks.same('the values of Auth', auth.get('AllowedValues'), ['IAM', 'JWT'])
    checks.same('what Auth is without a choice', auth.get('Default'), 'IAM')
    translated = translate(document, {})
    for given in ({'Auth': 'NONE'}, {'Auth': ''}, {'Auth': 'jwt'}, {'JwtIssuer': 'http://issuer.example.com'},
                  {'ApiConcurrency': '0'}, {'DeletionProtection': 'no'}, {'ThrottleRate': '0'}):
        try:
            Template(translated, given)
            checks.holds('parameters are refused', False, given)
        except TemplateError:
            checks.holds('parameters are refused', True)
    jwt = {'Auth': 'JWT', 'JwtIssuer': ISSUER, 'JwtAudience': 'discfg'}
    for missing in ('JwtIssuer', 'JwtAudience'):
        rules = Template(translated, {**jwt, missing: ''}).broken_rules()
        named = [rule for rule in rules if missing in rule]
        checks.holds(f'Auth=JWT without {missing} breaks a rule that names it', named, rules)
    checks.same('Auth=JWT with both breaks none', Template(translated, jwt).broken_rules(), [])


def check_lint(checks, path):
    start = 'import sys; from cfnlint.runner import main; sys.exit(main())'
    regions = ['--regions', 'us-east-1', REGION]
    linter = subprocess.run(
        [sys.executable, '-c', start, '--non-zero-exit-code', 'warning', *regions, '--', path],
        capture_output=True, text=True, check=False)
    checks.same('cfn-lint', (linter.returncode, linter.stdout.strip() + linter.stderr.strip()), (0, ''))


def check_zip(checks, path, document):
    code = os.path.join(os.path.dirname(os.path.abspath(path)), document['Globals']['Function']['CodeUri'])
    checks.same('the zip that is deployed', os.path.normpath(code), str(ZIP))
    for name, part in document['Resources'].items():
        if part['Type'] == 'AWS::Serverless::Function':
            own = part['Properties'].get('CodeUri')
            checks.same(f'the zip of {name} alone, which has that of all', own, None)


def main():
    if len(sys.argv) != 2:
        raise SystemExit('usage: check_sam.py TEMPLATE')
    path = sys.argv[1]
    checks = Checks()
    document = load(path)
    with checks.section('cfn-lint finds nothing'):
        check_lint(checks, path)
    with checks.section('one zip; no parameter opens the API; Auth=JWT needs issuer and audience'):
        check_zip(checks, path, document)
        check_refusals(checks, document)
    sets = list(choices())
    what = 'table, functions, API, stream, schedule, roles, alarms, outputs'
    with checks.section(f'{what}, for {len(sets)} sets of parameters'):
        check_choices(checks, document, sets)
    return checks.finish()


if __name__ == '__main__':
    sys.exit(main())
