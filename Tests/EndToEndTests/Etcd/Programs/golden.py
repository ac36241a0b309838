"""Proves that a fresh server answers the recorded cases as etcd 3.4.23 did.

Usage: golden.py v2|v3 URL [--except NAME]... [--recording FILE] [--headers]
The store must be fresh. A recorder (golden/rec_v2.py or golden/rec_v3.py) asks the server; golden/cmp.py compares with
the recording. A case that differs by intention is named with --except; it fails the run when it agrees after all.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / 'golden'
RECORDING_SECONDS = 300


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('api', choices=['v2', 'v3'])
    parser.add_argument('url')
    parser.add_argument('--except', dest='excepted', action='append', default=[], metavar='NAME',
                        help='a case that is expected to differ (repeatable)')
    parser.add_argument('--either', action='append', default=[], metavar='NAME',
                        help='a case that depends on the time, and may agree or differ (repeatable)')
    parser.add_argument('--recording', help='keep what was recorded in this file')
    parser.add_argument('--headers', action='store_true', help='compare content types, too')
    return parser.parse_args()


def record(api, url, path):
    """Runs the recorder into a file; fails when it ends badly, for a half recording proves nothing."""
    with open(path, 'w', encoding='utf-8') as file:
        done = subprocess.run([sys.executable, HERE / f'rec_{api}.py', url], stdout=file, stderr=subprocess.PIPE,
                              timeout=RECORDING_SECONDS, encoding='utf-8')
    if done.returncode != 0:
        print(f'FAIL golden {api}: the recorder ended with {done.returncode}\n{done.stderr}')
        sys.exit(1)


def compare(api, path, headers):
    """Runs the comparer; returns the names of the cases that differ or are missing, with its lines."""
    command = [sys.executable, HERE / 'cmp.py', HERE / f'{api}.jsonl', path] + (['--headers'] if headers else [])
    done = subprocess.run(command, capture_output=True, encoding='utf-8', timeout=60)
    lines = done.stdout.splitlines()
    if not lines or not re.fullmatch(r'\d+ of \d+ cases agree', lines[-1]):
        print(f'FAIL golden {api}: the comparer ended with {done.returncode}\n{done.stdout}{done.stderr}')
        sys.exit(1)
    found = (re.match(r'(?:DIFF|MISSING) +(\S+)', line) for line in lines)
    return {match[1]: line for match, line in zip(found, lines) if match}


def names(api):
    """The names of the recorded cases."""
    return [json.loads(line)['name'] for line in (HERE / f'{api}.jsonl').read_text('utf-8').splitlines()]


def judge(api, different, excepted):
    """Prints what is not as expected; returns the exit code."""
    known = names(api)
    unexpected = [line for name, line in different.items() if name not in excepted]
    agreeing = [name for name in excepted if name in known and name not in different]
    unknown = [name for name in excepted if name not in known]
    for line in unexpected:
        print(f'FAIL {line}')
    for name in agreeing:
        print(f'FAIL {name} agrees with etcd; take it out of the exceptions')
    for name in unknown:
        print(f'FAIL {name} is no case of {api}')
    if unexpected or agreeing or unknown:
        return 1
    print(f'ok golden {api}: {len(known) - len(different)} of {len(known)} cases agree, '
          f'{len(different)} differ as expected{": " if different else ""}{", ".join(sorted(different))}')
    return 0


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = given.recording or str(pathlib.Path(folder) / 'recording.jsonl')
        record(given.api, given.url, path)
        different = compare(given.api, path, given.headers)
        excepted = set(given.excepted) | (set(given.either) & set(different))
        return judge(given.api, different, excepted)


if __name__ == '__main__':
    sys.exit(main())
