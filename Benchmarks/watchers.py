"""Measures what idle v3 JSON watches cost a server, and how fast one put reaches all of them.

Usage: watchers.py URL [--watchers N] [--per-connection M] [--pid PID] [--rounds R]
Opens N watches of one key, one HTTP connection each or M on each connection, waits until all are created, and puts.
With --pid it reads the server's memory from /proc. The delays contain the time that this one thread takes to read the
events. Works on etcd, too, but there M should be 8 at most: etcd reads the body with Go's HTTP/1 server, which throws
away what has not been read when the first answer goes out, and with it create requests beyond the first 512 bytes.
"""
import argparse
import asyncio
import base64
import json
import pathlib
import resource
import secrets
import statistics
import sys
import time
import urllib.parse

AT_ONCE = 100
DEADLINE = 60


class Watches(asyncio.Protocol):
    """One connection with some watches: counts the created ones, and notes when each event came."""

    def __init__(self, request, bench, count):
        self.request, self.bench, self.count = request, bench, count
        self.raw, self.text, self.head = b'', b'', False
        self.created = 0
        self.ready = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        now = time.perf_counter()
        self.raw += data
        if not self.head and b'\r\n\r\n' in self.raw:
            head, self.raw = self.raw.split(b'\r\n\r\n', 1)
            self.head = True
            if b' 200 ' not in head.split(b'\r\n')[0]:
                return self.fail(f'a watch was refused: {head[:80]!r} {self.raw[:200]!r}')
            self.chunked = b'transfer-encoding: chunked' in head.lower()
        if self.head:
            self.decode()
            self.lines(now)

    def decode(self):
        if not self.chunked:
            self.text, self.raw = self.text + self.raw, b''
            return
        while b'\r\n' in self.raw:
            size, rest = self.raw.split(b'\r\n', 1)
            length = int(size.split(b';')[0], 16)
            if len(rest) < length + 2:
                return
            self.text, self.raw = self.text + rest[:length], rest[length + 2:]

    def lines(self, now):
        *lines, self.text = self.text.split(b'\n')
        for line in filter(None, (one.strip() for one in lines)):
            result = json.loads(line).get('result')
            if result is None:
                return self.fail(f'a watch failed: {line[:200]!r}')
            if result.get('created'):
                self.created += 1
                if self.created == self.count and not self.ready.done():
                    self.ready.set_result(None)
            for event in result.get('events', []):
                self.bench.arrived(self, result.get('watch_id', '0'), event, now)

    def connection_lost(self, error):
        self.fail(f'a watch was closed: {error!r}')

    def fail(self, why):
        self.bench.fail(why)
        if not self.ready.done():
            self.ready.set_exception(RuntimeError(why))
            self.ready.exception()


