"""Proves deploy/terraform without AWS: applies the module to ministack, judges what stands there, and destroys it.

Usage: check_terraform.py MODULE ENDPOINT ZIP

MODULE is the module's folder, ENDPOINT the address of a ministack that does not check access (AUTH=false), ZIP any zip
with a `bootstrap`. Ends with 0 where all is right, with 1 otherwise, and with 77 and a line of reason where there is no
terraform, or no folder `registry.terraform.io` with the AWS provider: TF_PLUGIN_MIRROR names the folder that holds it.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from deployment import Checks, Choice, Place, judge
from stand_in import REGION, StandIn, StandInError, read, remains

SKIPPED = 77
SECONDS = 240  # for one command: with its waiting for queues and functions, an apply takes one minute
SERVICES = ('apigatewayv2', 'cloudwatch', 'cloudwatchlogs', 'dynamodb', 'iam', 'lambda', 'scheduler', 'sqs', 'sts')
NAME, TABLE = 'discfg', 'discfg'

# Where ministack 1.5.33 does not tell what it was given, so that a second plan would set it again. Only these
# attributes of these resources may differ there; each entry says why, and how they are judged all the same.
BLIND = {
    # Over the query protocol, which the provider speaks, DescribeAlarms leaves these members out. (To ignore them with
    # a `lifecycle` does not help: the provider refuses an alarm that it finds without a statistic.) Over the JSON
    # protocol they are there, and judge_alarms compares them.
    'aws_cloudwatch_metric_alarm': {
        'actions_enabled', 'alarm_actions', 'alarm_description', 'dimensions', 'ok_actions', 'period', 'statistic',
        'treat_missing_data',
    },
    # It gives a JWT authoriser the payload format 2.0 unasked; AWS has one for Lambda authorisers only, and judge_http
    # compares what a JWT is checked against.
    'aws_apigatewayv2_authorizer': {'authorizer_payload_format_version'},
}

# Modules that must be refused, and what says so: `validate` what is wrong by itself, `plan` what is wrong together.
REFUSED = {
    'validate': {
        'open': ({'auth': 'NONE'}, 'there is no open API'),
        'wildcard': ({'topic_arns': ['arn:aws:sns:us-east-1:123456789012:*']}, 'without wildcards'),
        'no_zip': ({'zip': 'missing.zip'}, 'run “make lambda”'),
    },
    'plan': {
        'no_issuer': ({'auth': 'JWT', 'jwt_audience': ['discfg']}, 'needs jwt_issuer'),
        'no_audience': ({'auth': 'JWT', 'jwt_issuer': 'https://issuer.example.com'}, 'needs jwt_audience'),
        'empty_audience': ({'auth': 'JWT', 'jwt_issuer': 'https://issuer.example.com', 'jwt_audience': ['']},
                           'needs jwt_audience'),
    },
}


def skip(reason):
    print(f'skipped: {reason}')
    raise SystemExit(SKIPPED)


# --- What the machine has.


def fits(mirror):
    """Whether a folder of plugins has an AWS provider that the module takes: 5.100 or later, before 7."""
    folder = mirror / 'registry.terraform.io' / 'hashicorp' / 'aws'
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return False  # not there, or not ours to look into
    versions = [re.search(r'(\d+)\.(\d+)\.\d+', name) for name in names]
    return any((5, 100) <= (int(found[1]), int(found[2])) < (7, 0) for found in versions if found)


def folders(root, depth):
    """The folders below a root, those near to it first, links not followed."""
    level = [root]
    for _ in range(depth):
        below = []
        for folder in level:
            try:
                below += [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
            except OSError:
                continue  # gone, or not ours to look into
        yield from below
        level = below


def find_mirror():
    named = os.environ.get('TF_PLUGIN_MIRROR')
    known = [named] if named else ['~/.terraform.d/plugins', '/usr/share/terraform/plugins',
                                   '/usr/local/share/terraform/plugins']
    for path in known:
        if fits(Path(path).expanduser()):
            return Path(path).expanduser()
    for root in () if named else ('opt', 'usr', 'srv', 'var'):
        for folder in folders(Path('/') / root, depth=4):
            if folder.name == 'registry.terraform.io' and fits(folder.parent):
                return folder.parent
    place = f'in TF_PLUGIN_MIRROR={named}' if named else 'on this machine; TF_PLUGIN_MIRROR can name its folder'
    return skip(f'there is no registry.terraform.io with hashicorp/aws 5.100 or later {place}')


def find_terraform():
    program = shutil.which('terraform') or skip('there is no terraform on the PATH')
    environment = {name: value for name, value in os.environ.items() if not name.startswith('TF_')}
    answer = subprocess.run([program, 'version', '-json'], capture_output=True, text=True, env=environment, check=True)
    version = json.loads(answer.stdout)['terraform_version']
    if tuple(int(part) for part in version.split('.')[:2]) < (1, 9):
        skip(f'terraform {version} is older than 1.9, which the module needs')
    return program


# --- Terraform in a temporary folder.


class Terraform:
    """A copy of the module with a root module that uses it on the stand-in."""

    def __init__(self, program, mirror, module, aws, archive, folder):
        self.program, self.aws, self.archive, self.folder = program, aws, archive, folder
        self.module = folder / 'module'
        shutil.copytree(module, self.module, ignore=shutil.ignore_patterns('.terraform*', '*.tfstate*'))
        settings = folder / 'terraform.rc'
        settings.write_text(
            'provider_installation {\n  filesystem_mirror {\n'
            f'    path    = {json.dumps(str(mirror))}\n'
            '    include = ["registry.terraform.io/hashicorp/aws"]\n  }\n}\n')
        # No account, no endpoint and no cache of this machine.
        self.environment = {
            'PATH': os.environ['PATH'], 'HOME': str(folder), 'TMPDIR': str(folder), 'LC_ALL': 'C.UTF-8',
            'TF_CLI_CONFIG_FILE': str(settings), 'TF_IN_AUTOMATION': '1', 'TF_INPUT': '0', 'CHECKPOINT_DISABLE': '1',
            'AWS_EC2_METADATA_DISABLED': 'true',
        }

    def write(self, modules):
        """Writes the root module: the provider, and modules of this copy by name, with their variables."""
        provider = {
            'region': REGION, 'access_key': self.aws.account, 'secret_key': 'test',
            'skip_credentials_validation': True, 'skip_metadata_api_check': True,
            'endpoints': {service: self.aws.endpoint for service in SERVICES},
        }
        root = {
            'provider': {'aws': provider},
            'module': {
                name: {'source': './module', 'zip': self.archive, **given} for name, given in modules.items()
            },
            'output': {'discfg': {'value': '${module.discfg}'}},
        }
        (self.folder / 'main.tf.json').write_text(json.dumps(root, indent=2))

    def run(self, *arguments):
        """Runs a command; its exit code and all that it said."""
        running = subprocess.Popen(
            [self.program, f'-chdir={self.folder}', *arguments], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            said, _ = running.communicate(timeout=SECONDS)
            return running.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            return -1, f'terraform {arguments[0]} took longer than {SECONDS} s\n{running.communicate()[0]}'
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)

    def events(self, *arguments):
        """Runs a command that speaks JSON: its exit code, and what it said, a line each."""
        code, said = self.run(*arguments)
        return code, [json.loads(line) if line.startswith('{') else {'@message': line} for line in said.splitlines()]


def errors(events):
    """What `apply -json` and `plan -json` complained of."""
    return complaints([event['diagnostic'] for event in events if event.get('type') == 'diagnostic'])


def complaints(diagnostics):
    return [f'{one["summary"]}: {one.get("detail", "")}' for one in diagnostics if one['severity'] == 'error']


def variables(choice):
    """The module's variables for what somebody chose; what is as the module has it is left to the module."""
    chosen = {
        'auth': choice.auth, 'jwt_issuer': choice.issuer, 'jwt_audience': choice.audience,
        'function_url': choice.function_url, 'topic_arns': choice.topics, 'queue_arns': choice.queues,
        'event_bus_arns': choice.buses, 'alarm_topic_arn': choice.alarm_topic, 'api_concurrency': choice.concurrency,
        'deletion_protection': choice.protected, 'api_memory': choice.memory, 'throttle_rate': choice.rate,
        'throttle_burst': choice.burst, 'batch_window': choice.window, 'log_level': choice.log_level,
        'log_retention': choice.retention,
    }
    usual = Choice()
    names = dict(zip(chosen, (
        'auth', 'issuer', 'audience', 'function_url', 'topics', 'queues', 'buses', 'alarm_topic', 'concurrency',
        'protected', 'memory', 'rate', 'burst', 'window', 'log_level', 'retention')))
    return {name: value for name, value in chosen.items() if value != getattr(usual, names[name])}


