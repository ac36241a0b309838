#!/usr/bin/env python3
"""Writes what botocore makes of shared files, profiles, endpoints, commands and times.

The tests of AWSClient compare themselves with it. Run it again after adding a case:

    pip install botocore==1.43.11
    python3 Scripts/make-profile-vectors.py > Libraries/AWSClient/Tests/Fixtures/profile-vectors.json

A case may have "ours": what AWSClient does instead, and "why". `{folder}` and `{server}` in a case stand for the folder
with its files, and for the address of a server that plays AWS STS, a container's endpoint and instance metadata.
"""

import json
import os
import shlex
import sys
import tempfile
from unittest import mock

import botocore
import botocore.configloader as loader
import botocore.credentials as credentials
import botocore.exceptions
import botocore.session
from dateutil.parser import parse as parse_time

ERROR, NONE = "error", "none"


def ini_cases():
    yield "plain", "[default]\nregion = eu-west-1\noutput=json\n"
    yield "no newline at the end", "[default]\nregion = eu-west-1"
    yield "carriage returns", "[default]\r\nregion = eu-west-1\r\n[profile a]\r\nregion=x\r\n"
    yield "empty", ""
    yield "comments alone", "# one\n; two\n\n"
    yield "comments at the start", "# one\n[default]\n; two\n# three\nregion = a\n  # four\noutput = b\n"
    yield "colon", "[default]\nregion: eu-west-1\nrole_arn = arn:aws:iam::1:role/x\n"
    yield "equals sign in the value", "[default]\naws_secret_access_key = a=b==\n"
    yield "capitals in names", "[default]\nRegion = EU\n[Profile a]\nregion = x\n"
    yield "names with spaces", "[default]\nmy region = x\n"
    yield "empty value", "[default]\nregion =\noutput = b\n"
    yield "nested", "[default]\ns3 =\n  endpoint_url = http://a:1\n  Max = 2\nregion = x\n"
    yield "nested with tabs", "[services local]\ndynamodb =\n\tendpoint_url=http://a:1\n\nsts = \n   endpoint_url = b\n"
    yield "nested with a comment", "[default]\ns3 =\n  # one\n  a = b\n  ; two\n  c = d\n"
    yield "nested with an empty line", "[default]\ns3 =\n  a = b\n\n  c = d\n\n[profile x]\nq = r\n"
    yield "nested without a sign", "[default]\ns3 =\n  endpoint\n"
    yield "nested with a colon alone", "[default]\ns3 =\n  a: b\n"
    yield "continued", "[default]\ncredential_process = one\n  two\n    three\nregion = x\n"
    yield "continued over an empty line", "[default]\na = one\n\n  two\nb = c\n"
    yield "continued by what looks like a header", "[default]\na = one\n  [profile b]\nc = d\n"
    yield "continued by what looks like a setting", "[default]\na = one\n  b = two\n"
    yield "indented settings", "[default]\n  a = one\n  b = two\n"
    yield "indented header", "  [default]\na = one\n"
    yield "less and less indented", "[default]\n    a = one\n  b = two\nc = three\n"
    yield "behind a header", "[default] # one\nregion = a\n"
    yield "brackets in a header", "[profile a]b]\nregion = x\n"
    yield "empty header", "[]\nregion = x\n"
    yield "quoted profile", '[profile "my profile"]\nregion = x\n[profile \'b c\']\nregion = y\n'
    yield "odd headers", "[profile]\na=b\n[profile a b]\na=b\n[profilex y]\na=b\n[profile \"z]\na=b\n[other]\na=b\n"
    yield "profile default", "[default]\na = 1\nb = 2\n[profile default]\na = 3\n"
    yield "profile default first", "[profile default]\na = 3\n[default]\nb = 2\n"
    yield "sso session", "[sso-session s]\nsso_region = x\n[profile a]\nsso_session = s\n"
    yield "preview", "[preview]\ncloudfront = true\n[plugins]\na = b\n"
    yield "DEFAULT", "[DEFAULT]\nregion = all\n[default]\na = b\n[profile x]\nregion = own\n"
    yield "spaces of all kinds", "[default]\n \t\na\t=\t b \t\n\fc = d\n"
    yield "not ASCII", "[profile ü]\nregion = é\nkey = 🔑 x\n"
    yield "setting before a header", "region = x\n[default]\na = b\n"
    yield "neither header nor setting", "[default]\nregion\n"
    yield "no name", "[default]\n= x\n"
    # What botocore does not take, or takes otherwise.
    merged = "Two sections of one name are one."
    yield ("section twice", "[default]\na = 1\nb = 2\n[profile x]\n[default]\na = 3\n",
           {"default": {"a": "3", "b": "2"}, "profile x": {}}, merged)
    yield "setting twice", "[default]\na = 1\na = 2\n", {"default": {"a": "2"}}, merged
    comment = "What follows a space and a comment's sign is a comment, as in AWS's other SDKs."
    yield ("comment behind a value", "[default]\na = b # c\nd = e;f\ng = h ; i\nj = k#l\n",
           {"default": {"a": "b", "d": "e;f", "g": "h", "j": "k#l"}}, comment)
    yield "comment for a value", "[default]\na = # c\nb = c\n", {"default": {"a": "", "b": "c"}}, comment
    yield ("comment behind a nested value", "[default]\ns3 = # x\n  a = b # c\n",
           {"default": {"s3": {"a": "b"}}}, comment)
    yield "byte order mark", "\ufeff[default]\na = b\n", {"default": {"a": "b"}}, "Some editors write one."


