"""Proves that etcd3 (python-etcd3, the gRPC client of the v3 API) works against a server.

Usage: client_etcd3.py HOST:PORT
"""
import io
import os
import queue
import sys
import threading
import warnings

# etcd3 0.12.0 carries code from an old protoc, which only protobuf's Python implementation still loads.
os.environ.setdefault('PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION', 'python')
warnings.filterwarnings('ignore', message='Call to deprecated create function')

import etcd3  # noqa: E402  after the environment is set
import etcd3.etcdrpc as rpc  # noqa: E402
import etcd3.exceptions  # noqa: E402
import grpc  # noqa: E402

import proof  # noqa: E402
from proof import between, has, holds, raises, random_prefix, same, soon  # noqa: E402

WAIT = 15


class Context:
    """The client and the prefix below which everything happens."""

    def __init__(self, address):
        self.host, port = address.rsplit(':', 1)
        self.port = int(port)
        self.client = self.connect()
        self.prefix = random_prefix('etcd3')

    def connect(self):
        return etcd3.client(host=self.host, port=self.port, timeout=WAIT)

    def key(self, name):
        return self.prefix + name

    def folder(self, name, values):
        """Puts numbered values below a folder of its own, and returns the folder."""
        folder = self.key(name + '/')
        for number, value in enumerate(values):
            self.client.put(f'{folder}{number}', value)
        return folder


def tails(pairs):
    """The last characters of the keys of (value, metadata) pairs."""
    return ''.join(meta.key.decode()[-1] for _, meta in pairs)


def status_and_members(context):
    """Status names a version, a size and a leader, who is a member."""
    status = context.client.status()
    holds('the version has three numbers', len(status.version.split('.')) == 3, status.version)
    holds('the database has a size', status.db_size > 0, status.db_size)
    holds('a raft term and index', status.raft_term > 0 and status.raft_index > 0, vars(status))
    members = list(context.client.members)
    has('the leader is a member', [member.id for member in members], status.leader.id)
    holds('client urls', members[0].client_urls[0].startswith('http'), members[0].client_urls)
    same('no alarm of the member', list(members[0].active_alarms), [])


def put_and_get(context):
    """A put is read back with value and metadata; text, bytes, empty values."""
    client, key = context.client, context.key('put')
    same('a missing key', client.get(key), (None, None))
    answer = client.put(key, 'one')
    value, meta = client.get(key)
    same('value', value, b'one')
    same('key', meta.key, key.encode())
    same('version', meta.version, 1)
    same('create and mod revision', (meta.create_revision, meta.mod_revision), (answer.header.revision,) * 2)
    same('no lease', meta.lease_id, 0)
    holds('header', meta.response_header.revision >= answer.header.revision, meta.response_header)
    same('the same cluster', meta.response_header.cluster_id, answer.header.cluster_id)
    second = client.put(key, b'\x00\xff', prev_kv=True)
    same('previous', (second.prev_kv.value, second.prev_kv.version), (b'one', 1))
    value, meta = client.get(key, serializable=True)
    same('bytes', value, b'\x00\xff')
    same('version', meta.version, 2)
    client.put(key, '')
    same('an empty value', client.get(key)[0], b'')
    client.put(context.prefix.encode() + b'\xff\x00', 'x')
    same('a key that is not UTF-8', client.get(context.prefix.encode() + b'\xff\x00')[0], b'x')
    same('the whole response', client.get_response(key).count, 1)


def ranges(context):
    """Prefixes, ranges and all keys are read in the order of the keys."""
    client, folder = context.client, context.folder('range', ['c', 'b', 'a'])
    same('prefix', [value for value, _ in client.get_prefix(folder)], [b'c', b'b', b'a'])
    same('range', [value for value, _ in client.get_range(folder + '0', folder + '2')], [b'c', b'b'])
    same('keys only', [value for value, _ in client.get_prefix(folder, keys_only=True)], [b''] * 3)
    same('count', client.get_prefix_response(folder).count, 3)
    same('an empty range', list(client.get_range(folder + '5', folder + '6')), [])
    same('a range that ends before it begins', list(client.get_range(folder + '2', folder + '1')), [])
    everything = [meta.key for _, meta in client.get_all()]
    same('all, in order', everything, sorted(everything))
    has('all has ours', everything, folder.encode() + b'1')
    same('all, keys only', [meta.key for _, meta in client.get_all(keys_only=True)], everything)