def other_choice(account):
    """Everything else than the defaults."""
    def arn(service, name):
        return f'arn:aws:{service}:{REGION}:{account}:{name}'

    return Choice(
        auth='JWT', issuer='https://issuer.example.com', audience=['discfg', 'ops'], function_url=True,
        topics=[arn('sns', 'changes'), arn('sns', 'audit')], queues=[arn('sqs', 'changes')],
        buses=[arn('events', 'event-bus/changes')], alarm_topic=arn('sns', 'alarms'), concurrency=7, protected=False,
        memory=512, rate=5, burst=9, window=1, log_level='debug', retention=7)


# --- The steps.


def check_format(checks, terraform):
    code, said = terraform.run('fmt', '-check', '-diff', '-recursive', 'module')
    checks.same('terraform fmt -check', (code, said), (0, ''))


def check_start(checks, terraform):
    terraform.write({'discfg': {}, **{name: given for group in REFUSED.values() for name, (given, _) in group.items()}})
    code, said = terraform.run('init', '-no-color')
    checks.same('terraform init', (code, said if code else ''), (0, ''))


def check_refusals(checks, terraform, command):
    """No value opens the API, and what a JWT is checked against must be given; the error says which variable it is."""
    group = REFUSED[command]
    terraform.write({'discfg': {}, **{name: given for name, (given, _) in group.items()}})
    if command == 'validate':
        _, said = terraform.run('validate', '-json')
        found = complaints(json.loads(said)['diagnostics'])
    else:
        found = errors(terraform.events('plan', '-json', '-lock=false')[1])
    for words in {words for _, words in group.values()}:
        modules = [f'{name} with {given}' for name, (given, said) in group.items() if said == words]
        checks.same(f'“{words}” is said of {", ".join(modules)}', sum(words in one for one in found), len(modules))
    checks.same('what is said of them', len(found), len(group))