def ini_vectors(folder):
    for name, text, *ours in ini_cases():
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            file.write(text.encode())
        case = {"name": name, "text": text}
        try:
            case["sections"] = loader.raw_config_parse(path)
            case["map"] = {key: value for key, value in loader.load_config(path).items()
                           if key in ("profiles", "sso_sessions", "services")}
        except botocore.exceptions.ConfigParseError:
            case["sections"] = ERROR
        if len(ours) == 2:
            case["ours"], case["why"] = ours
        yield case


SHELL = [
    "one two", " one\ttwo\nthree ", "", "  ", "'a b' c", '"a b" c', "a'b'c", 'a"b"c', "''", '"" x', "a\\ b", '"a\\"b"',
    '"a\\b"', '"a\\\\b"', "'a\\b'", "a\\'b", "'it'\\''s'", "/x --y='a b' z", "a # b", "a|b;c&d>e", "$HOME `x` *",
    "'open", '"open', "end\\", "ü 'ß é'", "profile 'a b'", "a\\\nb",
]

TIMES = [
    "2026-11-22T10:00:00Z", "2026-11-22T10:00:00.5Z", "2026-11-22T10:00:00.123456Z", "2026-11-22T10:00:00+00:00",
    "2026-11-22T12:00:00+02:00", "2026-11-22T05:30:00-0430", "2026-11-22 10:00:00Z", "2024-02-29T23:59:59Z",
    "2000-03-01T00:00:00Z", "2100-12-31T00:00:00Z", "1970-01-01T00:00:00Z", "2026-11-22T10:00:00z",
]


def keys(name, **more):
    lines = [f"aws_access_key_id = {name}", f"aws_secret_access_key = SECRET-{name}"]
    return "\n".join(lines + [f"{key} = {value}" for key, value in more.items()]) + "\n"


def variables(name="ENV", **more):
    return {"AWS_ACCESS_KEY_ID": name, "AWS_SECRET_ACCESS_KEY": f"SECRET-{name}"} | more


PROCESS = {"keys.json": json.dumps({"Version": 1, "AccessKeyId": "PROC", "SecretAccessKey": "SECRET-PROC"})}
TOKEN = {"token": "SECRET-JWT"}
CONTAINER = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "{server}/container"}
INSTANCE = {"AWS_EC2_METADATA_DISABLED": "false"}
WEB = {"AWS_WEB_IDENTITY_TOKEN_FILE": "{folder}/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/web"}
COMMAND = "credential_process = cat '{folder}/keys.json'\n"


