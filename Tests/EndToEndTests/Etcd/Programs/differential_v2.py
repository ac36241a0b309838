"""Proves that a server answers the v2 API as etcd does, by a long random walk over a small tree on both.

Usage: differential_v2.py GOLDEN_URL OTHER_URL [--steps N] [--seed S] [--without QUIRK]
The servers may hold other keys; nobody else may write to either during a run.
"""
import collections
import random
import re
import secrets
import sys
import urllib.parse

import differential
from differential import Answer, Comparison, Difference, Pair, Ref, Request, parsed
from stream import Stream

QUIRKS = {
    'lookalike': 'in the history, the end of directory /a also answers a wait on /ab or /a/never',
    'hidden-history': 'in the history, a recursive wait sees hidden keys, which it does not see live',
    'history-end': 'the history has a thousand events, and waiting for an earlier one is refused',
    'semicolon': 'a semicolon in a query or form is error 210',
    'root-compare': 'comparing and deleting the root is error 102 without a cause',
    'overflow': 'a ttl whose nanoseconds overflow 64 bits means no ttl when that is a time before 2000',
    'methods': 'other methods are refused with 405 and Allow',
    'redirect': 'paths with // or .. are redirected',
}
NAMES = ['a', 'b', 'c', '_h', 'é +%']
VALUES = ['x', 'y', 'z', 'x', 'y', '', 'ünï <&>"\\\n\t\u2028\x01', '{"a": 1}', 'a=b&c+d', 'x' * 300]
TTLS = [20_000, 50_000, 100_000, 3_000_000]  # beyond the end of a run: servers notice an expiry when they look
FORM = {'Content-Type': 'application/x-www-form-urlencoded'}
NUMBERED = r'(?<=/)\d{20}(?=/|$)'
GOOD = ('1', 't', 'T', 'TRUE', 'true', 'True')
BAD = ['yes', '', 'tRuE', '2', 'null', ' true']
SENTINEL_TRIES, PATIENCE, SILENCE = 12, 10, 0.3

Event = collections.namedtuple('Event', 'index key action refresh directory')


def key_rule(comparison, path, golden, other):
    """Keys may end in the index under which they were made."""
    comparison.texts(path, golden, other, NUMBERED)


def cause_rule(comparison, path, golden, other):
    """Causes may name indexes: of a comparison, of the history, of a key in order."""
    if 'requested history' in golden:
        comparison.texts(path, golden, other, r'\d+')
    elif re.search(r'\[(?:\d+) != (\d+)\]$', golden):
        both = re.search(r'\] \[', golden)
        if both:
            comparison.documents(path, golden[:both.start()], other[:other.rfind('] [')])
        comparison.texts(path, golden[golden.rfind('['):], other[other.rfind('['):], r'\d+')
    else:
        comparison.texts(path, golden, other, NUMBERED)


RULES = {'modifiedIndex': Comparison.index, 'createdIndex': Comparison.index, 'index': Comparison.index,
         'ttl': Comparison.seconds, 'expiration': Comparison.instant, 'key': key_rule, 'cause': cause_rule}


def sort_nodes(node):
    """Brings listings, which etcd returns in random order, into the order of their keys."""
    if isinstance(node, dict) and isinstance(node.get('nodes'), list):
        node['nodes'] = sorted((sort_nodes(child) for child in node['nodes']), key=lambda child: child.get('key', ''))
    return node