def check_validity(checks, terraform):
    terraform.write({'discfg': {}})
    code, said = terraform.run('validate', '-json')
    checks.same('terraform validate', (code, json.loads(said)['diagnostics']), (0, []))


def check_state(checks, terraform, choice):
    made, stream, api = read(terraform.aws, NAME, TABLE)
    judge(checks, made, choice, Place(REGION, terraform.aws.account, stream, api))


def check_outputs(checks, terraform, choice):
    _, said = terraform.run('output', '-json', 'discfg')
    outputs = json.loads(said)
    names = ['api_arn', 'api_url', 'failure_queue', 'function_url', 'store', 'table_arn', 'table_name']
    checks.same('the outputs', sorted(outputs), names)
    checks.same('the output store', outputs['store'], f'dynamodb:{TABLE}?region={REGION}')
    checks.same('the output function_url', outputs['function_url'] is not None, choice.function_url)
    for name in ('api_url', 'api_arn', 'failure_queue', 'table_arn', 'table_name'):
        checks.holds(f'the output {name}', outputs[name], outputs)


def apply(checks, terraform, choice):
    """Applies; the changes that were planned, by action."""
    terraform.write({'discfg': variables(choice)})
    code, events = terraform.events('apply', '-json', '-auto-approve')
    checks.same('terraform apply', (code, errors(events)), (0, []))
    changes = [event['change'] for event in events if event.get('type') == 'planned_change']
    return {action: [change['resource']['addr'] for change in changes if change['action'] == action]
            for action in {change['action'] for change in changes}}