def sorting(context):
    """Results are sorted by each target, both ways."""
    client, folder = context.client, context.folder('sort', ['m', 'z', 'a'])
    client.put(folder + '0', 'm')
    client.put(folder + '0', 'm')
    client.put(folder + '1', 'z')
    expected = {'key': '012', 'version': '210', 'create': '012', 'mod': '201', 'value': '201'}
    for target, order in expected.items():
        for way, want in (('ascend', order), ('descend', order[::-1])):
            same(f'{way} by {target}', tails(client.get_prefix(folder, sort_order=way, sort_target=target)), want)
    raises('an unknown order', ValueError, lambda: list(client.get_prefix(folder, sort_order='sideways')))


def deletes(context):
    """Delete says whether there was something, with the previous pair when asked; prefixes are deleted whole."""
    client, folder = context.client, context.folder('delete', ['x', 'y', 'z'])
    same('a missing key', client.delete(folder + 'none'), False)
    same('one key', client.delete(folder + '1'), True)
    answer = client.delete(folder + '0', prev_kv=True, return_response=True)
    same('previous', [kv.value for kv in answer.prev_kvs], [b'x'])
    before = answer.header.revision
    same('nothing to delete takes no revision', client.delete_prefix(folder + '9').header.revision, before)
    client.put(context.key('delete0'), 'neighbour')
    client.put(folder + '4', 'w')
    gone = client.delete_prefix(folder)
    same('prefix', gone.deleted, 2)
    same('one revision for all', gone.header.revision, before + 3)
    same('the neighbour is there', client.get(context.key('delete0'))[0], b'neighbour')


def create_and_replace(context):
    """put_if_not_exists succeeds once, replace only with the right value."""
    client, key = context.client, context.key('create')
    same('create', client.put_if_not_exists(key, 'one'), True)
    same('create again', client.put_if_not_exists(key, 'two'), False)
    same('replace with a wrong value', client.replace(key, 'wrong', 'two'), False)
    same('replace', client.replace(key, 'one', 'two'), True)
    same('the second is there', client.get(key)[0], b'two')


def comparisons(context):
    """Every comparison of a transaction is true or false as the numbers say."""
    client, key = context.client, context.key('compare')
    client.put(key, 'm')
    client.put(key, 'm')
    _, meta = client.get(key)
    made = {'value': ('a', 'm', 'z'), 'version': (1, 2, 3)}
    for name, number in (('create', meta.create_revision), ('mod', meta.mod_revision)):
        made[name] = (number - 1, number, number + 1)
    for name, operands in made.items():
        target = getattr(client.transactions, name)
        results = ''
        for operand in operands:
            for compare in (target(key) == operand, target(key) != operand, target(key) < operand,
                            target(key) > operand):
                results += 'T' if client.transaction([compare], [], [])[0] else 'F'
        same(f'{name}: =, !=, <, > with less, equal, more', results, 'FTFT' + 'TFFF' + 'FTTF')
    missing = context.key('missing')
    ops = client.transactions
    same('a missing key has version 0', client.transaction([ops.version(missing) == 0], [], [])[0], True)
    same('but no value', client.transaction([ops.value(missing) == ''], [], [])[0], False)


def transactions(context):
    """A transaction does one branch wholly, in one revision, and answers each operation."""
    client, folder = context.client, context.folder('txn', ['a', 'b'])
    ops = client.transactions
    done, answers = client.transaction(
        compare=[ops.value(folder + '0') == 'a', ops.version(folder + '1') > 0],
        success=[ops.put(folder + '2', 'c', prev_kv=True), ops.get(folder + '2'),
                 ops.delete(folder + '0', prev_kv=True), ops.get(folder, range_end=folder[:-1] + '0')],
        failure=[ops.put(folder + '2', 'wrong')])
    same('succeeded', done, True)
    same('the get sees the put', answers[1][0][0], b'c')
    same('previous of the delete', answers[2].response_delete_range.prev_kvs[0].value, b'a')
    same('the range sees both', [value for value, _ in answers[3]], [b'b', b'c'])
    same('one revision', {kv.mod_revision for _, kv in [client.get(folder + '2')]},
         {answers[0].response_put.header.revision})
    done, answers = client.transaction([ops.value(folder + '1') == 'x'], [ops.put(folder + '1', 'y')],
                                       [ops.get(folder + '1')])
    same('failed', (done, answers[0][0][0]), (False, b'b'))
    inner = ops.txn(compare=[ops.value(folder + '1') == 'b'], success=[ops.put(folder + '3', 'in')],
                    failure=[ops.put(folder + '3', 'out')])
    done, answers = client.transaction([], [inner], [])
    same('nested', (done, answers[0].response_txn.succeeded, client.get(folder + '3')[0]), (True, True, b'in'))
    done, _ = client.transaction([ops.version(folder, range_end=folder[:-1] + '0') > 0], [], [])
    same('a comparison over a range', done, True)
    error = raises('one key twice', grpc.RpcError,
                   lambda: client.transaction([], [ops.put(folder, '1'), ops.put(folder, '2')], []),
                   'etcdserver: duplicate key given in txn request')
    same('code', error.code(), grpc.StatusCode.INVALID_ARGUMENT)


