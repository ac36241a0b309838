"""Deploys deploy/sam/template.yaml to ministack's CloudFormation, and prints the stack's outputs as one line of JSON.

Usage: deploy_sam.py TEMPLATE ENDPOINT ZIP [PARAMETER=VALUE...]

It is how the functions are tried where there is no terraform. The zip goes into a bucket as `sam deploy` puts it there,
the template through AWS's own translator; then CloudFormation makes the stack `discfg` in the account 000000000000. For
the functions to find the stand-in, it must have been started with AWS_ENDPOINT_URL set to its own address.

What stands there has less than on AWS: ministack 1.5.33 drops a table's time to live and point-in-time recovery, a
stage's throttling and the schedule's EventInvokeConfig, and finds that lists of ARNs are never empty. check_sam.py
judges the template itself for that, and check_terraform.py what Terraform makes of the same resources.
"""
import json
import sys
import time
from pathlib import Path

from check_sam import load, translate
from stand_in import StandIn, StandInError

STACK, BUCKET = 'discfg', 'discfg-deployment'
VERSION = '2010-05-15'
SECONDS = 120


def upload(aws, archive):
    aws.send('s3', 'PUT', f'/{BUCKET}', {}, b'')
    path = f'{BUCKET}/discfg-lambda.zip'
    aws.send('s3', 'PUT', f'/{path}', {'Content-Type': 'application/zip'}, Path(archive).read_bytes())
    return f's3://{path}'


def create(aws, template, given):
    parameters = {}
    for number, (name, value) in enumerate(given.items(), 1):
        parameters[f'Parameters.member.{number}.ParameterKey'] = name
        parameters[f'Parameters.member.{number}.ParameterValue'] = value
    aws.query('cloudformation', VERSION, 'CreateStack', StackName=STACK, TemplateBody=json.dumps(template),
              **{'Capabilities.member.1': 'CAPABILITY_IAM'}, **parameters)


def finished(aws):
    """The stack, once nothing is under way in it."""
    end = time.monotonic() + SECONDS
    while True:
        stack = aws.query('cloudformation', VERSION, 'DescribeStacks', StackName=STACK).find('.//Stacks/member')
        status = stack.findtext('StackStatus')
        if not status.endswith('_IN_PROGRESS'):
            return stack, status
        if time.monotonic() > end:
            raise SystemExit(f'the stack is {status} after {SECONDS} s')
        time.sleep(0.1)


def complaints(aws):
    events = aws.query('cloudformation', VERSION, 'DescribeStackEvents', StackName=STACK)
    return [
        f'{event.findtext("LogicalResourceId")}: {event.findtext("ResourceStatusReason")}'
        for event in events.iter('member') if (event.findtext('ResourceStatus') or '').endswith('_FAILED')
    ]


def main():
    if len(sys.argv) < 4 or any('=' not in argument for argument in sys.argv[4:]):
        raise SystemExit('usage: deploy_sam.py TEMPLATE ENDPOINT ZIP [PARAMETER=VALUE...]')
    path, endpoint, archive = sys.argv[1:4]
    given = dict(argument.split('=', 1) for argument in sys.argv[4:])
    aws = StandIn(endpoint, account='test')  # the key of the account 000000000000 itself
    create(aws, translate(load(path), given, upload(aws, archive)), given)
    stack, status = finished(aws)
    if status != 'CREATE_COMPLETE':
        raise SystemExit('\n'.join([f'the stack is {status}', *complaints(aws)]))
    outputs = {one.findtext('OutputKey'): one.findtext('OutputValue') for one in stack.findall('Outputs/member')}
    print(json.dumps(outputs))


if __name__ == '__main__':
    try:
        main()
    except StandInError as error:
        raise SystemExit(str(error)) from error