def role(name, **more):
    lines = [f"role_arn = arn:aws:iam::1:role/{name}"] + [f"{key} = {value}" for key, value in more.items()]
    return "\n".join(lines) + "\n"


def layout_cases():
    """Name, and what is there: config, credentials, env, profile, files, ours, why."""
    d = "[default]\n"
    yield "nothing", {}
    yield "variables", {"env": variables()}
    yield "variables with a token", {"env": variables(AWS_SESSION_TOKEN="SECRET-T")}
    yield "variables before the files", {"env": variables(), "credentials": d + keys("CRED")}
    yield "variables before a profile that a variable names", {
        "env": variables(AWS_PROFILE="a"), "config": "[profile a]\n" + keys("CONF")}
    yield "a profile that was passed before variables", {
        "env": variables(), "profile": "a", "config": "[profile a]\n" + keys("CONF")}
    yield "a profile that was passed before one in a variable", {
        "env": {"AWS_PROFILE": "b"}, "profile": "a", "config": "[profile a]\n" + keys("A") + "[profile b]\n" + keys("B")}
    yield "AWS_PROFILE", {"env": {"AWS_PROFILE": "a"}, "credentials": "[a]\n" + keys("A") + d + keys("D")}
    yield "AWS_DEFAULT_PROFILE", {"env": {"AWS_DEFAULT_PROFILE": "a"}, "credentials": "[a]\n" + keys("A") + d + keys("D")}
    yield "both variables of a profile", {
        "env": {"AWS_PROFILE": "a", "AWS_DEFAULT_PROFILE": "b"},
        "credentials": "[a]\n" + keys("A") + "[b]\n" + keys("B"),
        "ours": {"key": "A", "calls": []}, "why": "AWS_PROFILE is first in the command line and all other SDKs."}
    yield "a profile that is not there", {"env": {"AWS_PROFILE": "x"}, "credentials": d + keys("D")}
    yield "a profile that was passed and is not there", {"profile": "x", "credentials": d + keys("D")}
    yield "keys in both files", {"config": d + keys("CONF"), "credentials": d + keys("CRED")}
    yield "keys in the config", {"config": d + keys("CONF"), "credentials": "[other]\n" + keys("CRED")}
    yield "keys with both tokens", {
        "credentials": d + keys("CRED", aws_security_token="SECRET-1", aws_session_token="SECRET-2")}
    yield "half a pair in the variables", {"env": {"AWS_ACCESS_KEY_ID": "ENV"}}
    yield "the other half in the variables", {
        "env": {"AWS_SECRET_ACCESS_KEY": "SECRET-ENV"}, "credentials": d + keys("CRED"),
        "ours": {"error": True}, "why": "Half a pair is a mistake, whichever half it is."}
    yield "half a pair in the credentials", {"credentials": d + "aws_access_key_id = X\n"}
    yield "the other half in the credentials", {
        "credentials": d + "aws_secret_access_key = SECRET\n", "ours": {"error": True},
        "why": "Half a pair is a mistake, whichever half it is."}
    yield "[profile x] in the credentials", {"credentials": "[profile a]\n" + keys("A"), "env": {"AWS_PROFILE": "a"}}
    yield "[x] in the config", {"config": "[a]\n" + keys("A"), "env": {"AWS_PROFILE": "a"}}
    yield "a process", {"config": d + COMMAND, "files": PROCESS}
    yield "a process in the credentials", {"credentials": d + COMMAND, "files": PROCESS}
    yield "keys in the credentials before a process", {
        "config": d + COMMAND, "credentials": d + keys("CRED"), "files": PROCESS}
    yield "a process before keys in the config", {"config": d + keys("CONF") + COMMAND, "files": PROCESS}
    yield "a process that fails", {"config": d + "credential_process = false\n"}
    yield "a process with an open quote", {"config": d + "credential_process = cat 'x\n"}
    yield "a container", {"env": CONTAINER}
    yield "an instance", {"env": INSTANCE}
    yield "a container before an instance", {"env": CONTAINER | INSTANCE}
    yield "the files before a container", {"env": CONTAINER, "config": d + keys("CONF")}
    yield "a profile that has none before a container", {
        "env": CONTAINER, "profile": "a", "config": "[profile a]\nregion = x\n" + d + keys("D")}
    yield from role_cases(d)
    yield from web_cases(d)
    sso = "sso_account_id = 1\nsso_role_name = r\nsso_start_url = https://x\nsso_region = eu-west-1\n"
    yield "sso", {"config": d + "sso_role_name = r\n" + keys("CONF")}
    yield "sso before the credentials file", {
        "config": d + sso, "credentials": d + keys("CRED")}
    yield "an sso session that no role belongs to", {
        "config": d + "sso_session = s\n" + keys("CONF") + "[sso-session s]\nsso_region = x\n"}
    yield "a login session", {"config": d + "login_session = x\n"}
    yield "keys before a login session", {"config": d + "login_session = x\n", "credentials": d + keys("CRED")}