def check_second_plan(checks, terraform):
    """Nothing would be changed but what the stand-in does not tell."""
    code, said = terraform.run('plan', '-no-color', '-detailed-exitcode', '-out=again')
    checks.holds('terraform plan after the apply', code in (0, 2), said)
    _, said = terraform.run('show', '-json', 'again')
    plan = json.loads(said)
    for change in plan['resource_changes']:
        kind, actions = change['type'], change['change']['actions']
        sides = (change['change'].get(side) or {} for side in ('before', 'after', 'after_unknown'))
        differing = differences(*sides)
        if actions == ['update']:
            differing = {name: sides for name, sides in differing.items() if name not in BLIND.get(kind, ())}
        elif actions == ['no-op']:
            differing = {}
        destroyed = 'delete' in actions
        checks.same(f'what a second plan does with {change["address"]}', (destroyed, differing), (False, {}))
    outputs = {name: change['actions'] for name, change in plan.get('output_changes', {}).items()}
    checks.same('what a second plan does with the outputs', outputs, {'discfg': ['no-op']})


def differences(before, after, after_unknown):
    """The attributes that a plan changes, before and after; `...` is not known yet."""
    after = {**after, **{name: ... for name, unknown in after_unknown.items() if unknown is True}}
    return {name: (before.get(name), value) for name, value in after.items() if before.get(name) != value}


def check_protection(checks, terraform):
    """The table cannot be deleted, whoever tries."""
    try:
        terraform.aws.call('dynamodb', 'DeleteTable', TableName=TABLE)
        checks.holds('the table is protected', False, 'DeleteTable was carried out')
    except StandInError as error:
        checks.holds('the table is protected', 'protect' in error.text, error.text)


def check_change(checks, terraform, choice):
    """Other choices change what is there; nothing is made anew, least of all the table."""
    actions = apply(checks, terraform, choice)
    checks.same('actions beside reading, creating and updating', set(actions) - {'create', 'read', 'update'}, set())
    route = 'module.discfg.aws_apigatewayv2_route.default'
    checks.holds('the route is updated in place', route in actions.get('update', []), actions)


def check_destruction(checks, terraform):
    code, said = terraform.run('destroy', '-no-color', '-auto-approve')
    checks.same('terraform destroy', (code, said if code else ''), (0, ''))
    checks.same('what is left', remains(terraform.aws), {})


def prove(checks, terraform):
    """All steps in order; ends at the first that leaves nothing for the next ones to look at."""
    usual, other = Choice(), other_choice(terraform.aws.account)
    with checks.section('terraform fmt -check'):
        check_format(checks, terraform)
    with checks.section('terraform init, from the mirror alone'):
        check_start(checks, terraform)
    if checks.wrong:
        return
    for command, group in REFUSED.items():
        with checks.section(f'terraform {command} refuses {", ".join(group)}'):
            check_refusals(checks, terraform, command)
    with checks.section('terraform validate'):
        check_validity(checks, terraform)
    for title, choice in (('the defaults', usual), ('everything chosen otherwise', other)):
        with checks.section(f'terraform apply, {title}'):
            if choice is usual:
                apply(checks, terraform, choice)
            else:
                check_change(checks, terraform, choice)
        if checks.wrong:
            return
        with checks.section(f'table, functions, API, stream, schedule, roles, alarms, outputs, {title}'):
            check_state(checks, terraform, choice)
            check_outputs(checks, terraform, choice)
        if choice.protected:
            with checks.section('the table is protected'):
                check_protection(checks, terraform)
        with checks.section(f'a second plan changes nothing, {title}'):
            check_second_plan(checks, terraform)
    with checks.section('terraform destroy leaves nothing'):
        check_destruction(checks, terraform)


def main():
    if len(sys.argv) != 4:
        raise SystemExit('usage: check_terraform.py MODULE ENDPOINT ZIP')
    module, endpoint, archive = Path(sys.argv[1]).resolve(), sys.argv[2], str(Path(sys.argv[3]).resolve())
    program, mirror = find_terraform(), find_mirror()
    # So that a command that is under way is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    aws = StandIn(endpoint, account=str(random.randrange(10**11, 10**12)))
    aws.check_health()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix='discfg-terraform-') as folder:
        prove(checks, Terraform(program, mirror, module, aws, archive, Path(folder)))
    return checks.finish()


if __name__ == '__main__':
    sys.exit(main())
