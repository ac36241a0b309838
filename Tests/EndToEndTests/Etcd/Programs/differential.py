"""What the differential programs share: two servers, one random sequence, answers compared after each step.

The golden server's indexes (v2) or revisions (v3) are matched with the other's by a growing map that must preserve
their order; a request names an index by the golden number, and each server is asked with its own.
"""
import argparse
import bisect
import collections
import datetime
import http.client
import json
import random
import re
import sys
import time
import urllib.parse

ANSWER_SECONDS = 30
CLOCK_SECONDS = 5
HISTORY = 12
PROGRESS = 20000


class Ref(int):
    """A golden index in a request, to be asked with each server's own number."""


class Difference(Exception):
    """The servers answered differently; the argument lists how."""


Request = collections.namedtuple('Request', 'method path body headers')
Answer = collections.namedtuple('Answer', 'status headers body')


class Server:
    """One server and a connection that is kept alive."""

    def __init__(self, url):
        parts = urllib.parse.urlparse(url)
        self.url, self.address = url, (parts.hostname, parts.port)
        self.connection = None

    def open(self, timeout=ANSWER_SECONDS):
        """A new connection of its own, for a watch."""
        return http.client.HTTPConnection(*self.address, timeout=timeout)

    def send(self, request):
        if self.connection is None:
            self.connection = self.open()
        send(self.connection, request)

    def receive(self):
        try:
            response = self.connection.getresponse()
            answer = Answer(response.status, fold(response), response.read())
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.connection = None
            return Answer(0, {}, f'no answer: {error!r}'.encode())
        if response.will_close:
            self.connection.close()
            self.connection = None
        return answer


def send(connection, request):
    """Sends a request, once more on a new connection when the kept one was closed meanwhile."""
    try:
        connection.request(request.method, request.path, request.body, request.headers)
    except (BrokenPipeError, ConnectionResetError, http.client.CannotSendRequest):
        connection.close()
        connection.request(request.method, request.path, request.body, request.headers)


def fold(response):
    """The headers of a response by their names in small letters."""
    return {name.lower(): value for name, value in response.getheaders()}


class IndexMap:
    """The golden numbers and the other's, in the same order."""

    def __init__(self):
        self.golden, self.other, self.known, self.offsets = [], [], {}, set()

    def learn(self, golden, other):
        """Notes that two numbers mean the same; returns what is wrong with that, or None."""
        if golden == 0 or other == 0:
            return None if golden == other else f'{other}, expected {golden}'
        if golden in self.known:
            known = self.known[golden]
            return None if known == other else f'{other}, expected {known} (golden {golden})'
        place = bisect.bisect_left(self.golden, golden)
        if place > 0 and self.other[place - 1] >= other or place < len(self.other) and self.other[place] <= other:
            return f'{other} is out of order (golden {golden})'
        self.golden.insert(place, golden)
        self.other.insert(place, other)
        self.known[golden] = other
        self.offsets.add(other - golden)
        return None

    def translate(self, golden):
        """The other's number; for an unknown one, as far from the nearest known one below as the golden is."""
        if golden <= 0 or golden in self.known:
            return self.known.get(golden, int(golden))
        place = bisect.bisect_left(self.golden, golden)
        if place == 0:
            return golden + (self.other[0] - self.golden[0] if self.golden else 0)
        return self.other[place - 1] + golden - self.golden[place - 1]

    def describe(self):
        if len(self.offsets) == 1:
            return f'constant offset {next(iter(self.offsets))}'
        return f"offsets {sorted(self.offsets)[:10]}"


class Comparison:
    """Compares two JSON documents; `rules` names the members that are not compared literally."""

    def __init__(self, indexes, rules, strict_order=False):
        self.indexes, self.rules, self.strict_order = indexes, rules, strict_order
        self.wrong = []

    def differ(self, path, golden, other):
        self.wrong.append(f'{path}: golden {short(golden)}, other {short(other)}')

    def documents(self, path, golden, other):
        """Compares two values of any kind."""
        if type(golden) is not type(other):
            self.differ(path, golden, other)
        elif isinstance(golden, dict):
            self.objects(path, golden, other)
        elif isinstance(golden, list):
            if len(golden) != len(other):
                self.differ(f'{path} has {len(golden)} and {len(other)} items', golden, other)
            for place, (one, two) in enumerate(zip(golden, other)):
                self.documents(f'{path}[{place}]', one, two)
        elif golden != other:
            self.differ(path, golden, other)

    def objects(self, path, golden, other):
        if self.strict_order and list(golden) != list(other):
            self.differ(f'{path}, order of members', list(golden), list(other))
        for name in [*golden, *(name for name in other if name not in golden)]:
            rule = self.rules.get(name, Comparison.documents)
            if rule is None:
                continue
            if name not in golden or name not in other:
                self.differ(f'{path}.{name}', golden.get(name, 'nothing'), other.get(name, 'nothing'))
            else:
                rule(self, f'{path}.{name}', golden[name], other[name])

    def index(self, path, golden, other):
        """Compares two indexes, as numbers or as text, by the map."""
        if type(golden) is not type(other) or not str(other).lstrip('-').isdigit():
            return self.differ(path, golden, other)
        wrong = self.indexes.learn(int(golden), int(other))
        if wrong:
            self.wrong.append(f'{path}: {wrong}')

    def seconds(self, path, golden, other):
        """Compares two times to live, which were read one after the other, on a busy machine."""
        if type(golden) is not type(other) or abs(int(golden) - int(other)) > CLOCK_SECONDS:
            self.differ(path, golden, other)

    def instant(self, path, golden, other):
        """Compares two times of expiry, which were computed by two clocks one after the other."""
        pattern = r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z'
        if not re.fullmatch(pattern, str(golden)) or not re.fullmatch(pattern, str(other)):
            return self.differ(path, golden, other)
        if abs((when(golden) - when(other)).total_seconds()) > CLOCK_SECONDS:
            self.differ(path, golden, other)

    def texts(self, path, golden, other, pattern):
        """Compares two texts in which the pattern's matches are indexes."""
        if type(golden) is not type(other) or re.sub(pattern, '#', golden) != re.sub(pattern, '#', other):
            return self.differ(path, golden, other)
        for one, two in zip(re.findall(pattern, golden), re.findall(pattern, other)):
            self.index(path, int(one), int(two))