def role_cases(d):
    base = "[profile base]\n" + keys("BASE")
    yield "a role", {"config": d + role("r", source_profile="base") + base}
    yield "a role with everything", {"config": d + role(
        "r", source_profile="base", external_id="x y&z", role_session_name="me", duration_seconds="1800") + base}
    yield "a role before keys of its own", {"config": d + role("r", source_profile="base") + keys("OWN") + base}
    yield "variables before a role", {"env": variables(), "config": d + role("r", source_profile="base") + base}
    yield "a role with keys of the credentials file", {
        "config": "[profile a]\n" + role("r", source_profile="base"), "credentials": "[base]\n" + keys("CRED"),
        "env": {"AWS_PROFILE": "a"}}
    yield "a role in the credentials file", {
        "credentials": "[a]\n" + role("r", source_profile="b") + "[b]\n" + keys("B"), "profile": "a"}
    yield "a role with its own keys", {"config": d + role("r", source_profile="default") + keys("OWN")}
    yield "a role of itself without keys", {"config": d + role("r", source_profile="default")}
    chain = "[profile a]\n" + role("ra", source_profile="b") + "[profile b]\n" + role("rb", source_profile="base")
    yield "a chain", {"config": chain + base, "profile": "a"}
    yield "a chain that ends at keys", {
        "config": chain + base.replace("[profile base]\n", "[profile base]\n" + role("no", source_profile="a")),
        "profile": "a"}
    circle = "[profile a]\n" + role("ra", source_profile="b") + "[profile b]\n" + role("rb", source_profile="a")
    yield "a circle", {"config": circle, "profile": "a"}
    yield "a circle that has keys at its start", {"config": circle.replace("[profile b]", keys("A") + "[profile b]"), "profile": "a"}
    yield "no such source profile", {"config": d + role("r", source_profile="x")}
    yield "a source profile without credentials", {"config": d + role("r", source_profile="b") + "[profile b]\nregion = x\n"}
    yield "neither source", {"config": d + role("r")}
    yield "both sources", {"config": d + role("r", source_profile="base", credential_source="Environment") + base}
    yield "the environment as the source", {
        "config": "[profile a]\n" + role("r", credential_source="Environment"), "env": variables(), "profile": "a"}
    yield "an empty environment as the source", {"config": d + role("r", credential_source="Environment")}
    yield "the container as the source", {"config": d + role("r", credential_source="EcsContainer"), "env": CONTAINER}
    yield "the instance as the source", {"config": d + role("r", credential_source="Ec2InstanceMetadata"), "env": INSTANCE}
    yield "an unknown source", {"config": d + role("r", credential_source="Moon")}
    yield "a source in small letters", {"config": d + role("r", credential_source="environment"), "env": {}}
    yield "a process as the source", {
        "config": d + role("r", source_profile="p") + "[profile p]\n" + COMMAND, "files": PROCESS}
    yield "a duration that is no number", {
        "config": d + role("r", source_profile="base", duration_seconds="long") + base,
        "ours": {"error": True}, "why": "A setting that cannot be understood is not passed over."}