def leases(context):
    """A lease counts down, is refreshed, knows its keys, and takes them along when revoked."""
    client, key = context.client, context.key('lease')
    lease = client.lease(60)
    same('ttl', lease.ttl, 60)
    between('remaining', lease.remaining_ttl, 58, 60)
    same('granted', lease.granted_ttl, 60)
    client.put(key, 'held', lease=lease)
    client.put(key + '2', 'held', lease=lease.id)
    same('keys', sorted(lease.keys), [key.encode(), key.encode() + b'2'])
    same('the key names its lease', client.get(key)[1].lease_id, lease.id)
    [kept] = lease.refresh()
    same('refresh', (kept.TTL, kept.ID), (60, lease.id))
    chosen = client.lease(60, lease_id=lease.id ^ 0x55)
    same('a chosen id', chosen.id, lease.id ^ 0x55)
    raises('granted twice', etcd3.exceptions.PreconditionFailedError, lambda: client.lease(60, lease_id=chosen.id))
    client.put(key + '2', 'free', lease=chosen)
    same('the key has moved', (lease.keys, chosen.keys), ([key.encode()], [key.encode() + b'2']))
    lease.revoke()
    same('gone', (client.get(key), client.get(key + '2')[0]), ((None, None), b'free'))
    same('ttl of a revoked lease', lease.remaining_ttl, -1)
    same('refresh of a revoked lease', [kept.TTL for kept in lease.refresh()], [0])
    error = raises('revoked again', grpc.RpcError, lease.revoke, 'etcdserver: requested lease not found')
    same('code', error.code(), grpc.StatusCode.NOT_FOUND)
    raises('a put with it', grpc.RpcError, lambda: client.put(key, 'x', lease=lease), 'requested lease not found')


def lease_ends(context):
    """A lease that nobody refreshes takes its key away; one that is refreshed does not."""
    client = context.client
    mortal, kept = client.lease(2), client.lease(2)
    client.put(context.key('mortal'), 'x', lease=mortal)
    client.put(context.key('kept'), 'x', lease=kept)

    def refresh_and_look():
        kept.refresh()
        return client.get(context.key('mortal'))[0]
    soon('the key expires', refresh_and_look, lambda value: value is None)
    same('the other is there', client.get(context.key('kept'))[0], b'x')
    kept.revoke()


def brief(event):
    kind = 'PUT' if isinstance(event, etcd3.events.PutEvent) else 'DELETE'
    return kind, event.key.decode().rsplit('/', 1)[-1], event.value


def take(iterator, count):
    """Takes `count` items from an iterator, or fails after WAIT seconds."""
    items, done = [], threading.Event()

    def fill():
        for item in iterator:
            items.append(item)
            if len(items) == count:
                break
        done.set()
    threading.Thread(target=fill, daemon=True).start()
    holds(f'{count} items within {WAIT} s', done.wait(WAIT), items)
    return items


def watch(context):
    """A watch delivers puts and deletes of one key in order, and cancel ends the iteration."""
    client, key = context.client, context.key('watch')
    events, cancel = client.watch(key, prev_kv=True)
    client.put(key + '-other', 'unseen')
    client.put(key, '1')
    client.put(key, '2')
    client.delete(key)
    got = take(events, 3)
    same('events', [brief(e) for e in got], [('PUT', 'watch', b'1'), ('PUT', 'watch', b'2'), ('DELETE', 'watch', b'')])
    same('previous', [event.prev_value for event in got], [b'', b'1', b'2'])
    same('revisions', [event.mod_revision - got[0].mod_revision for event in got], [0, 1, 2])
    cancel()
    same('nothing after cancel', list(events), [])


def watch_prefix(context):
    """One transaction is one response of a prefix watch, and its header has the revision."""
    client, folder = context.client, context.key('watched/')
    responses, cancel = client.watch_prefix_response(folder)
    ops = client.transactions
    client.transaction([], [ops.put(folder + 'a', '1'), ops.put(folder + 'b', '1')], [])
    client.delete_prefix(folder)
    got = take(responses, 2)
    cancel()
    same('events of a response', [[brief(event)[:2] for event in response.events] for response in got],
         [[('PUT', 'a'), ('PUT', 'b')], [('DELETE', 'a'), ('DELETE', 'b')]])
    same('the header has the revision', [response.header.revision for response in got],
         [response.events[0].mod_revision for response in got])
    events, cancel = client.watch_prefix(folder)
    client.put(folder + 'c', '1')
    same('an event', brief(take(events, 1)[0]), ('PUT', 'c', b'1'))
    cancel()


