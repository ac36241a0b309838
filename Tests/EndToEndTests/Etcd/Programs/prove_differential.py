"""Proves that the differential programs find faults: puts a proxy with one fault at a time before a real server.

Usage: prove_differential.py v2|v3 GOLDEN_URL OTHER_URL [--steps N] [--fault NAME]...
Each fault spoils every tenth answer that it can spoil. The program fails when a differential run overlooks a fault, or
finds a difference through a proxy without one. Both URLs are real etcd servers.
"""
import argparse
import http.client
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
EVERY = 10
HOP = {'connection', 'transfer-encoding', 'content-length', 'date'}


# Faults: each takes the path, the request's body, and an answer's JSON, and returns whether it spoiled the JSON.

def node_of(answer, *actions):
    return answer.get('node', {}) if not actions or answer.get('action') in actions else {}


def set_keeps_created(path, asked, answer):
    """A set of an existing key keeps its createdIndex."""
    node, before = node_of(answer, 'set'), answer.get('prevNode')
    if before and node and before['createdIndex'] != node['createdIndex']:
        node['createdIndex'] = before['createdIndex']
        return True


def update_moves_created(path, asked, answer):
    """An update makes the node anew."""
    node = node_of(answer, 'update', 'compareAndSwap')
    if node and node['createdIndex'] != node['modifiedIndex']:
        node['createdIndex'] = node['modifiedIndex']
        return True


def no_previous(path, asked, answer):
    """The previous node is forgotten."""
    return answer.pop('prevNode', None) is not None


def deleted_directory_is_file(path, asked, answer):
    """A deleted directory's node has no dir."""
    return node_of(answer, 'delete').pop('dir', None) is not None


def unsorted(path, asked, answer):
    """A sorted listing is not sorted."""
    nodes = node_of(answer, 'get').get('nodes', [])
    if 'sorted=t' in path and len(nodes) > 1 and nodes[0]['key'] != nodes[-1]['key']:
        nodes.reverse()
        return True


def child_lost(path, asked, answer):
    """A listing lacks its last child."""
    nodes = node_of(answer, 'get').get('nodes', [])
    return bool(nodes and nodes.pop(max(range(len(nodes)), key=lambda n: nodes[n]['key'])))


def ttl_halved(path, asked, answer):
    """A ttl is shown wrong by ten seconds."""
    if 'ttl' in node_of(answer):
        answer['node']['ttl'] -= 10
        return True


def wrong_cause(path, asked, answer):
    """A missing key's error names the key asked for instead of the first missing path."""
    key = urllib.parse.unquote(path.split('?')[0].removeprefix('/v2/keys')).rstrip('/')
    if answer.get('errorCode') == 100 and answer['cause'] != key:
        answer['cause'] = key
        return True


def error_105_for_102(path, asked, answer):
    """A directory in the way is a key that exists."""
    if answer.get('errorCode') == 102:
        answer.update(errorCode=105, message='Key already exists')
        return True


def stale_index(path, asked, answer):
    """An error's index is one behind."""
    if answer.get('index', 0) > 0:
        answer['index'] -= 1
        return True


def next_event(path, asked, answer):
    """A wait answers with an index too high by one."""
    if 'wait=t' in path and 'node' in answer:
        answer['node']['modifiedIndex'] += 1
        return True


def set_for_create(path, asked, answer):
    """A watch calls a create a set."""
    if 'wait=t' in path and answer.get('action') == 'create':
        answer['action'] = 'set'
        return True


def value_trimmed(path, asked, answer):
    """An empty value is left out."""
    if node_of(answer).get('value') == '':
        del answer['node']['value']
        return True


def no_value_ignored(path, asked, answer):
    """noValueOnSuccess answers with an empty node."""
    if set(answer) == {'action'}:
        answer['node'] = {}
        return True


def pairs_in(answer):
    yield from answer.get('kvs', [])
    for response in answer.get('responses', []):
        for inner in response.values():
            yield from pairs_in(inner)


def no_more(path, asked, answer):
    """A limited range does not say that there is more."""
    return answer.pop('more', None) is not None


def count_of_page(path, asked, answer):
    """The count of a limited range is the number of pairs in it."""
    if answer.get('more') and answer.get('kvs'):
        answer['count'] = str(len(answer['kvs']))
        return True


def lease_lost(path, asked, answer):
    """A pair does not name its lease."""
    return any([pair.pop('lease', None) for pair in pairs_in(answer)])


def version_off(path, asked, answer):
    """A version counts one too many."""
    for pair in pairs_in(answer):
        pair['version'] = str(int(pair['version']) + 1)
        return True


def read_takes_revision(path, asked, answer):
    """A range's header is one revision ahead."""
    if path.endswith('/range') and 'header' in answer:
        answer['header']['revision'] = str(int(answer['header']['revision']) + 1)
        return True


def previous_lost(path, asked, answer):
    """A put forgets the previous pair."""
    return answer.pop('prev_kv', None) is not None


def not_succeeded(path, asked, answer):
    """A transaction that took the then branch says it did not."""
    return answer.pop('succeeded', None) is not None


def inner_answer_lost(path, asked, answer):
    """A transaction answers all but its last operation."""
    return bool(answer.get('responses') and answer['responses'].pop())


def deleted_uncounted(path, asked, answer):
    """A delete counts one too few."""
    if int(answer.get('deleted', 0)) > 1:
        answer['deleted'] = str(int(answer['deleted']) - 1)
        return True


def ties_reversed(path, asked, answer):
    """The last two pairs of a range change places."""
    if len(answer.get('kvs', [])) > 2:
        answer['kvs'][-2:] = reversed(answer['kvs'][-2:])
        return True