class Walk:
    """The random walk: what is asked next, and what is remembered to ask for later."""

    def __init__(self, pair, given):
        self.pair, self.without = pair, set(given.without)
        self.random = random.Random()
        self.base = f'/differential-{secrets.token_hex(6)}'
        self.events, self.last, self.done = collections.deque(maxlen=900), {}, collections.Counter()
        self.first, self.current, self.made = 0, 0, collections.deque(maxlen=6)
        acts = [(self.set, 18), (self.create, 7), (self.update, 7), (self.swap, 10), (self.delete, 9), (self.drop, 6),
                (self.post, 5), (self.get, 16), (self.refresh, 5), (self.directory, 6), (self.past, 5), (self.live, 2),
                (self.malformed, 4), (self.root, 2), (self.unusual, 1)]
        self.acts, self.weights = zip(*acts)
        self.writes = [self.set, self.create, self.update, self.swap, self.delete, self.drop, self.post, self.directory]

    readable = staticmethod(differential.plain)

    # Choosing

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def key(self):
        """A key of the small tree, as a list of names; a number in it stands for a key that POST made."""
        depth = self.random.choices((1, 2, 3), (4, 5, 3))[0]
        names = [self.random.choices(NAMES, (6, 6, 4, 2, 1))[0] for _ in range(depth)]
        if self.made and self.chance(0.06):
            return list(self.random.choice(self.made))
        return names

    def known(self, key):
        """An index to compare a key's with: mostly its own, or another, or one that never was."""
        own = self.last.get(self.text(key, int))
        if own and self.chance(0.6):
            return Ref(own)
        if self.events and self.chance(0.7):
            return Ref(self.random.choice(self.events).index)
        return Ref(self.current + 1000)

    def flag(self):
        return self.random.choice(GOOD)

    def switch(self, form, name, share):
        """Puts a boolean into a form in some of the cases, now and then as false."""
        if self.chance(share):
            form[name] = self.flag() if self.chance(0.9) else self.pick('false', '0', 'F', 'f', 'False', 'FALSE')

    def ttl(self, form, share=0.15):
        if self.chance(share):
            form['ttl'] = self.random.choice(TTLS) if self.chance(0.85) else ''

    # Asking

    def text(self, key, number):
        """The path of a key, with one server's numbers."""
        names = [f'{number(name):020d}' if isinstance(name, Ref) else name for name in key]
        return '/'.join([self.base, *names])

    def path(self, key, number, query=()):
        text = '/v2/keys' + urllib.parse.quote(self.text(key, number)) + ('/' if self.trailing else '')
        filled = [(name, number(v) if isinstance(v, Ref) else v) for name, v in dict(query).items()]
        return text + ('?' + urllib.parse.urlencode(filled) if filled else '')

    def call(self, method, key, form=None, query=None, sorted_listing=False):
        """Asks both for a key, with a form in the body or in the query, and remembers what the golden server did."""
        self.trailing = self.chance(0.05)

        def make(number):
            filled = {name: number(v) if isinstance(v, Ref) else v for name, v in (form or {}).items()}
            body = urllib.parse.urlencode(filled) if form is not None else None
            return Request(method, self.path(key, number, query or {}), body, FORM if form is not None else {})
        answer = self.pair.ask(make, self.judge_sorted if sorted_listing else self.judge)
        self.remember(answer, form or query or {})
        return answer

    def change(self, method, key, form):
        """A change, mostly with its parameters in the body, sometimes in the query."""
        if self.chance(0.15) or method == 'DELETE':
            return self.call(method, key, query=form)
        return self.call(method, key, form=form)

    def remember(self, answer, form):
        index = answer.headers.get('x-etcd-index', '0')
        self.current = max(self.current, int(index) if index.isdigit() else 0)
        document = parsed(answer.body)
        if answer.status not in (200, 201) or not isinstance(document, dict) or document.get('action') in (None, 'get'):
            return
        node = document.get('node')
        if node is None:
            return
        if document['action'] != 'update' or not node.get('dir'):
            self.last[node['key']] = node['modifiedIndex']
        refresh = str(form.get('refresh')) in GOOD and document['action'] in ('set', 'update', 'compareAndSwap')
        self.events.append(Event(node['modifiedIndex'], node['key'], document['action'], refresh,
                                 bool(document.get('prevNode', {}).get('dir')) and document['action'] == 'delete'))

    # Judging

    def judge(self, comparison, golden, other):
        self.judge_heads(comparison, golden, other)
        one, two = parsed(golden.body), parsed(other.body)
        if isinstance(one, str) and isinstance(two, str):
            comparison.texts('body', one, two, r'\d{20}')
        else:
            comparison.documents('body', self.normal(one), self.normal(two))

    def judge_sorted(self, comparison, golden, other):
        self.judge_heads(comparison, golden, other)
        comparison.documents('body', parsed(golden.body), parsed(other.body))

    def normal(self, document):
        """A document whose listings are in order; of the root's listing only what is ours."""
        if isinstance(document, dict) and isinstance(document.get('node'), dict):
            node = document['node']
            if 'key' not in node and 'nodes' in node:
                node['nodes'] = [child for child in node['nodes'] if child['key'] == self.base]
            sort_nodes(node)
        return document

    def judge_heads(self, comparison, golden, other):
        comparison.documents('status', golden.status, other.status)
        comparison.texts('location', golden.headers.get('location', ''), other.headers.get('location', ''), NUMBERED)
        for name in ('content-type', 'allow'):
            comparison.documents(name, golden.headers.get(name), other.headers.get(name))
        for name in ('x-etcd-index', 'x-raft-index', 'x-raft-term', 'x-etcd-cluster-id'):
            comparison.documents(f'has {name}', name in golden.headers, name in other.headers)
        if 'x-etcd-index' in golden.headers and 'x-etcd-index' in other.headers:
            comparison.index('X-Etcd-Index', golden.headers['x-etcd-index'], other.headers['x-etcd-index'])

    # The steps

    def begin(self):
        self.change('PUT', ['a'], {'value': 'begin'})
        self.first = self.current

    def step(self):
        [act] = self.random.choices(self.acts, self.weights)
        self.done[act.__name__] += 1
        act()

    def end(self):
        self.call('GET', [], query={'recursive': 'true', 'sorted': 'true'}, sorted_listing=True)
        self.call('DELETE', [], query={'recursive': 'true'})

    def options(self, form):
        self.switch(form, 'noValueOnSuccess', 0.05)
        self.ttl(form)
        return form

    def set(self):
        form = {'value': self.random.choice(VALUES)} if self.chance(0.95) else {}
        self.switch(form, 'dir', 0.05)
        self.change('PUT', self.key(), self.options(form))

    def create(self):
        form = {'value': self.random.choice(VALUES), 'prevExist': self.pick('false', '0')}
        self.switch(form, 'dir', 0.2)
        if self.chance(0.1):
            form['prevValue'] = 'ignored'
        self.change('PUT', self.key(), self.options(form))

    def update(self):
        form = {'prevExist': self.flag()}
        if self.chance(0.8):
            form['value'] = self.random.choice(VALUES)
        self.switch(form, 'dir', 0.1)
        self.change('PUT', self.key(), self.options(form))

    def condition(self, form, key):
        """Adds a comparison by value, by index, or by both."""
        kind = self.random.randrange(3)
        if kind != 1:
            form['prevValue'] = self.random.choice([value for value in VALUES if value])
        if kind != 0:
            form['prevIndex'] = self.known(key)
        return form

    def swap(self):
        key = self.key()
        form = self.condition({'value': self.random.choice(VALUES)}, key)
        if self.chance(0.2):
            form['prevExist'] = self.pick('true', 'true', 'false')
        self.switch(form, 'dir', 0.03)
        self.change('PUT', key, self.options(form))

    def delete(self):
        form = {}
        self.switch(form, 'dir', 0.3)
        self.switch(form, 'recursive', 0.25)
        if self.chance(0.05):
            form['prevExist'] = 'false'
        self.change('DELETE', self.key(), form)

    def drop(self):
        key = self.key()
        form = self.condition({}, key)
        self.switch(form, 'recursive', 0.1)
        self.change('DELETE', key, form)

    def post(self):
        key, form = self.key()[:2], {'value': self.random.choice(VALUES)}
        self.switch(form, 'dir', 0.1)
        answer = self.change('POST', key, self.options(form))
        document = parsed(answer.body)
        if answer.status == 201 and 'node' in document:
            self.made.append((*key, Ref(document['node']['createdIndex'])))

    def get(self):
        query = {}
        for name, share in (('recursive', 0.4), ('sorted', 0.5), ('quorum', 0.2), ('dir', 0.05)):
            self.switch(query, name, share)
        key = [] if self.chance(0.1) else self.key()
        if self.chance(0.05):
            return self.call('HEAD', key, query=query)
        self.call('GET', key, query=query, sorted_listing=query.get('sorted') in GOOD)

    def refresh(self):
        key, form = self.key(), {'refresh': self.flag(), 'ttl': self.random.choice(TTLS)}
        if self.chance(0.6):
            form['prevExist'] = self.pick('true', 'true', 'true', 'false')
        if self.chance(0.2):
            self.condition(form, key)
        if self.chance(0.05):
            form['value'] = self.pick('x', '')
        if self.chance(0.05):
            del form['ttl']
        self.switch(form, 'dir', 0.05)
        self.change(self.random.choices(('PUT', 'POST'), (9, 1))[0], key, form)

    def directory(self):
        form = {'dir': self.flag()}
        self.ttl(form, 0.3)
        if self.chance(0.4):
            form['prevExist'] = self.pick('true', 'false')
        self.switch(form, 'noValueOnSuccess', 0.05)
        self.change('PUT', self.key(), form)

    def malformed(self):
        """Parameters that no server may take."""
        name, values = self.random.choice([
            *((name, BAD) for name in ('recursive', 'sorted', 'wait', 'dir', 'quorum', 'stream', 'noValueOnSuccess',
                                       'prevExist', 'refresh')),
            ('ttl', ['bad', '-1', '1.5', ' 1', '0x10', '1e3', '18446744073709551616']),
            ('prevIndex', ['bad', '-1', '', '1.0', '18446744073709551616']),
            ('waitIndex', ['bad', '-1', '', '1.0', '18446744073709551616']), ('prevValue', ['']), ('wait', ['true'])])
        form = {name: self.random.choice(values)}
        if self.chance(0.3):
            form['value'] = 'x'
        if self.chance(0.2):
            form[self.pick('ttl', 'prevIndex', 'recursive', 'prevExist')] = 'two are wrong'
        method = self.pick('PUT', 'POST', 'DELETE') if form.get('wait') == 'true' else self.pick('PUT', 'GET', 'DELETE')
        self.change(method, self.key(), form)

    def root(self):
        """What may not be done to the root, and what may."""
        base, self.base = self.base, ''
        try:
            act = self.random.randrange(6)
            if act == 0:
                self.change('PUT', [], self.options(self.condition({'value': 'x'}, []) if self.chance(0.3) else {}))
            elif act == 1:
                self.call('DELETE', [], query=self.pick({}, {'dir': 'true'}, {'recursive': 'true'}))
            elif act == 2 and 'root-compare' not in self.without:
                self.call('DELETE', [], query=self.pick({'prevValue': 'x'}, {'prevIndex': 3}))
            elif act == 3:
                self.change('PUT', [], {'prevExist': self.pick('true', 'false'), 'dir': 'true'})
            else:
                self.base = base
                self.list_root()
        finally:
            self.base = base

    def list_root(self):
        slash = self.pick('', '/')
        self.pair.ask(lambda number: Request('GET', '/v2/keys' + slash, None, {}), self.judge)

    def unusual(self):
        """Requests at the edge of HTTP."""
        key = self.key()
        cases = [self.repeated, self.split_parameters, self.ignored_body]
        cases += [case for case in (self.semicolon, self.methods, self.redirect, self.overflow)
                  if case.__name__ not in self.without]
        self.random.choice(cases)(key)

    def raw(self, method, key, suffix='', body=None, headers=None, rewrite=lambda path: path):
        self.trailing = False

        def make(number):
            return Request(method, rewrite(self.path(key, number)) + suffix, body, headers or {})
        self.remember(self.pair.ask(make, self.judge), {})

    def repeated(self, key):
        self.raw('PUT', key, '?value=from-query&value=second', 'value=first&value=second', FORM)

    def split_parameters(self, key):
        self.raw('PUT', key, '?prevExist=true&value=query', 'ttl=20000', FORM)

    def ignored_body(self, key):
        self.raw(self.pick('PUT', 'DELETE', 'POST'), key, '', '{"value":"x","recursive":true}',
                 {'Content-Type': self.pick('application/json', 'text/plain')})

    def semicolon(self, key):
        self.raw('PUT', key, self.pick('', '?a;b=1'), self.pick('value=a;b', 'value=%zz', 'value=x'), FORM)

    def methods(self, key):
        self.raw(self.pick('PATCH', 'OPTIONS', 'FOO'), key)

    def redirect(self, key):
        self.raw('GET', key, rewrite=self.pick(lambda path: path.replace('/keys/', '/keys//'),
                                               lambda path: path + '/../a', lambda path: path + '/./'))

    def overflow(self, key):
        self.raw('PUT', key, '', f'value=x&ttl={self.pick(9, 10, 12, 15, 20) * 10 ** 9}', FORM)

    # Waiting

    def past(self):
        """Waits for something that the history has, or has forgotten."""
        if not self.events:
            return
        event = self.random.choice(self.events)
        if self.chance(0.04) and self.current - self.first > 1100 and 'history-end' not in self.without:
            return self.wait(self.key(), Ref(self.random.randrange(self.first, self.current - 1000)), False)
        if event.refresh:
            return
        names, recursive = event.key[len(self.base):].split('/')[1:], self.chance(0.2)
        key = [Ref(name) if re.fullmatch(r'\d{20}', name) else name for name in names]
        if key and self.chance(0.3):
            key, recursive = key[:self.random.randrange(len(key))], True
        elif event.directory and self.chance(0.5):
            key = self.after_directory(key)
        self.wait(key, Ref(max(self.events[0].index, event.index - self.random.randrange(4))), recursive)

    def after_directory(self, key):
        """A key that the end of a directory wakes from the history."""
        if 'lookalike' in self.without or not key or isinstance(key[-1], Ref):
            return key
        return self.pick([*key, 'never'], [*key[:-1], key[-1] + 'lookalike'])

    def wait(self, key, index, recursive):
        """Waits from an index on; where etcd brings what only its history shows, both are asked again from the next."""
        query = {'wait': 'true', **({'recursive': 'true'} if recursive else {})}
        while index:
            streams = self.watch(key, {**query, 'waitIndex': index})
            try:
                line = streams[0][1].line(2)
                index = self.after_quirk(key, line)
                if not index:
                    self.compare_lines(streams, line, SILENCE if line is None else PATIENCE)
            finally:
                for _, stream in streams:
                    stream.close()

    def after_quirk(self, key, line):
        """The index after an event that who watches a key may not see live; None for any other."""
        event, watched = parsed(line or b'{}'), self.text(key, int)
        node = event.get('node', {})
        hidden = node.get('key', '').startswith(watched) and '/_' in node['key'][len(watched):]
        above = event.get('prevNode', {}).get('dir') and watched.startswith(node['key'] + '/')
        if hidden and 'hidden-history' in self.without or above and 'lookalike' in self.without:
            return Ref(node['modifiedIndex'] + 1)
        return None

    def watch(self, key, query):
        """Opens a wait on both servers and compares the heads; returns requests with streams."""
        self.trailing = False
        requests = [Request('GET', self.path(key, number, query), None, {}) for number in
                    (int, self.pair.indexes.translate)]
        streams = [(request, Stream(server.address, request)) for request, server in zip(requests, self.pair.servers)]
        for _, stream in streams:
            stream.head(PATIENCE)
        heads = [Answer(stream.status or 0, stream.headers, b'') for _, stream in streams]
        self.pair.judge(requests, heads, self.judge_heads)
        return streams

    def compare_waits(self, streams, seconds):
        """Compares what two waits brought; returns False when nothing came from golden in time.

        Then the other is not looked at: what it brought is compared in the end anyway.
        """
        line = streams[0][1].line(seconds)
        if line is not None:
            self.compare_lines(streams, line, PATIENCE)
        return line is not None

    def compare_lines(self, streams, line, seconds):
        """Compares what golden brought, which may be nothing, with what the other brings in time."""
        lines = [line, streams[1][1].line(seconds)]
        if lines == [None, None]:
            return
        # On a busy machine golden may be the later one.
        if line is None:
            lines[0] = streams[0][1].line(PATIENCE)
        answers = [Answer(stream.status, stream.headers, line if line is not None else b'nothing came')
                   for (_, stream), line in zip(streams, lines)]
        self.pair.judge([request for request, _ in streams], answers, self.judge)

    def live(self):
        """Opens a wait, changes something, and makes sure that the wait ends."""
        key = [] if self.chance(0.15) else self.key()
        query = {'wait': 'true'}
        self.switch(query, 'recursive', 0.5)
        if self.chance(0.3):
            query['waitIndex'] = Ref(self.current + self.random.randrange(1, 4))
        streams = self.watch(key, query)
        try:
            for _ in range(self.random.randrange(3)):
                self.random.choice(self.writes)()
            self.finish(key, streams)
        finally:
            for _, stream in streams:
                stream.close()

    def finish(self, key, streams):
        """Changes the watched key itself until the golden wait has ended."""
        for _ in range(SENTINEL_TRIES):
            if self.compare_waits(streams, 0.03):
                return
            if key:
                self.touch(key)
            else:
                self.call('DELETE', [], query={'recursive': 'true'})
                self.call('PUT', ['a'], form={'value': 'new'})
        if not self.compare_waits(streams, PATIENCE):
            raise Difference(['a wait did not end on either server'])

    def touch(self, key):
        """Brings about a change of the key, by removing what is in its way."""
        answer = self.call('PUT', key, form={'value': 'touched'})
        code = parsed(answer.body).get('errorCode')
        if code == 102:
            self.call('DELETE', key, query={'recursive': 'true'})
        elif code == 104:
            for depth in range(1, len(key)):
                if parsed(self.call('GET', key[:depth]).body).get('node', {}).get('value') is not None:
                    self.call('DELETE', key[:depth])


if __name__ == '__main__':
    arguments = differential.arguments(__doc__.splitlines()[0], QUIRKS)
    servers = Pair(arguments, RULES)
    sys.exit(differential.run('v2', arguments, servers, Walk(servers, arguments)))
