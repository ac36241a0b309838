"""Proves that a server answers the v3 JSON API as etcd does, by a long random walk over a few keys on both.

Usage: differential_v3.py GOLDEN_URL OTHER_URL [--steps N] [--seed S] [--without QUIRK]
The servers may hold other keys; nobody else may write to either during a run.
"""
import base64
import collections
import json
import random
import secrets
import sys

import differential
from differential import Answer, Comparison, Difference, Pair, Ref, Request, parsed
from stream import Stream
from view import PATIENCE, View

QUIRKS = {
    'limit-first': 'a sort target without an order is applied after the limit (and one more) has been taken by key',
    'from-key-overlap': 'in a transaction, deleting from a key on does not count as overlapping a put',
    'nested-overlap': 'a put and a delete of one key in two nested transactions overlap in one order only',
    'negative': 'a negative revision is the present; in a transaction only as long as nothing was ever compacted',
    'inverted': 'a watch of a range that ends before it begins is created and cancelled at once, with id -1',
    'several-errors': 'a missing lease beside another error is what etcd looks at before the one and after the other',
    'event-order': 'the events of one revision come in the order of the operations; then they are compared by key',
}
# With the prefix itself twelve keys at most: up to there Go's sort leaves equal pairs in the order of their keys.
NAMES = [b'a', b'b', b'c', b'd', b'a/a', b'a/b', b'ab', b'a\x00', b'\x00', b'\xff', b'b/\xc3\xa9']
VALUES = [b'x', b'y', b'z', b'x', b'', b'\x00\xff\xfe', b'{"a":1}', b'v' * 300]
TARGETS = ['KEY', 'VERSION', 'CREATE', 'MOD', 'VALUE']
ORDERS = ['NONE', 'ASCEND', 'DESCEND']
RESULTS = ['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL']
COMPARED = {'VERSION': 'version', 'CREATE': 'create_revision', 'MOD': 'mod_revision', 'VALUE': 'value',
            'LEASE': 'lease'}
NUMBERS = {'sort_target': TARGETS, 'sort_order': ORDERS, 'result': RESULTS,
           'target': ['VERSION', 'CREATE', 'MOD', 'VALUE', 'LEASE']}
NO_LEASE = 987654321
SENTINEL = b'\xff\xff\xff'  # after all the others, so that every watched range has it


class Lease(int):
    """A golden lease id in a request."""


class Quoted:
    """A number that is sent as a JSON string."""

    def __init__(self, number):
        self.number = number


def present(comparison, path, golden, other):
    """For members whose values are the server's own."""


def message(comparison, path, golden, other):
    """Messages of etcd are compared, messages of its JSON parser are not."""
    if any(str(text).startswith(('etcdserver', 'election', 'mvcc')) for text in (golden, other)):
        comparison.documents(path, golden, other)


def unordered(comparison, path, golden, other):
    comparison.documents(path, sorted(golden), sorted(other))


def text(value):
    return base64.b64encode(value).decode()


def careful(document):
    """Takes the ignore flags out of a transaction that deletes.

    etcd 3.4 looks whether a key to ignore the value or lease of exists before the transaction, not when it is put; when
    the transaction has deleted it meanwhile (which the two overlap quirks allow), the server panics, and again at each
    start.
    """
    if isinstance(document, list):
        for item in document:
            careful(item)
    if isinstance(document, dict):
        document.pop('ignore_value', None)
        document.pop('ignore_lease', None)
        for item in document.values():
            careful(item)


def take_lease(document):
    """Takes the lease that never was out of a request."""
    if isinstance(document, list):
        for item in document:
            take_lease(item)
    if isinstance(document, dict):
        if getattr(document.get('lease'), 'number', document.get('lease')) == NO_LEASE:
            del document['lease']
        for item in document.values():
            take_lease(item)


def members(document):
    """The names of all members of a request."""
    if isinstance(document, list):
        return set().union(*map(members, document))
    if isinstance(document, dict):
        return set(document).union(*map(members, document.values()))
    return set()