def web_cases(d):
    base = "[profile base]\n" + keys("BASE")
    web = "web_identity_token_file = {folder}/token\n"
    yield "a web identity in the variables", {"env": WEB, "files": TOKEN}
    yield "a web identity with a name", {"env": WEB | {"AWS_ROLE_SESSION_NAME": "pod"}, "files": TOKEN}
    yield "a web identity before keys", {"env": WEB, "files": TOKEN, "credentials": d + keys("CRED")}
    yield "a role before a web identity", {
        "env": WEB, "files": TOKEN, "config": d + role("r", source_profile="base") + base}
    yield "a profile that was passed before a web identity in the variables", {
        "env": WEB, "files": TOKEN, "profile": "base", "config": base}
    yield "a web identity of a profile", {"config": d + role("p", role_session_name="me") + web, "files": TOKEN}
    yield "a web identity of both", {"env": WEB, "config": d + role("p") + web, "files": TOKEN}
    yield "a web identity as the source", {
        "config": d + role("r", source_profile="w") + "[profile w]\n" + role("p") + web, "files": TOKEN}
    yield "a web identity without a role", {"env": {"AWS_WEB_IDENTITY_TOKEN_FILE": "{folder}/token"}, "files": TOKEN}
    yield "a web identity without its file", {"env": WEB}


class FakeSTS:
    def __init__(self, calls, signer=None):
        self.calls, self.signer = calls, signer

    def answer(self, action, arguments):
        name = arguments["RoleArn"].split("/")[-1]
        session = arguments.get("RoleSessionName", "")
        self.calls.append({key: value for key, value in {
            "action": action, "role": arguments["RoleArn"], "token": arguments.get("WebIdentityToken"),
            "session": None if session.startswith("botocore-session-") else session,
            "external": arguments.get("ExternalId"), "duration": arguments.get("DurationSeconds"),
            "signer": self.signer,
        }.items() if value is not None})
        return {"Credentials": {"AccessKeyId": f"ROLE-{name}", "SecretAccessKey": f"SECRET-{name}",
                                "SessionToken": f"SECRET-TOKEN-{name}", "Expiration": "2100-01-01T00:00:00Z"},
                "AssumedRoleUser": {}}

    def assume_role(self, **arguments):
        return self.answer("AssumeRole", arguments)

    def assume_role_with_web_identity(self, **arguments):
        return self.answer("AssumeRoleWithWebIdentity", arguments)


def layout_result(case, folder):
    def filled(text):
        return text.replace("{folder}", folder).replace("{server}", "http://127.0.0.1:1")

    for name, text in case.get("files", {}).items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name in ("config", "credentials"):
        with open(os.path.join(folder, name), "w") as file:
            file.write(filled(case.get(name, "")))
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "AWS_DEFAULT_REGION": "eu-west-1",
                   "AWS_CONFIG_FILE": os.path.join(folder, "config"), "AWS_EC2_METADATA_DISABLED": "true",
                   "AWS_SHARED_CREDENTIALS_FILE": os.path.join(folder, "credentials")}
    environment |= {name: filled(text) for name, text in case.get("env", {}).items()}
    calls = []

    def creator(session, region):
        return lambda service, aws_access_key_id=None, **arguments: FakeSTS(calls, aws_access_key_id)

    def remote(name):
        return {"AccessKeyId": name, "SecretAccessKey": "SECRET", "Token": "SECRET", "Expiration": "2100-01-01T00:00:00Z"}

    def instance(self):
        return {} if self._disabled else {
            "role_name": "r", "access_key": "INSTANCE", "secret_key": "SECRET", "token": "SECRET",
            "expiry_time": "2100-01-01T00:00:00Z"}

    with mock.patch.dict(os.environ, environment, clear=True), \
            mock.patch.object(credentials, "_get_client_creator", creator), \
            mock.patch.object(credentials.ContainerMetadataFetcher, "retrieve_full_uri",
                              lambda self, url, headers=None: remote("CONTAINER")), \
            mock.patch.object(credentials.InstanceMetadataFetcher, "retrieve_iam_role_credentials", instance):
        try:
            session = botocore.session.Session(profile=case.get("profile"))
            found = session.get_credentials()
            if found is None:
                return {"none": True}
            frozen = found.get_frozen_credentials()
            token = {"token": frozen.token} if frozen.token else {}
            return {"key": frozen.access_key, "calls": calls} | token
        except Exception as error:  # whatever it is, it is one for us, too
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            return {"error": True}