def watch_callbacks(context):
    """Many watches share one stream, each calls its own callback, and a cancelled one is silent."""
    client, folder = context.client, context.key('callbacks/')
    arrived = queue.Queue()
    ids = [client.add_watch_callback(f'{folder}{n}', lambda response, n=n: arrived.put((n, response.events[0].value)))
           for n in range(20)]
    same('each has its id', len(set(ids)), 20)
    whole = client.add_watch_prefix_callback(folder, lambda response: arrived.put(('all', response.events[0].value)))
    client.cancel_watch(ids[3])
    for n in (3, 7, 11):
        client.put(f'{folder}{n}', str(n))
    got = sorted((str(who), value) for who, value in (arrived.get(timeout=WAIT) for _ in range(5)))
    same('who was called', got, [('11', b'11'), ('7', b'7'), ('all', b'11'), ('all', b'3'), ('all', b'7')])
    for watch_id in [whole, *ids]:
        client.cancel_watch(watch_id)
    client.put(folder + '7', 'unseen')
    events, cancel = client.watch(folder + 'last')
    client.put(folder + 'last', 'x')
    take(events, 1)
    cancel()
    same('nothing more came', arrived.empty(), True)


def watch_history(context):
    """A watch from a past revision delivers what happened since, then what happens now."""
    client, folder = context.client, context.folder('past', ['0', '1', '2'])
    start = client.get(folder + '1')[1].mod_revision
    events, cancel = client.watch_prefix(folder, start_revision=start)
    client.put(folder + '3', '3')
    same('from there on', [brief(event)[1] for event in take(events, 3)], ['1', '2', '3'])
    cancel()
    once = client.watch_once(folder + '2', timeout=WAIT, start_revision=start)
    same('once', brief(once), ('PUT', '2', b'2'))
    once = client.watch_prefix_once(folder, timeout=WAIT, start_revision=start)
    same('once, a prefix', brief(once), ('PUT', '1', b'1'))
    raises('nothing happens', etcd3.exceptions.WatchTimedOut, lambda: client.watch_once(folder + '9', timeout=0.3))


def compaction(context):
    """After a compaction older revisions cannot be watched, the present is untouched, and compacting again fails."""
    client, key = context.client, context.key('compact')
    first = client.put(key, '1').header.revision
    second = client.put(key, '2').header.revision
    client.compact(second)
    same('the present', client.get(key)[0], b'2')
    events, _ = client.watch(key, start_revision=first)
    error = raises('a watch from before', etcd3.exceptions.RevisionCompactedError, lambda: next(iter(events)))
    holds('it says where history begins', error.compacted_revision >= second, error.compacted_revision)
    events, cancel = client.watch(key, start_revision=second)
    same('a watch from there', brief(take(events, 1)[0]), ('PUT', 'compact', b'2'))
    cancel()
    raises('again', grpc.RpcError, lambda: client.compact(first),
           'etcdserver: mvcc: required revision has been compacted')
    error = raises('the future', grpc.RpcError, lambda: client.compact(second + 10 ** 9, physical=True),
                   'etcdserver: mvcc: required revision is a future revision')
    same('code', error.code(), grpc.StatusCode.OUT_OF_RANGE)
    client.compact(client.put(key, '3').header.revision, physical=True)


def lock(context):
    """The client's lock recipe keeps a second holder out until release, and hands over to one who waits."""
    client, other = context.client, context.connect()
    first, second = client.lock(context.prefix + 'lock', ttl=30), other.lock(context.prefix + 'lock', ttl=30)
    same('acquire', first.acquire(), True)
    same('acquired', first.is_acquired(), True)
    same('the second does not get it', second.acquire(timeout=0), False)
    same('nor may release it', second.release(), False)
    same('refresh', [kept.TTL for kept in first.refresh()], [30])
    releasing = threading.Timer(0.3, first.release)
    releasing.start()
    same('the second gets it by watching', second.acquire(timeout=WAIT), True)
    releasing.join()
    same('the first has lost it', first.is_acquired(), False)
    second.lease.revoke()
    same('a lock ends with its lease', second.is_acquired(), False)
    with client.lock(context.prefix + 'lock2') as held:
        same('held in the block', held.is_acquired(), True)
    same('free after the block', held.is_acquired(), False)