class Walk:
    """The random walk: what is asked next, and what is remembered to ask for later."""

    def __init__(self, pair, given):
        self.pair, self.without = pair, set(given.without)
        self.random = random.Random()
        self.prefix = f'zz{secrets.token_hex(3)}/'.encode()
        self.done, self.leases, self.alive = collections.Counter(), {}, []
        self.revisions, self.current, self.compacted = collections.deque(maxlen=400), 0, 0
        self.open_ended = False
        pair.rules.update({'lease': self.judge_lease, 'ID': self.judge_lease, 'leases': self.judge_leases})
        self.writes = [self.put, self.put, self.delete, self.transaction, self.transaction, self.revoke]
        acts = [(self.put, 24), (self.range, 26), (self.delete, 7), (self.transaction, 24), (self.grant, 2),
                (self.revoke, 1.5), (self.describe, 2), (self.compact, 0.4), (self.past, 0.7), (self.live, 0.7),
                (self.wrong, 3)]
        self.acts, self.weights = zip(*acts)

    def readable(self, body):
        """A body with its base64 undone, and our prefix as an ellipsis."""
        try:
            documents = [self.decoded(json.loads(line)) for line in body.splitlines()]
            return ' '.join(json.dumps(document, ensure_ascii=False) for document in documents)
        except ValueError:
            return differential.plain(body)

    def decoded(self, document, name=''):
        if isinstance(document, dict):
            return {name: self.decoded(value, name) for name, value in document.items()}
        if isinstance(document, list):
            return [self.decoded(value, name) for value in document]
        if name in ('key', 'range_end', 'rangeEnd', 'value', 'keys') and isinstance(document, str):
            shown = base64.b64decode(document + '==').decode('latin-1')
            return shown.replace(self.prefix.decode(), '…/')
        return document

    # Choosing

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def key(self):
        return text(self.prefix + self.random.choice(NAMES))

    def span(self):
        """The key and range_end of one key, a prefix, a range, everything ours, or from a key on."""
        key, kind = self.prefix + self.random.choice(NAMES), self.random.randrange(10)
        if kind < 4:
            return {'key': text(key)}
        if kind < 6:
            return self.everything()
        if kind < 7 and self.open_ended:
            return {'key': text(key), 'range_end': text(b'\0')}
        if kind < 8:
            return {'key': text(key), 'range_end': text(key[:-1] + bytes([min(255, key[-1] + 1)]))}
        return {'key': text(key), 'range_end': text(self.prefix + self.random.choice(NAMES))}

    def everything(self):
        return {'key': text(self.prefix), 'range_end': text(self.prefix[:-1] + b'0')}

    def number(self, value):
        """A number as JSON number or string."""
        return Quoted(value) if self.chance(0.5) else value

    def revision(self):
        """A revision: mostly one that can be read, sometimes a compacted, current or future one."""
        kind = self.random.randrange(20)
        if kind == 0:
            return Ref(self.current + self.random.randrange(1, 1000))
        if kind == 1 and self.compacted > 1:
            return Ref(max(1, self.compacted - self.random.randrange(0, 4)))
        return Ref(self.random.choice(self.revisions) if self.revisions else self.current)

    def lease(self):
        """A lease: mostly one of ours, sometimes one that never was."""
        if self.alive and self.chance(0.9):
            return Lease(self.random.choice(self.alive))
        return Lease(NO_LEASE)

    def value(self):
        return text(self.random.choice(VALUES))

    # Spelling

    def spell(self, document):
        """Writes a request in one of the ways that JSON allows: field names in two styles, enums as numbers."""
        if isinstance(document, list):
            return [self.spell(item) for item in document]
        if not isinstance(document, dict):
            return document
        spelled = {}
        for name, value in document.items():
            if name in NUMBERS and value in NUMBERS[name] and self.chance(0.3):
                value = NUMBERS[name].index(value)
            if '_' in name and self.chance(0.2):
                first, *rest = name.split('_')
                name = first + ''.join(part.capitalize() for part in rest)
            spelled[name] = self.spell(value)
        return spelled

    def render(self, document, number):
        """A request for one server: its revisions, its leases."""
        if isinstance(document, dict):
            return {name: self.render(value, number) for name, value in document.items()}
        if isinstance(document, list):
            return [self.render(value, number) for value in document]
        if isinstance(document, Quoted):
            return str(self.render(document.number, number))
        if isinstance(document, Ref):
            return number(document)
        if isinstance(document, Lease):
            return int(document) if number is int else self.leases.get(document, int(document))
        return document

    def make(self, path, document):
        spelled = self.spell(document)
        return lambda number: Request('POST', path, json.dumps(self.render(spelled, number)), {})

    def call(self, path, document, judge=None):
        """Asks both, and remembers the revision that came out."""
        answer = self.pair.ask(self.make('/v3' + path, document), judge or self.judge)
        body = parsed(answer.body)
        self.see(body if isinstance(body, dict) else {})
        return body

    def see(self, body):
        revision = int(body.get('header', {}).get('revision', 0))
        if revision > self.current:
            self.current = revision
            self.revisions.append(revision)

    # Judging

    def judge(self, comparison, golden, other):
        comparison.documents('status', golden.status, other.status)
        comparison.documents('content-type', golden.headers.get('content-type'), other.headers.get('content-type'))
        comparison.documents('body', parsed(golden.body), parsed(other.body))

    def judge_lease(self, comparison, path, golden, other):
        if self.leases.get(int(golden), int(golden)) != int(other) or type(golden) is not type(other):
            comparison.differ(path, golden, other)

    def judge_leases(self, comparison, path, golden, other):
        """Compares a list of leases as far as they are ours."""
        ours = sorted(self.leases[int(item['ID'])] for item in golden if int(item['ID']) in self.leases)
        mine = set(self.leases.values())
        theirs = sorted(int(item['ID']) for item in other if int(item['ID']) in mine)
        comparison.documents(path, ours, theirs)

    # The steps

    def begin(self):
        after = {'key': text(self.prefix), 'range_end': text(b'\0'), 'count_only': True}
        for server in self.pair.servers:
            server.send(Request('POST', '/v3/kv/range', json.dumps(after), {}))
        counts = [parsed(server.receive().body).get('count', '0') for server in self.pair.servers]
        self.open_ended = counts == ['0', '0']
        self.done['from a key on' if self.open_ended else 'NOT from a key on, because keys follow ours'] = 0
        self.call('/kv/put', {'key': text(self.prefix), 'value': text(b'begin')})

    def step(self):
        [act] = self.random.choices(self.acts, self.weights)
        self.done[act.__name__] += 1
        act()

    def end(self):
        for lease in self.alive:
            self.call('/lease/revoke', {'ID': Lease(lease)})
        self.call('/kv/range', self.everything())
        self.call('/kv/deleterange', self.everything())

    def put_request(self):
        request = {'key': self.key(), 'value': self.value()}
        if self.chance(0.15):
            request['lease'] = self.number(self.lease())
        for name, share in (('prev_kv', 0.3), ('ignore_value', 0.06), ('ignore_lease', 0.06)):
            if self.chance(share):
                request[name] = True
        if request.get('ignore_value') and self.chance(0.8):
            del request['value']
        if request.get('ignore_lease') and self.chance(0.8):
            request.pop('lease', None)
        return request

    def put(self):
        request = self.put_request()
        self.spare(request)
        self.call('/kv/put', request)

    def range_request(self):
        request = self.span()
        if self.chance(0.3):
            request['revision'] = self.number(self.revision())
        if self.chance(0.03) and 'negative' not in self.without:
            request['revision'] = self.number(-self.random.randrange(1, 5))
        if self.chance(0.3):
            request['limit'] = self.number(self.random.randrange(0, 6))
        if self.chance(0.4):
            request['sort_target'] = self.random.choice(TARGETS)
        if self.chance(0.4):
            request['sort_order'] = self.random.choice(ORDERS)
        if 'limit-first' in self.without and request.get('sort_order', 'NONE') == 'NONE':
            request.pop('sort_target', None)
        for name in ('serializable', 'keys_only', 'count_only'):
            if self.chance(0.08):
                request[name] = True
        for name in ('min_mod_revision', 'max_mod_revision', 'min_create_revision', 'max_create_revision'):
            if self.chance(0.06):
                request[name] = self.number(self.revision())
        return request

    def range(self):
        self.call('/kv/range', self.range_request())

    def delete_request(self):
        request = self.span() if self.chance(0.3) else {'key': self.key()}
        if self.chance(0.3):
            request['prev_kv'] = True
        return request

    def delete(self):
        self.call('/kv/deleterange', self.delete_request())

    def compare(self):
        target = self.random.choice(list(COMPARED))
        compare = {**(self.span() if self.chance(0.25) else {'key': self.key()}), 'target': target,
                   'result': self.random.choice(RESULTS)}
        operand = {'VERSION': lambda: self.number(self.random.randrange(0, 4)), 'VALUE': self.value,
                   'LEASE': lambda: self.number(self.pick(0, self.lease()))}
        if self.chance(0.9):
            made = operand.get(target, lambda: self.number(self.pick(0, self.revision())))()
            compare[COMPARED[target]] = made
            # Each server chooses ids of its own, which have another order.
            if isinstance(getattr(made, 'number', made), Lease):
                compare['result'] = self.pick('EQUAL', 'NOT_EQUAL')
        for name, default in (('target', 'VERSION'), ('result', 'EQUAL')):
            if compare[name] == default and self.chance(0.3):
                del compare[name]
        return compare

    def operation(self, depth):
        kind = self.random.random()
        if kind < 0.4:
            return {'request_put': self.put_request()}
        if kind < 0.65 or depth and 'nested-overlap' in self.without and kind < 0.8:
            return {'request_range': self.range_request()}
        if kind < 0.8:
            request = self.delete_request()
            if 'from-key-overlap' in self.without and request.get('range_end') == text(b'\0'):
                del request['range_end']
            return {'request_delete_range': request}
        if depth < 2:
            return {'request_txn': self.transaction_request(depth + 1)}
        return {} if self.chance(0.03) else {'request_range': {'key': self.key()}}

    def transaction_request(self, depth=0):
        request = {}
        for name, make, most in (('compare', self.compare, 3), ('success', lambda: self.operation(depth), 4),
                                 ('failure', lambda: self.operation(depth), 4)):
            count = self.random.randrange(0, most)
            if count or self.chance(0.5):
                request[name] = [make() for _ in range(count)]
        return request

    def transaction(self):
        request = self.transaction_request()
        if 'request_delete_range' in members(request):
            careful(request)
        self.spare(request)
        self.call('/kv/txn', request)

    def spare(self, request):
        """Takes leases that never were out of a request that something else may be wrong with."""
        if 'several-errors' in self.without and members(request) & {'revision', 'ignore_value', 'ignore_lease'}:
            take_lease(request)

    def grant(self):
        """A lease with an id that we choose, that is taken, or that each server chooses."""
        if len(self.alive) >= 12:
            return self.revoke()
        kind = self.random.randrange(10)
        chosen = 0 if kind < 3 else self.random.randrange(1, 2 ** 62)
        if kind == 9 and self.alive:
            chosen = Lease(self.random.choice(self.alive))
        request = {'TTL': self.number(self.random.choice([50_000, 100_000, 9_000_000_000, 9_000_000_001]))}
        if chosen or self.chance(0.5):
            request['ID'] = self.number(chosen)
        body = self.call('/lease/grant', request, self.judge_grant)
        if 'ID' in body:
            self.alive.append(int(body['ID']))

    def judge_grant(self, comparison, golden, other):
        one, two = parsed(golden.body), parsed(other.body)
        if 'ID' in one and 'ID' in two:
            self.leases.setdefault(int(one['ID']), int(two['ID']))
        self.judge(comparison, golden, other)

    def revoke(self):
        lease = self.lease()
        self.call(self.pick('/lease/revoke', '/kv/lease/revoke'), {'ID': self.number(lease)})
        self.alive = [one for one in self.alive if one != lease]

    def describe(self):
        """Asks about a lease, all leases, or keeps one alive."""
        kind = self.random.randrange(4)
        if kind == 0:
            return self.call(self.pick('/lease/leases', '/kv/lease/leases'), {})
        if kind == 1:
            return self.call('/lease/keepalive', {'ID': self.number(self.lease())})
        request = {'ID': self.number(self.lease())}
        if self.chance(0.6):
            request['keys'] = True
        self.call(self.pick('/lease/timetolive', '/kv/lease/timetolive'), request)

    def compact(self):
        revision = self.pick(self.revision(), Ref(self.random.choice(self.revisions)))
        body = self.call('/kv/compaction', {'revision': self.number(revision), **self.pick({}, {'physical': True})})
        if 'header' in body:
            self.compacted = max(self.compacted, int(revision))

    def wrong(self):
        """Requests that no server may take."""
        path, document = self.random.choice([
            ('/kv/range', {}), ('/kv/put', {'value': self.value()}), ('/kv/deleterange', {'range_end': self.key()}),
            ('/kv/put', {'key': self.key(), 'value': self.value(), 'ignore_value': True}),
            ('/kv/put', {'key': self.key(), 'lease': self.lease(), 'ignore_lease': True}),
            ('/kv/txn', {'compare': [{'target': 'VERSION'}]}), ('/kv/txn', {'success': [{}]}),
            ('/kv/txn', {'success': [{'request_range': {'key': self.key()}}] * 129}),
            ('/kv/txn', {'success': [{'request_put': {'key': self.key()}}] * 2}),
            ('/kv/txn', {'compare': [{'key': self.key()}] * 129}),
            ('/kv/txn', {'success': [{'request_txn': {'success': [{'request_range': {'key': self.key()}}] * 127}}] * 2}
             ), ('/kv/range', {'key': '###'}), ('/kv/range', {'key': 5}),
            ('/kv/range', {'key': self.key(), 'limit': 'many'}),
            ('/kv/range', {'key': self.key(), 'sort_order': 'SIDEWAYS'}), ('/kv/range', {'key': self.key(), 'odd': 1}),
            ('/kv/range', [1]), ('/kv/none', {}), ('/lease/revoke', {'ID': 99}), ('/lease/timetolive', {'ID': 99}),
            ('/lease/keepalive', {'ID': 99}), ('/kv/put', {'key': self.key(), 'lease': 99}), ('/lease/revoke', {}),
            ('/kv/compaction', {'revision': Ref(self.current + 10 ** 6)}), ('/kv/range', None), ('/kv/range', 'text'),
        ])
        self.call(path, document)

    # Watching

    def watch_request(self, start):
        request = self.pick(self.everything(), self.everything(), {**self.span(), 'range_end': self.everything()[
            'range_end']})
        if self.chance(0.05) and 'inverted' not in self.without:
            request['range_end'] = text(self.prefix[:-1])
        if start is not None:
            request['start_revision'] = self.number(start)
        if self.chance(0.4):
            request['prev_kv'] = True
        if self.chance(0.4):
            request['filters'] = self.pick(['NOPUT'], ['NODELETE'])
        if self.chance(0.2):
            request['fragment'] = True
        if self.chance(0.2):
            request['watch_id'] = self.number(self.random.randrange(0, 3))
        return request

    def sentinel(self):
        """Puts and deletes the key that every watch of ours sees; returns the golden revisions of both."""
        key = {'key': text(self.prefix + SENTINEL)}
        return [int(body['header']['revision']) for body in
                (self.call('/kv/put', key), self.call('/kv/deleterange', key))]

    def past(self):
        """Watches from a revision of the past until the present."""
        starts = [Ref(r) for r in self.revisions if r != self.compacted] + [Ref(max(1, self.compacted - 1))]
        chosen = [self.random.choice(starts) for _ in range(self.pick(1, 2))]
        # When a watch that is cancelled because of compaction gives its id free is a matter of time.
        if min(chosen) < self.compacted:
            del chosen[1:]
        ends = self.sentinel()
        self.watch([self.watch_request(start) for start in chosen], lambda: ends)

    def live(self):
        """Watches from now on, or from a revision to come."""
        def act():
            for _ in range(self.random.randrange(6)):
                self.random.choice(self.writes)()
            while True:
                ends = self.sentinel()
                if ends[0] >= start + 1:
                    return ends
        start = self.current + 1 + self.random.randrange(3) if self.chance(0.3) else 0
        self.watch([self.watch_request(Ref(start) if start else None) for _ in range(self.pick(1, 2))], act)

    def watch(self, creations, act):
        """Opens watches on both, acts, reads until the sentinel, and compares what each watch saw.

        Two at most, and with short keys: of a body that is longer than what it reads at once, etcd loses the rest.
        """
        spelled = [self.spell({'create_request': creation}) for creation in creations]
        numbers = (int, self.pair.indexes.translate)
        bodies = [''.join(json.dumps(self.render(one, number)) + '\n' for one in spelled) for number in numbers]
        requests = [Request('POST', '/v3/watch', body, {}) for body in bodies]
        streams = [Stream(server.address, request) for server, request in zip(self.pair.servers, requests)]
        try:
            views = [View(stream, creations, 'event-order' in self.without) for stream in streams]
            for view in views:
                view.created()
            ends = act()
            seen = [view.until([number(Ref(end)) for end in ends]) for view, number in zip(views, numbers)]
        finally:
            for stream in streams:
                stream.close()
        answers = [Answer(stream.status, stream.headers, json.dumps(one).encode())
                   for stream, one in zip(streams, seen)]
        self.pair.judge(requests, answers, self.judge)
        if seen[0]['wrong']:
            raise Difference(['the golden server broke a promise', *seen[0]['wrong']])


RULES = {'revision': Comparison.index, 'mod_revision': Comparison.index, 'create_revision': Comparison.index,
         'compact_revision': Comparison.index, 'cluster_id': present, 'member_id': present, 'raft_term': present,
         'TTL': Comparison.seconds, 'error': None, 'details': None, 'message': message, 'keys': unordered}


if __name__ == '__main__':
    arguments = differential.arguments(__doc__.splitlines()[0], QUIRKS)
    servers = Pair(arguments, RULES)
    sys.exit(differential.run('v3', arguments, servers, Walk(servers, arguments)))
