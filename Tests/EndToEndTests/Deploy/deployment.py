"""What both templates must make: one judge for deploy/sam and deploy/terraform.

A check program reads what its template makes into one form, the sections that `judge` names, and has it judged. So
neither template can have less than the other. What is expected stands here once, taken from the sources: the table as
`discfg store init` makes it, and what the functions may do from docs/iam/writer.json.
"""
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
WRITER = CHECKOUT / 'docs' / 'iam' / 'writer.json'
FUNCTIONS = ('api', 'stream', 'schedule')

# TableManager.swift
TABLE = {
    'keys': [('pk', 'HASH'), ('sk', 'RANGE')],
    'types': {'pk': 'S', 'sk': 'B', 'due': 'S', 'expiry': 'N'},
    'indexes': {'expiry': {'keys': [('due', 'HASH'), ('expiry', 'RANGE')], 'projection': 'KEYS_ONLY'}},
    'billing': 'PAY_PER_REQUEST',
    'stream': 'NEW_AND_OLD_IMAGES',
    'ttl': 'ttl',
    'recovery': True,
}

# CommitAttributes.swift
NEW_COMMITS = {
    'eventName': ['INSERT'],
    'dynamodb': {'NewImage': {'id': {'S': [{'exists': True}]}, 'rev': {'N': [{'exists': True}]}}},
}

MAPPING = {
    'function': 'stream',
    'position': 'TRIM_HORIZON',
    'filters': [NEW_COMMITS],
    'batch': 100,
    'parallel': 1,
    'retries': 5,
    'age': 3600,
    'bisect': True,
    'responses': ['ReportBatchItemFailures'],
}

INTEGRATION = {'function': 'api', 'payload': '2.0', 'type': 'AWS_PROXY'}

ACCESS_LOG = {
    'requestId': '$context.requestId',
    'time': '$context.requestTime',
    'ip': '$context.identity.sourceIp',
    'user': '$context.identity.userArn',
    'subject': '$context.authorizer.claims.sub',
    'method': '$context.httpMethod',
    'path': '$context.path',
    'status': '$context.status',
    'length': '$context.responseLength',
    'milliseconds': '$context.responseLatency',
    'error': '$context.error.message',
    'integrationError': '$context.integrationErrorMessage',
}


@dataclass
class Choice:
    """What somebody chose who deploys; without anything, the defaults of both templates."""

    auth: str = 'IAM'
    issuer: str = ''
    audience: list = field(default_factory=list)
    function_url: bool = False
    topics: list = field(default_factory=list)
    queues: list = field(default_factory=list)
    buses: list = field(default_factory=list)
    alarm_topic: str = ''
    concurrency: int = 0
    protected: bool = True
    memory: int = 256
    rate: float = 100
    burst: int = 200
    window: int = 0
    log_level: str = 'info'
    retention: int = 30
    table: str = 'discfg'
    name: str = 'discfg'


@dataclass
class Place:
    """Where it was deployed, for the ARNs."""

    region: str
    account: str
    stream: str
    api: str

    def arn(self, service, rest):
        return f'arn:aws:{service}:{self.region}:{self.account}:{rest}'


class Checks:
    """Counts what was checked, and keeps what was wrong, so that one run shows all of it."""

    def __init__(self):
        self.made = 0
        self.wrong = []

    def same(self, what, got, expected):
        self.made += 1
        if got != expected:
            self.wrong.append(f'{what}\n  expected: {expected!r}\n  got:      {got!r}')

    def holds(self, what, condition, got=None):
        self.made += 1
        if not condition:
            self.wrong.append(f'{what}\n  got: {got!r}')

    @contextmanager
    def section(self, title):
        """Prints a line of what was checked inside."""
        made, wrong = self.made, len(self.wrong)
        yield
        print(f'{"FAIL" if len(self.wrong) > wrong else "ok  "} {title}: {self.made - made} checks', flush=True)

    def finish(self):
        """Prints what was wrong, and returns the exit code."""
        for wrong in self.wrong:
            print(wrong)
        return 1 if self.wrong else 0


def judge(checks, made, choice, place):
    """Compares a deployment with what was chosen.

    `made` has the sections `table`, `functions`, `log_groups`, `http`, `urls`, `mapping`, `queue`, `schedule`, `roles`
    and `alarms`, which the functions below read.
    """
    judge_table(checks, made['table'], choice)
    judge_functions(checks, made['functions'], made['log_groups'], choice)
    judge_http(checks, made['http'], choice, place)
    checks.same('Function URLs, which are for IAM identities only', made['urls'],
                [{'function': 'api', 'auth': 'AWS_IAM'}] if choice.function_url else [])
    judge_stream(checks, made['mapping'], made['queue'], choice, place)
    judge_schedule(checks, made['schedule'])
    judge_roles(checks, made['roles'], choice, place)
    judge_alarms(checks, made['alarms'], choice)