def when(text):
    base, _, fraction = text.rstrip('Z').partition('.')
    moment = datetime.datetime.strptime(base, '%Y-%m-%dT%H:%M:%S')
    return moment + datetime.timedelta(seconds=float('0.' + (fraction or '0')))


def short(value, limit=400):
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, bytes) else repr(value)
    return text if len(text) <= limit else text[:limit] + f'… ({len(text)} characters)'


def parsed(body):
    """The JSON of a body, or its text."""
    text = body.decode('utf-8', 'replace')
    try:
        return json.loads(text)
    except ValueError:
        return text


class Pair:
    """The golden server and the other, asked in turn with the same requests."""

    def __init__(self, arguments, rules):
        self.servers = (Server(arguments.golden), Server(arguments.other))
        self.indexes, self.rules, self.strict_order = IndexMap(), rules, arguments.order
        self.recent = collections.deque(maxlen=HISTORY)
        self.counts = collections.Counter()

    def ask(self, make, judge):
        """Asks both with `make(number)`, number translating a Ref, and judges the answers; returns the golden one."""
        requests = [make(int), make(self.indexes.translate)]
        for server, request in zip(self.servers, requests):
            server.send(request)
        answers = [server.receive() for server in self.servers]
        return self.judge(requests, answers, judge)

    def judge(self, requests, answers, judge):
        """Compares two answers with `judge(comparison, golden, other)`; raises Difference."""
        self.recent.append((requests, answers))
        self.counts[f'{requests[0].method} {answers[0].status}'] += 1
        comparison = self.comparison()
        try:
            judge(comparison, *answers)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            comparison.wrong.append(f'the answers have different shapes: {error!r}')
        if comparison.wrong:
            raise Difference(comparison.wrong)
        return answers[0]

    def comparison(self):
        return Comparison(self.indexes, self.rules, self.strict_order)


def report(name, arguments, step, pair, error, readable):
    """Prints a difference so that it can be reproduced."""
    print(f'DIFFERENCE {name}: seed {arguments.seed}, step {step}')
    for line in error.args[0]:
        print('  ' + line)
    past, last = list(pair.recent)[:-1], list(pair.recent)[-1:]
    for requests, answers in last:
        for who, request, answer in zip(('golden', 'other '), requests, answers):
            print(f'  {who}: {show(request, answer, readable, 4000)}')
    print('  before that, newest last (golden):')
    for requests, answers in past:
        print(f'    {show(requests[0], answers[0], readable, 700)}')
    print(f'  again: --seed {arguments.seed} --steps {step + 1}')


def show(request, answer, readable, limit):
    """One exchange in two lines."""
    asked = readable(request.body) if request.body else ''
    return (f'{request.method} {request.path} {asked[:limit]}\n'
            f'          -> {answer.status} {index_of(answer)}{readable(answer.body)[:limit]}')


def plain(body):
    """A body as text."""
    return body.decode('utf-8', 'replace').rstrip('\n') if isinstance(body, bytes) else body


def index_of(answer):
    index = answer.headers.get('x-etcd-index')
    return f'[X-Etcd-Index {index}] ' if index else ''


def arguments(description, quirks):
    """Reads the command line: two URLs, how many steps, the seed, and which of etcd's quirks not to ask for."""
    listed = '; '.join(f'{name}: {text}' for name, text in quirks.items())
    parser = argparse.ArgumentParser(description=description, epilog=f'quirks: {listed}')
    parser.add_argument('golden', help='base URL of the golden etcd')
    parser.add_argument('other', help='base URL of the server under test')
    parser.add_argument('--steps', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=None, help='default: from the clock')
    parser.add_argument('--without', action='append', default=[], choices=list(quirks), help='leave a quirk out')
    parser.add_argument('--order', action='store_true', help='compare the order of JSON members, too')
    parser.add_argument('--constant', action='store_true', help='require that indexes differ by a constant')
    given = parser.parse_args()
    given.seed = time.time_ns() % 1_000_000 if given.seed is None else given.seed
    return given


def run(name, given, pair, walk):
    """Runs a walk (with `begin`, `step` and `end`) for the steps asked for; returns the exit code."""
    walk.random = random.Random(given.seed)
    began, step = time.monotonic(), -1
    try:
        walk.begin()
        for step in range(given.steps):
            walk.step()
            if (step + 1) % PROGRESS == 0:
                print(f'{name}: {step + 1} steps agree', file=sys.stderr, flush=True)
        walk.end()
        if given.constant and len(pair.indexes.offsets) > 1:
            raise Difference([f'the indexes differ by {sorted(pair.indexes.offsets)[:20]}'])
    except Difference as error:
        report(name, given, step, pair, error, walk.readable)
        return 1
    took = time.monotonic() - began
    print(f'ok {name}: {given.steps} steps, {sum(pair.counts.values())} requests to each in {took:.1f} s, '
          f'seed {given.seed}, {pair.indexes.describe()}')
    print('   ' + ', '.join(f'{what}: {count}' for what, count in sorted(walk.done.items())))
    print('   ' + ', '.join(f'{what}: {count}' for what, count in sorted(pair.counts.items())))
    sys.stdout.flush()
    return 0