def layout_vectors():
    for name, case in layout_cases():
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name}: ", file=sys.stderr, end="")
            result = layout_result(case, folder)
            print(result, file=sys.stderr)
        yield {"name": name, "expected": result} | case


REGIONS = ["eu-west-1", "us-east-1", "cn-north-1", "us-gov-west-1", "us-iso-east-1", "us-isob-east-1", "us-isof-south-1",
           "eu-isoe-west-1", "eusc-de-east-1", "mars-north-7"]
SERVICES = {"dynamodb": "dynamodb", "dynamodbstreams": "dynamodb_streams", "sts": "sts", "kms": "kms", "sqs": "sqs",
            "sns": "sns", "lambda": "lambda"}


def endpoint_cases():
    for region in REGIONS:
        for service in SERVICES:
            yield service, {"AWS_DEFAULT_REGION": region}, ""
    one, all_ = {"AWS_ENDPOINT_URL_DYNAMODB": "http://one:1"}, {"AWS_ENDPOINT_URL": "https://all/base"}
    section = "[services s]\ndynamodb =\n  endpoint_url = http://section:1\n"
    profile = "[default]\nregion = eu-west-1\nservices = s\nendpoint_url = http://profile:1\n" + section
    ignored = {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}
    for service in SERVICES:
        for environment in (one, all_, one | all_, {}, ignored, ignored | all_, {"AWS_ENDPOINT_URL": ""}):
            yield service, environment, profile
    yield "dynamodbstreams", {"AWS_ENDPOINT_URL_DYNAMODB_STREAMS": "http://streams:1"}, profile
    yield "dynamodb", {}, profile.replace("services = s", "services = missing")
    yield "dynamodb", {}, profile.replace("region =", "ignore_configured_endpoint_urls = TRUE\nregion =")
    yield "dynamodb", {}, "[default]\nregion = us-west-2\n"
    yield "dynamodb", {"AWS_DEFAULT_REGION": "us-east-2"}, "[default]\nregion = us-west-2\n"
    yield "dynamodb", {"AWS_PROFILE": "a"}, "[default]\nregion = us-west-2\n[profile a]\nregion = ap-south-1\n"
    yield "dynamodb", {}, ""
    for region in ("a b", "a/b", "-a", "a-", "a.b", "x@evil.example", "1234", "a" * 64, "ü", "a" * 63):
        yield "dynamodb", {"AWS_DEFAULT_REGION": region}, ""
    for url in ("http://", "localhost:8000", "http://a b", "http://-a", "http://a_b", "http://[::1]:8000",
                "http://127.0.0.1:8000", "http://localhost:8000", "http://a..b"):
        yield "dynamodb", {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_ENDPOINT_URL": url}, ""


def endpoint_vectors(folder):
    path = os.path.join(folder, "config")
    for service, environment, config in endpoint_cases():
        with open(path, "w") as file:
            file.write(config)
        all_variables = environment | {"HOME": folder, "AWS_CONFIG_FILE": path}
        with mock.patch.dict(os.environ, all_variables, clear=True):
            try:
                client = botocore.session.Session().create_client(
                    service, aws_access_key_id="a", aws_secret_access_key="b")
                url = client.meta.endpoint_url
            except Exception:  # whatever it is, it is one for us, too
                url = ERROR
        yield {"service": SERVICES[service], "env": environment, "config": config, "url": url}


def main():
    with tempfile.TemporaryDirectory() as folder:
        vectors = {
            "botocore": botocore.__version__,
            "files": list(ini_vectors(folder)),
            "commands": [{"text": text, "words": words(text)} for text in SHELL],
            "times": [{"text": text, "seconds": parse_time(text).timestamp()} for text in TIMES],
            "layouts": list(layout_vectors()),
            "endpoints": list(endpoint_vectors(folder)),
        }
    json.dump(vectors, sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
    print()


def words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return None


if __name__ == "__main__":
    main()