def judge_table(checks, table, choice):
    for what, expected in {**TABLE, 'name': choice.table, 'protected': choice.protected}.items():
        checks.same(f'the table: {what}', table.get(what), expected)


def judge_functions(checks, functions, log_groups, choice):
    checks.same('the functions', sorted(functions), sorted(FUNCTIONS))
    for name in FUNCTIONS:
        log_group = f'/aws/lambda/{choice.name}-{name}'
        expected = {
            'name': f'{choice.name}-{name}',
            'handler': name,
            'runtime': 'provided.al2023',
            'architectures': ['x86_64'],
            'memory': choice.memory if name == 'api' else 256,
            'timeout': 29 if name == 'api' else 60,
            'environment': {'DISCFG_STORE': f'dynamodb:{choice.table}', 'DISCFG_LOG_LEVEL': choice.log_level},
            'concurrency': choice.concurrency if name == 'api' else 0,
            'log_group': log_group,
        }
        for what, value in expected.items():
            checks.same(f'the function {name}: {what}', functions.get(name, {}).get(what), value)
        checks.same(f'days that {log_group} is kept', log_groups.get(log_group), choice.retention)


def judge_http(checks, http, choice, place):
    checks.same('the protocol of the API', http['protocol'], 'HTTP')
    checks.holds('the API has a route', http['routes'])
    for route in http['routes']:
        name = f'the route {route["key"]}'
        if choice.auth == 'IAM':
            checks.same(f'{name} carries IAM', route['auth'], 'AWS_IAM')
            checks.same(f'{name} names no other authoriser', route['authorizer'], None)
        else:
            checks.same(f'{name} carries a JWT', route['auth'], 'JWT')
            checks.holds(f'{name} names an authoriser of this API', route['authorizer'] in http['authorizers'], route)
        target = http['integrations'].get(route['target'])
        checks.same(f'{name} leads to the api function', target, INTEGRATION)
    checks.same('the routes', [route['key'] for route in http['routes']], ['$default'])
    expected = {
        'type': 'JWT', 'source': ['$request.header.Authorization'], 'issuer': choice.issuer,
        'audience': choice.audience,
    }
    checks.same('the authorisers', list(http['authorizers'].values()), [expected] if choice.auth == 'JWT' else [])
    log_group = f'/aws/vendedlogs/{choice.name}-access'
    checks.same('the stages', [stage['name'] for stage in http['stages']], ['$default'])
    for stage in http['stages']:
        for what, value in {
            'deploys': True, 'rate': choice.rate, 'burst': choice.burst, 'log_group': log_group, 'log': ACCESS_LOG,
            'exceptions': {},
        }.items():
            checks.same(f'the stage {stage["name"]}: {what}', stage.get(what), value)
    checks.same('who but IAM may call the api function', http['permissions'], [{
        'function': 'api', 'principal': 'apigateway.amazonaws.com', 'action': 'lambda:InvokeFunction',
        'source': place.arn('execute-api', f'{place.api}/*/$default'),
    }])


def judge_stream(checks, mapping, queue, choice, place):
    expected = {
        **MAPPING, 'source': place.stream, 'window': choice.window, 'failures': queue.get('arn'), 'enabled': True,
    }
    for what, value in expected.items():
        checks.same(f'the mapping of the stream: {what}', mapping.get(what), value)
    checks.holds('the mapping keeps what failed', mapping.get('failures'), mapping)
    checks.same('the failure queue', {what: queue.get(what) for what in ('name', 'seconds', 'encrypted')},
                {'name': f'{choice.name}-stream-failures', 'seconds': 14 * 86400, 'encrypted': True})


def judge_schedule(checks, schedule):
    expected = {
        'expression': 'rate(1 minute)', 'function': 'schedule', 'enabled': True, 'retries': 1, 'age': 60,
        'invoke_retries': 0, 'invoke_age': 60, 'role': 'scheduler',
    }
    for what, value in expected.items():
        checks.same(f'the schedule: {what}', schedule.get(what), value)