def wrong_text(path, asked, answer):
    """A compacted revision is called a future one."""
    if 'has been compacted' in answer.get('message', ''):
        answer['message'] = 'etcdserver: mvcc: required revision is a future revision'
        return True


def lease_immortal(path, asked, answer):
    """A lease has more time than granted."""
    if 'grantedTTL' in answer:
        answer['TTL'] = str(int(answer['grantedTTL']) + 10)
        return True


def result_of(path, answer):
    return answer.get('result', {}) if path.endswith('/watch') else {}


def event_lost(path, asked, answer):
    """A watch loses the first of several events."""
    events = result_of(path, answer).get('events', [])
    return bool(len(events) > 1 and events.pop(0))


def event_twice(path, asked, answer):
    """A watch delivers an event twice."""
    events = result_of(path, answer).get('events', [])
    if events:
        events.insert(0, events[0])
        return True


def delete_with_value(path, asked, answer):
    """A watch's DELETE event has a version."""
    for event in result_of(path, answer).get('events', []):
        if event.get('type') == 'DELETE':
            event['kv']['version'] = '1'
            return True


def event_previous_lost(path, asked, answer):
    """A watch forgets a previous pair."""
    return any([event.pop('prev_kv', None) for event in result_of(path, answer).get('events', [])])


def compaction_silent(path, asked, answer):
    """A watch of a compacted revision does not say where history begins."""
    return result_of(path, answer).pop('compact_revision', None) is not None


FAULTS = {
    'v2': [set_keeps_created, update_moves_created, no_previous, deleted_directory_is_file, unsorted, child_lost,
           ttl_halved, wrong_cause, error_105_for_102, stale_index, next_event, set_for_create, value_trimmed,
           no_value_ignored],
    'v3': [no_more, count_of_page, lease_lost, version_off, read_takes_revision, previous_lost, not_succeeded,
           inner_answer_lost, deleted_uncounted, ties_reversed, wrong_text, lease_immortal, event_lost, event_twice,
           delete_with_value, event_previous_lost, compaction_silent],
}


class Proxy(http.server.BaseHTTPRequestHandler):
    """Forwards requests, and spoils answers by the server's fault."""

    protocol_version = 'HTTP/1.1'
    wbufsize = -1
    disable_nagle_algorithm = True

    def forward(self):
        length = int(self.headers.get('Content-Length', 0))
        body = self.rfile.read(length) if length else None
        upstream = self.upstream()
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP}
        upstream.request(self.command, self.path, body, headers)
        response = upstream.getresponse()
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        if response.chunked and self.command != 'HEAD':
            return self.stream(response, body)
        answer = self.spoiled(response.read(), body)
        self.send_header('Content-Length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.wfile.flush()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PATCH = do_OPTIONS = do_FOO = forward

    def upstream(self):
        if not hasattr(self, 'kept'):
            self.kept = http.client.HTTPConnection(*self.server.target, timeout=60)
        return self.kept

    def stream(self, response, body):
        """Forwards a chunked answer line by line, as the lines come."""
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        self.wfile.flush()
        while line := response.readline():
            line = self.spoiled(line, body)
            self.wfile.write(b'%x\r\n%s\r\n' % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b'0\r\n\r\n')
        self.wfile.flush()

    def spoiled(self, data, body):
        try:
            answer = json.loads(data)
        except ValueError:
            return data
        if not isinstance(answer, dict):
            return data
        kept = json.loads(data)
        if self.server.fault and self.server.fault(self.path, body, answer):
            self.server.chances += 1
            if self.server.chances % EVERY == 0:
                return json.dumps(answer).encode() + (b'\n' if data.endswith(b'\n') else b'')
        assert kept == json.loads(data)
        return data

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def finish(self):
        try:
            super().finish()
        except ConnectionError:
            pass
        if hasattr(self, 'kept'):
            self.kept.close()

    def log_message(self, *_):
        pass


def proxy(target, fault):
    """Starts a proxy on a free port."""
    parts = urllib.parse.urlparse(target)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Proxy)
    server.daemon_threads = True
    server.target, server.fault, server.chances = (parts.hostname, parts.port), fault, 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def trial(given, fault):
    """Runs the differential program through a proxy with a fault; returns its exit code and what it said."""
    server = proxy(given.other, fault)
    url = f'http://127.0.0.1:{server.server_port}'
    done = subprocess.run([sys.executable, HERE / f'differential_{given.api}.py', given.golden, url, '--steps',
                           str(given.steps), '--seed', str(given.seed)], capture_output=True, encoding='utf-8')
    server.shutdown()
    return done.returncode, done.stdout + done.stderr, server.chances


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('api', choices=['v2', 'v3'])
    parser.add_argument('golden')
    parser.add_argument('other')
    parser.add_argument('--steps', type=int, default=20000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--fault', action='append', choices=[f.__name__ for faults in FAULTS.values() for f in faults])
    given = parser.parse_args()
    faults = [fault for fault in FAULTS[given.api] if not given.fault or fault.__name__ in given.fault]
    failed = 0
    for fault in [None, *faults]:
        code, said, chances = trial(given, fault)
        found = re.search(r'DIFFERENCE .*step (-?\d+)\n(.*)', said)
        name, wanted = (fault.__name__, 1) if fault else ('no fault', 0)
        good = code == wanted and bool(found) == bool(fault) and (chances >= EVERY or not fault)
        failed += not good
        told = f'step {found[1]}:{found[2]}' if found else said.strip().splitlines()[0] if said.strip() else 'nothing'
        print(f'{"ok  " if good else "FAIL"} {name}: {told[:160]} ({chances} chances)')
        sys.stdout.flush()
        if not good:
            print(said[:3000])
    print(f'{len(faults) + 1 - failed} of {len(faults) + 1} as expected')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