def maintenance(context):
    """Snapshot, hash, defragmentation and the list of alarms answer."""
    client, file = context.client, io.BytesIO()
    client.put(context.key('kept'), 'x')
    client.snapshot(file)
    holds('a snapshot has bytes', len(file.getvalue()) > 0, len(file.getvalue()))
    holds('a hash', 0 <= client.hash() < 2 ** 32)
    same('no alarms', list(client.list_alarms()), [])
    same('disarming none', client.disarm_alarm(), [])
    client.defragment()
    same('the data is there', client.get(context.key('kept'))[0], b'x')


def errors(context):
    """Errors keep etcd's codes and texts."""
    client = context.client
    error = raises('an empty key', grpc.RpcError, lambda: client.put('', 'x'), 'etcdserver: key is not provided')
    same('code', error.code(), grpc.StatusCode.INVALID_ARGUMENT)
    error = raises('too large', grpc.RpcError, lambda: client.put(context.key('big'), b'x' * (1600 << 10)),
                   'etcdserver: request is too large')
    same('code', error.code(), grpc.StatusCode.INVALID_ARGUMENT)
    error = raises('far too large', grpc.RpcError, lambda: client.put(context.key('big'), b'x' * (3 << 20)))
    same('code', error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
    client.put(context.key('quite-big'), b'x' * (1 << 20))
    same('a megabyte is fine', len(client.get(context.key('quite-big'))[0]), 1 << 20)


def beyond_the_client(context):
    """What etcd3 does not wrap answers through its stubs: limit, count, history, ignore_value, list of leases."""
    stub, folder = context.client.kvstub, context.folder('stubs', ['a', 'b', 'c']).encode()
    asked = rpc.RangeRequest(key=folder, range_end=folder[:-1] + b'0', limit=2)
    got = stub.Range(asked, WAIT)
    same('limit', (len(got.kvs), got.more, got.count), (2, True, 3))
    got = stub.Range(rpc.RangeRequest(key=folder, range_end=folder[:-1] + b'0', count_only=True), WAIT)
    same('count only', (len(got.kvs), got.more, got.count), (0, False, 3))
    first = stub.Range(rpc.RangeRequest(key=folder + b'0'), WAIT).kvs[0].mod_revision
    context.client.put(folder + b'0', 'changed')
    got = stub.Range(rpc.RangeRequest(key=folder + b'0', revision=first), WAIT)
    same('history', got.kvs[0].value, b'a')
    stub.Put(rpc.PutRequest(key=folder + b'0', ignore_value=True), WAIT)
    same('ignore_value', context.client.get(folder + b'0')[0], b'changed')
    raises('ignore_value on a missing key', grpc.RpcError,
           lambda: stub.Put(rpc.PutRequest(key=folder + b'9', ignore_value=True), WAIT), 'etcdserver: key not found')
    lease = context.client.lease(30)
    has('the list of leases', [item.ID for item in context.client.leasestub.LeaseLeases(rpc.LeaseLeasesRequest(), WAIT)
                               .leases], lease.id)
    lease.revoke()


def calls_given_up(context):
    """A watch goes on beside hundreds of watches on the same connection that are given up, and so do calls."""
    channel = grpc.insecure_channel(f'{context.host}:{context.port}')
    stub, kv = rpc.WatchStub(channel), rpc.KVStub(channel)

    def open_watch(key):
        requests = queue.Queue()
        requests.put(rpc.WatchRequest(create_request=rpc.WatchCreateRequest(key=key)))
        call = stub.Watch(iter(requests.get, None))
        holds('the watch is made', next(call).created)
        return call, requests
    key = context.key('stays').encode()
    stays, requests = open_watch(key)
    for number in range(300):
        call, given_up = open_watch(f'{context.prefix}goes-{number}'.encode())
        call.cancel()
        given_up.put(None)
    kv.Put(rpc.PutRequest(key=key, value=b'still'), timeout=WAIT)
    same('its event', next(stays).events[0].kv.value, b'still')
    stays.cancel()
    requests.put(None)
    channel.close()


def clean_up(context):
    """Everything below the prefix goes away."""
    context.client.delete_prefix(context.prefix)
    same('nothing is left', list(context.client.get_prefix(context.prefix)), [])


STEPS = [status_and_members, put_and_get, ranges, sorting, deletes, create_and_replace, comparisons, transactions,
         leases, lease_ends, watch, watch_prefix, watch_callbacks, watch_history, compaction, lock, maintenance, errors,
         beyond_the_client, calls_given_up, clean_up]


if __name__ == '__main__':
    given = proof.arguments(__doc__.splitlines()[0], 'HOST:PORT')
    sys.exit(proof.run('etcd3', STEPS, Context(given.address), given))