def statements(choice, place):
    """What each role may do: a set of (action, resource)."""
    table = place.arn('dynamodb', f'table/{choice.table}')
    text = WRITER.read_text()
    for mark, value in {'REGION': place.region, 'ACCOUNT': place.account, 'TABLE': choice.table}.items():
        text = text.replace(mark, value)
    parts = {part['Sid']: allowed([part]) for part in json.loads(text)['Statement']}
    writer = set().union(*parts.values())
    send = {('sns:Publish', arn) for arn in choice.topics}
    send |= {('sqs:SendMessage', arn) for arn in choice.queues}
    send |= {('events:PutEvents', arn) for arn in choice.buses}
    failures = place.arn('sqs', f'{choice.name}-stream-failures')
    stream = {(f'dynamodb:{action}', place.stream) for action in ('DescribeStream', 'GetRecords', 'GetShardIterator')}
    stream |= {('dynamodb:ListStreams', f'{table}/stream/*'), ('sqs:SendMessage', failures)}
    roles = {'api': writer | send, 'schedule': writer | send, 'stream': parts['ReadAndWriteRecords'] | stream | send}
    for name in roles:
        group = place.arn('logs', f'log-group:/aws/lambda/{choice.name}-{name}:*')
        roles[name] |= {('logs:CreateLogStream', group), ('logs:PutLogEvents', group)}
    roles['scheduler'] = {('lambda:InvokeFunction', place.arn('lambda', f'function:{choice.name}-schedule'))}
    return roles


def many(value):
    """A list, also of what IAM lets stand alone."""
    return value if isinstance(value, list) else [value]


def allowed(parts):
    """What statements allow, as a set of (action, resource)."""
    return {(action, arn) for part in parts for action in many(part['Action']) for arn in many(part['Resource'])}


def judge_roles(checks, roles, choice, place):
    """`roles` has for each role its `trust`, a list of statements, and `statements` of all of its policies."""
    expected = statements(choice, place)
    checks.same('the roles', sorted(roles), sorted(expected))
    for name, role in sorted(roles.items()):
        service = 'scheduler.amazonaws.com' if name == 'scheduler' else 'lambda.amazonaws.com'
        trust = [(part['Effect'], part['Action'], part['Principal']) for part in role['trust']]
        checks.same(f'who takes the role {name}', trust, [('Allow', 'sts:AssumeRole', {'Service': service})])
        conditions = [part.get('Condition') for part in role['trust']]
        account = {'StringEquals': {'aws:SourceAccount': place.account}}
        wanted = [account if name == 'scheduler' else None]
        checks.same(f'on what conditions the role {name} is taken', conditions, wanted)
        judge_statements(checks, name, role['statements'])
        got = allowed(role['statements'])
        wanted = expected.get(name, set())
        checks.same(f'what the role {name} may and does not need', sorted(got - wanted), [])
        checks.same(f'what the role {name} needs and may not', sorted(wanted - got), [])


def judge_statements(checks, name, parts):
    """No statement allows by leaving out, and none has a wildcard but where AWS knows no other resource."""
    for part in parts:
        checks.same(f'the role {name}: members of {part.get("Sid")}', sorted(set(part) - {'Sid'}),
                    ['Action', 'Effect', 'Resource'])
        checks.same(f'the role {name}: effect of {part.get("Sid")}', part.get('Effect'), 'Allow')
    for action, arn in allowed(parts):
        checks.holds(f'the role {name} has no wildcard in actions', '*' not in action, action)
        # The streams of one log group, and of one table, have no other name.
        plain = arn[:-1] if arn.endswith(':*') and ':log-group:' in arn else arn
        plain = arn[:-1] if arn.endswith('/stream/*') and ':table/' in arn else plain
        checks.holds(f'the role {name} has no wildcard resource', '*' not in plain, f'{action} on {arn}')


def alarm(namespace, metric, dimension, statistic, threshold, actions):
    return {
        'namespace': namespace, 'metric': metric, 'dimension': dimension, 'statistic': statistic,
        'threshold': threshold, 'period': 300, 'periods': 1, 'comparison': 'GreaterThanOrEqualToThreshold',
        'missing': 'notBreaching', 'described': True, 'enabled': True, 'alarm_actions': actions, 'ok_actions': actions,
    }


def judge_alarms(checks, alarms, choice):
    actions = [choice.alarm_topic] if choice.alarm_topic else []
    expected = [
        alarm('AWS/Lambda', metric, {'FunctionName': f'{choice.name}-{name}'}, 'Sum', 1, actions)
        for name in FUNCTIONS for metric in ('Errors', 'Throttles')
    ]
    stream = {'FunctionName': f'{choice.name}-stream'}
    expected.append(alarm('AWS/Lambda', 'IteratorAge', stream, 'Maximum', 300_000, actions))
    queue = {'QueueName': f'{choice.name}-stream-failures'}
    expected.append(alarm('AWS/SQS', 'ApproximateNumberOfMessagesVisible', queue, 'Maximum', 1, actions))
    for one in alarms:
        checks.holds('an alarm is one of those expected', one in expected, one)
    for one in expected:
        checks.holds(f'there is an alarm of {one["metric"]} for {one["dimension"]}', one in alarms,
                     [other for other in alarms if other['metric'] == one['metric']])