class Bench:
    """All watches, and the delays of the current round."""

    def __init__(self, given):
        self.given = given
        parts = urllib.parse.urlparse(given.url)
        self.host, self.port = parts.hostname, parts.port
        self.key = base64.b64encode(f'/bench/{secrets.token_hex(6)}'.encode()).decode()
        self.connections, self.delays, self.seen = [], [], set()
        self.began, self.value, self.all, self.closing = 0.0, '', None, False

    def request(self, path, documents):
        body = '\n'.join(json.dumps(document) for document in documents).encode()
        return (f'POST /v3{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nContent-Type: application/json\r\n'
                f'Content-Length: {len(body)}\r\n\r\n').encode() + body

    async def post(self, path, document):
        """One request on a connection of its own; returns the JSON of the answer."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(self.request(path, [document]))
        head = (await reader.readuntil(b'\r\n\r\n')).lower()
        length = int(head.split(b'content-length:')[1].split(b'\r\n')[0])
        answer = json.loads(await reader.readexactly(length))
        writer.close()
        return answer

    async def open_one(self, count):
        request = self.request('/watch', [{'create_request': {'key': self.key}}] * count)
        loop = asyncio.get_running_loop()
        _, watches = await loop.create_connection(lambda: Watches(request, self, count), self.host, self.port)
        self.connections.append(watches)
        await watches.ready

    async def open_all(self):
        """Opens all watches, some connections at a time; returns the seconds it took."""
        left, counts = self.given.watchers, []
        while left > 0:
            counts.append(min(left, self.given.per_connection))
            left -= counts[-1]
        began, gate = time.perf_counter(), asyncio.Semaphore(AT_ONCE)

        async def gated(count):
            async with gate:
                await self.open_one(count)
        await asyncio.gather(*(gated(count) for count in counts))
        return time.perf_counter() - began

    def arrived(self, connection, watch, event, now):
        if event['kv'].get('value') != self.value:
            return self.fail(f'an event of another put: {event}')
        if (connection, watch) in self.seen:
            return self.fail(f'watch {watch} got the event twice')
        self.seen.add((connection, watch))
        self.delays.append(now - self.began)
        if len(self.delays) == self.given.watchers and not self.all.done():
            self.all.set_result(None)

    def fail(self, why):
        if self.all is not None and not self.all.done() and not self.closing:
            self.all.set_exception(RuntimeError(why))

    async def round(self, number):
        """Puts once; returns the delays in seconds and how long the put itself took."""
        self.delays, self.seen, self.all = [], set(), asyncio.get_running_loop().create_future()
        self.value = base64.b64encode(f'value {number}'.encode()).decode()
        self.began = time.perf_counter()
        await self.post('/kv/put', {'key': self.key, 'value': self.value})
        put = time.perf_counter() - self.began
        try:
            await asyncio.wait_for(self.all, DEADLINE)
        except TimeoutError:
            raise RuntimeError(f'{len(self.delays)} of {self.given.watchers} watches got the event '
                               f'within {DEADLINE} s') from None
        return sorted(self.delays), put

    def close(self):
        self.closing = True
        for watches in self.connections:
            watches.transport.abort()


def memory(pid):
    """The resident memory of a process in KiB."""
    for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1])
    raise RuntimeError(f'process {pid} has no memory')


async def settled(pid):
    """The resident memory when it has stopped growing."""
    sizes = [memory(pid)]
    while len(sizes) < 4 or max(sizes[-3:]) - min(sizes[-3:]) > sizes[-1] // 200 and len(sizes) < 40:
        await asyncio.sleep(0.25)
        sizes.append(memory(pid))
    return sizes[-1]


def milliseconds(seconds):
    return f'{seconds * 1000:.1f} ms'


def enough_files(connections):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and connections + 50 > hard:
        raise SystemExit(f'{connections} connections need more than the {hard} files that this process may open')
    if soft < connections + 50:
        resource.setrlimit(resource.RLIMIT_NOFILE, (connections + 50, hard))


async def measure(given):
    bench = Bench(given)
    connections = -(-given.watchers // given.per_connection)
    enough_files(connections)
    await bench.post('/kv/range', {'key': bench.key})
    before = await settled(given.pid) if given.pid else 0
    try:
        took = await asyncio.wait_for(bench.open_all(), DEADLINE)
    except TimeoutError:
        created = sum(watches.created for watches in bench.connections)
        raise RuntimeError(f'{created} of {given.watchers} watches were created within {DEADLINE} s') from None
    print(f'- {given.watchers:,} watches on {connections:,} connections, opened in {took:.2f} s')
    if given.pid:
        after = await settled(given.pid)
        print(f'  - server memory: {before:,} KiB before, {after:,} KiB with the watches, '
              f'{(after - before) / given.watchers:.2f} KiB each')
    for number in range(given.rounds):
        delays, put = await bench.round(number)
        p99 = delays[min(len(delays) - 1, len(delays) * 99 // 100)]
        print(f'  - put {number + 1}: answered in {milliseconds(put)}; events after min {milliseconds(delays[0])}, median '
              f'{milliseconds(statistics.median(delays))}, p99 {milliseconds(p99)}, max {milliseconds(delays[-1])}')
    bench.close()
    await bench.post('/kv/deleterange', {'key': bench.key})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('url')
    parser.add_argument('--watchers', type=int, default=1000)
    parser.add_argument('--per-connection', type=int, default=1)
    parser.add_argument('--pid', type=int, help="the server's process, to read its memory")
    parser.add_argument('--rounds', type=int, default=3, help='how often to put')
    given = parser.parse_args()
    try:
        asyncio.run(measure(given))
    except (RuntimeError, OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        print(f'FAIL {type(error).__name__}: {error}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
