"""As much of CloudFormation as it takes to see what a template makes for given parameters, without AWS."""
import re

REGION = 'eu-central-1'
ACCOUNT = '123456789012'
STACK = 'discfg'
GONE = object()  # AWS::NoValue

PSEUDO = {
    'AWS::Region': REGION,
    'AWS::AccountId': ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::StackName': STACK,
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::NoValue': GONE,
}


class TemplateError(Exception):
    """A template that CloudFormation would refuse, or that this reader does not understand."""


def arn(service, rest):
    return f'arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}'


def table_attributes(name):
    table = arn('dynamodb', f'table/{name}')
    return {'Ref': name, 'Arn': table, 'StreamArn': f'{table}/stream/2026-01-01T00:00:00.000'}


def queue_attributes(name):
    return {'Ref': f'https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}', 'Arn': arn('sqs', name), 'QueueName': name}


# By type: the property that names the resource (none: its logical name does), and what Ref and GetAtt give for a name.
TYPES = {
    'AWS::DynamoDB::Table': ('TableName', table_attributes),
    'AWS::Lambda::Function': ('FunctionName', lambda name: {'Ref': name, 'Arn': arn('lambda', f'function:{name}')}),
    'AWS::Logs::LogGroup': ('LogGroupName', lambda name: {'Ref': name, 'Arn': arn('logs', f'log-group:{name}:*')}),
    'AWS::SQS::Queue': ('QueueName', queue_attributes),
    'AWS::IAM::Role': (None, lambda name: {'Ref': name, 'Arn': f'arn:aws:iam::{ACCOUNT}:role/{name}'}),
    'AWS::IAM::ManagedPolicy': (None, lambda name: {'Ref': f'arn:aws:iam::{ACCOUNT}:policy/{name}'}),
    'AWS::ApiGatewayV2::Api': (None, lambda name: {'Ref': name, 'ApiEndpoint': f'https://{name}.example.com'}),
    'AWS::Lambda::Url': (None, lambda name: {'Ref': name, 'FunctionUrl': f'https://{name}.example.com/'}),
}


class Template:
    """A template without transforms, for the given parameters."""

    def __init__(self, document, given):
        self.document = document
        self.parameters = self.values_of(document.get('Parameters', {}), given)

    @staticmethod
    def values_of(declared, given):
        unknown = set(given) - set(declared)
        if unknown:
            raise TemplateError(f'there are no parameters {sorted(unknown)}')
        values = {}
        for name, parameter in declared.items():
            value = str(given.get(name, parameter.get('Default', GONE)))
            if name not in given and 'Default' not in parameter:
                raise TemplateError(f'the parameter {name} must be given')
            if 'AllowedValues' in parameter and value not in [str(one) for one in parameter['AllowedValues']]:
                raise TemplateError(f'{name}={value} is none of the allowed values')
            if 'AllowedPattern' in parameter and not re.fullmatch(parameter['AllowedPattern'], value):
                raise TemplateError(f'{name}={value} does not match the allowed pattern')
            if parameter['Type'] == 'Number':
                least, most = (float(parameter.get(bound, value)) for bound in ('MinValue', 'MaxValue'))
                if not least <= float(value) <= most:
                    raise TemplateError(f'{name}={value} is not from {least:g} to {most:g}')
            is_list = parameter['Type'] in ('CommaDelimitedList', 'List<Number>', 'List<String>')
            values[name] = [part.strip() for part in value.split(',')] if is_list else value
        return values

    def broken_rules(self):
        """What the template's rules say against the parameters."""
        broken = []
        for rule in self.document.get('Rules', {}).values():
            if 'RuleCondition' in rule and not self.holds(rule['RuleCondition']):
                continue
            broken += [part['AssertDescription'] for part in rule['Assertions'] if not self.holds(part['Assert'])]
        return broken

    def holds(self, condition):
        (name, value), = condition.items()
        match name:
            case 'Fn::Equals':
                left, right = (self.resolve(part) for part in value)
                return left == right
            case 'Fn::Not':
                return not self.holds(value[0])
            case 'Fn::Or':
                return any([self.holds(part) for part in value])
            case 'Fn::And':
                return all([self.holds(part) for part in value])
            case 'Condition':
                return self.holds(self.document['Conditions'][value])
        raise TemplateError(f'the condition {name} is not understood')

    def is_made(self, part):
        return 'Condition' not in part or self.holds({'Condition': part['Condition']})

    def resources(self, kind=None):
        """The resources that are made, or those of a type, resolved: {logical name: properties}."""
        return {
            name: self.resolve(part.get('Properties', {}))
            for name, part in self.document['Resources'].items()
            if self.is_made(part) and kind in (None, part['Type'])
        }

    def outputs(self):
        return {
            name: self.resolve(part['Value'])
            for name, part in self.document.get('Outputs', {}).items() if self.is_made(part)
        }

    def attributes(self, name):
        part = self.document['Resources'].get(name)
        if part is None or not self.is_made(part):
            raise TemplateError(f'{name} is named, but not made for these parameters')
        naming, attributes = TYPES.get(part['Type'], (None, lambda own: {'Ref': own}))
        own = self.resolve(part['Properties'][naming]) if naming else name
        return attributes(own)

    def value(self, name):
        """What Ref, or GetAtt as NAME.ATTRIBUTE, gives."""
        if name in PSEUDO:
            return PSEUDO[name]
        if name in self.parameters:
            return self.parameters[name]
        resource, _, attribute = name.partition('.')
        attributes = self.attributes(resource)
        if (attribute or 'Ref') not in attributes:
            raise TemplateError(f'{name} is not understood')
        return attributes[attribute or 'Ref']

    def resolve(self, value):
        if isinstance(value, list):
            return [one for one in map(self.resolve, value) if one is not GONE]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, inner), = value.items()
            if name == 'Ref' or name.startswith('Fn::'):
                return self.call(name, inner)
        resolved = {name: self.resolve(inner) for name, inner in value.items()}
        return {name: inner for name, inner in resolved.items() if inner is not GONE}

    def call(self, name, inner):
        match name:
            case 'Ref':
                return self.value(inner)
            case 'Fn::GetAtt':
                return self.value('.'.join(inner) if isinstance(inner, list) else inner)
            case 'Fn::Sub' if isinstance(inner, str):
                return re.sub(r'\$\{([A-Za-z0-9:.]+)\}', lambda found: str(self.value(found[1])), inner)
            case 'Fn::If':
                return self.resolve(inner[1] if self.holds({'Condition': inner[0]}) else inner[2])
            case 'Fn::Join':
                return inner[0].join(str(part) for part in self.resolve(inner[1]))
            case 'Fn::Split':
                return self.resolve(inner[1]).split(inner[0])
        raise TemplateError(f'{name} of {inner!r} is not understood')
