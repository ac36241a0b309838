"""Proves that aetcd (the asyncio gRPC client of the v3 API) works against a server.

Usage: client_aetcd.py HOST:PORT
"""
import asyncio
import io
import sys

import aetcd
import aetcd.exceptions as errors_of
import aetcd.rpc as rpc
from aetcd.rtypes import EventKind

import proof
from proof import between, has, holds, raises_async, random_prefix, same, soon_async

WAIT = 15


class Context:
    """The client and the prefix below which everything happens."""

    def __init__(self, address):
        self.host, port = address.rsplit(':', 1)
        self.port = int(port)
        self.client = self.connect()
        self.prefix = random_prefix('aetcd').encode()

    def connect(self):
        return aetcd.Client(host=self.host, port=self.port, timeout=WAIT)

    def key(self, name):
        return self.prefix + name.encode()

    async def folder(self, name, values):
        """Puts numbered values below a folder of its own, and returns the folder."""
        folder = self.key(name + '/')
        for number, value in enumerate(values):
            await self.client.put(folder + str(number).encode(), value)
        return folder


def end_of(prefix):
    return prefix[:-1] + bytes([prefix[-1] + 1])


def tails(items):
    return b''.join(item.key[-1:] for item in items)


async def status_and_members(context):
    """Status names a version, a size and a leader, who is a member."""
    status = await context.client.status()
    holds('the version has three numbers', len(status.version.split('.')) == 3, status.version)
    holds('the database has a size', status.db_size > 0, status.db_size)
    holds('a raft term and index', status.raft_term > 0 and status.raft_index > 0, vars(status))
    members = [member async for member in context.client.members()]
    has('the leader is a member', [member.id for member in members], status.leader.id)
    holds('client urls', members[0].client_urls[0].startswith('http'), members[0].client_urls)


async def put_and_get(context):
    """A put is read back with value and metadata."""
    client, key = context.client, context.key('put')
    same('a missing key', await client.get(key), None)
    answer = await client.put(key, b'one')
    same('no previous', answer.prev_kv, None)
    got = await client.get(key)
    same('pair', (got.key, got.value, got.version, got.lease), (key, b'one', 1, 0))
    same('revisions', (got.create_revision, got.mod_revision), (answer.header.revision,) * 2)
    same('the same cluster', got.header.cluster_id, answer.header.cluster_id)
    second = await client.put(key, b'\x00\xff', prev_kv=True)
    same('previous', (second.prev_kv.value, second.prev_kv.version), (b'one', 1))
    got = await client.get(key, serializable=True)
    same('bytes', (got.value, got.version), (b'\x00\xff', 2))
    await client.put(key + b'\xff\x00', b'')
    got = await client.get(key + b'\xff\x00')
    same('an empty value below a key that is not UTF-8', got.value, b'')


async def ranges(context):
    """Prefixes, ranges and all keys are read in the order of the keys."""
    client, folder = context.client, await context.folder('range', [b'c', b'b', b'a'])
    got = await client.get_prefix(folder)
    same('prefix', ([item.value for item in got], got.count, got.more), ([b'c', b'b', b'a'], 3, False))
    same('by number', got[1].value, b'b')
    got = await client.get_range(folder + b'0', folder + b'2')
    same('range', [item.value for item in got], [b'c', b'b'])
    same('keys only', [item.value for item in await client.get_prefix(folder, keys_only=True)], [b''] * 3)
    same('an empty range', bool(await client.get_range(folder + b'5', folder + b'6')), False)
    everything = [item.key for item in await client.get_all()]
    same('all, in order', everything, sorted(everything))
    has('all has ours', everything, folder + b'1')
    down = [item.key for item in await client.get_all(sort_order='descend', keys_only=True)]
    same('all, descending', down, sorted(everything, reverse=True))


async def sorting(context):
    """Results are sorted by each target, both ways."""
    client, folder = context.client, await context.folder('sort', [b'm', b'z', b'a'])
    await client.put(folder + b'0', b'm')
    await client.put(folder + b'0', b'm')
    await client.put(folder + b'1', b'z')
    expected = {'key': b'012', 'version': b'210', 'create': b'012', 'mod': b'201', 'value': b'201'}
    for target, order in expected.items():
        for way, want in (('ascend', order), ('descend', order[::-1])):
            got = await client.get_prefix(folder, sort_order=way, sort_target=target)
            same(f'{way} by {target}', tails(got), want)
            got = await client.get_range(folder, end_of(folder), sort_order=way, sort_target=target)
            same(f'{way} by {target}, a range', tails(got), want)


async def deletes(context):
    """Delete answers what was deleted; prefixes and ranges are deleted whole, in one revision."""
    client, folder = context.client, await context.folder('delete', [b'w', b'x', b'y', b'z'])
    same('a missing key', await client.delete(folder + b'none'), None)
    gone = await client.delete(folder + b'0', prev_kv=True)
    same('one key', (gone.deleted, gone.prev_kv.value), (1, b'w'))
    gone = await client.delete_range(folder + b'1', folder + b'3', prev_kv=True)
    same('range', (gone.deleted, [item.value for item in gone]), (2, [b'x', b'y']))
    last = await client.delete_prefix(folder)
    same('prefix', (last.deleted, last.header.revision), (1, gone.header.revision + 1))
    none = await client.delete_prefix(folder)
    same('nothing takes no revision', (bool(none), none.header.revision), (False, last.header.revision))


async def replace(context):
    """replace happens only with the right value, and can set a lease."""
    client, key = context.client, context.key('replace')
    await client.put(key, b'one')
    same('a wrong value', await client.replace(key, b'wrong', b'two'), False)
    lease = await client.lease(60)
    same('the right value', await client.replace(key, b'one', b'two', lease=lease), True)
    got = await client.get(key)
    same('replaced', (got.value, got.lease), (b'two', lease.id))
    await lease.revoke()
    same('the lease took it', await client.get(key), None)


async def comparisons(context):
    """Every comparison of a transaction is true or false as the numbers say."""
    client, key = context.client, context.key('compare')
    await client.put(key, b'm')
    await client.put(key, b'm')
    got = await client.get(key)
    made = {'value': (b'a', b'm', b'z'), 'version': (1, 2, 3)}
    for name, number in (('create', got.create_revision), ('mod', got.mod_revision)):
        made[name] = (number - 1, number, number + 1)
    for name, operands in made.items():
        target, results = getattr(client.transactions, name), ''
        for operand in operands:
            for compare in (target(key) == operand, target(key) != operand, target(key) < operand,
                            target(key) > operand):
                results += 'T' if (await client.transaction([compare], [], []))[0] else 'F'
        same(f'{name}: =, !=, <, > with less, equal, more', results, 'FTFT' + 'TFFF' + 'FTTF')


async def transactions(context):
    """A transaction does one branch wholly, in one revision, and answers each operation."""
    client, folder = context.client, await context.folder('txn', [b'a', b'b'])
    ops = client.transactions
    done, answers = await client.transaction(
        compare=[ops.value(folder + b'0') == b'a', ops.version(folder + b'1') > 0],
        success=[ops.put(folder + b'2', b'c', prev_kv=True), ops.get(folder + b'2'),
                 ops.delete(folder + b'0', prev_kv=True), ops.get(folder, range_end=end_of(folder))],
        failure=[ops.put(folder + b'2', b'wrong')])
    same('succeeded', done, True)
    same('the get sees the put', answers[1][0][0], b'c')
    same('previous of the delete', answers[2].response_delete_range.prev_kvs[0].value, b'a')
    same('the range sees both', [value for value, _ in answers[3]], [b'b', b'c'])
    same('one revision', (await client.get(folder + b'2')).mod_revision, answers[0].response_put.header.revision)
    done, answers = await client.transaction([ops.value(folder + b'1') == b'x'], [ops.put(folder + b'1', b'y')],
                                             [ops.get(folder + b'1')])
    same('failed', (done, answers[0][0][0]), (False, b'b'))
    inner = ops.txn(compare=[ops.version(folder + b'1') == 7], success=[ops.put(folder + b'3', b'in')],
                    failure=[ops.put(folder + b'3', b'out')])
    done, answers = await client.transaction([], [inner], [])
    same('nested', (done, answers[0].response_txn.succeeded), (True, False))
    same('the inner else branch', (await client.get(folder + b'3')).value, b'out')
    await raises_async('one key twice', errors_of.InvalidArgumentError,
                       client.transaction([], [ops.put(folder, b'1'), ops.put(folder, b'2')], []),
                       'etcdserver: duplicate key given in txn request')


async def leases(context):
    """A lease counts down, is refreshed, knows its keys, and takes them along when revoked."""
    client, key = context.client, context.key('lease')
    lease = await client.lease(60)
    between('remaining', await lease.remaining_ttl(), 58, 60)
    same('granted', await lease.granted_ttl(), 60)
    await client.put(key, b'held', lease=lease)
    await client.put(key + b'2', b'held', lease=lease.id)
    same('keys', sorted(await lease.keys()), [key, key + b'2'])
    kept = await lease.refresh()
    same('refresh', (kept.TTL, kept.ID), (60, lease.id))
    chosen = await client.lease(60, lease_id=lease.id ^ 0x55)
    same('a chosen id', chosen.id, lease.id ^ 0x55)
    await raises_async('granted twice', errors_of.DuplicateLeaseError, client.lease(60, lease_id=chosen.id))
    await client.put(key + b'2', b'free')
    same('a put without a lease frees the key', list(await lease.keys()), [key])
    await lease.revoke()
    same('gone', (await client.get(key), (await client.get(key + b'2')).value), (None, b'free'))
    same('ttl of a revoked lease', await lease.remaining_ttl(), -1)
    same('refresh of a revoked lease', (await lease.refresh()).TTL, 0)
    await raises_async('revoked again', errors_of.ClientError, lease.revoke(), 'etcdserver: requested lease not found')
    await chosen.revoke()


async def lease_ends(context):
    """A lease that nobody refreshes takes its key away; one that is refreshed does not."""
    client = context.client
    mortal, kept = await client.lease(2), await client.lease(2)
    await client.put(context.key('mortal'), b'x', lease=mortal)
    await client.put(context.key('kept'), b'x', lease=kept)

    async def refresh_and_look():
        await kept.refresh()
        return await client.get(context.key('mortal'))
    await soon_async('the key expires', refresh_and_look, lambda got: got is None)
    same('the other is there', (await client.get(context.key('kept'))).value, b'x')
    await kept.revoke()


def brief(event):
    return event.kind, event.kv.key.decode().rsplit('/', 1)[-1], event.kv.value


async def take(watch, count):
    """Takes `count` events from a watch, or fails after WAIT seconds."""
    events = []
    async with asyncio.timeout(WAIT):
        async for event in watch:
            events.append(event)
            if len(events) == count:
                return events
    return events


async def watch(context):
    """A watch delivers puts and deletes of one key in order, with previous values."""
    client, key = context.client, context.key('watch')
    watched = await client.watch(key, prev_kv=True)
    await client.put(key + b'-other', b'unseen')
    await client.put(key, b'1')
    await client.put(key, b'2')
    await client.delete(key)
    got = await take(watched, 3)
    same('events', [brief(e) for e in got], [('PUT', 'watch', b'1'), ('PUT', 'watch', b'2'), ('DELETE', 'watch', b'')])
    same('previous', [event.prev_kv.value for event in got], [b'', b'1', b'2'])
    same('revisions', [event.kv.mod_revision - got[0].kv.mod_revision for event in got], [0, 1, 2])
    await watched.cancel()
    same('nothing after cancel', await take(watched, 1), [])


async def watch_prefix(context):
    """A prefix watch sees all keys below; a kind keeps puts or deletes out."""
    client, folder = context.client, context.key('watched/')
    whole = await client.watch_prefix(folder)
    puts = await client.watch_prefix(folder, kind=EventKind.PUT)
    removals = await client.watch_prefix(folder, kind=EventKind.DELETE)
    await client.put(folder + b'a', b'1')
    await client.put(folder + b'b', b'1')
    await client.delete_prefix(folder)
    await client.put(folder + b'c', b'1')
    same('all', [brief(event)[:2] for event in await take(whole, 5)],
         [('PUT', 'a'), ('PUT', 'b'), ('DELETE', 'a'), ('DELETE', 'b'), ('PUT', 'c')])
    same('puts', [brief(event)[1] for event in await take(puts, 3)], ['a', 'b', 'c'])
    same('deletes', [brief(event)[1] for event in await take(removals, 2)], ['a', 'b'])
    for one in (whole, puts, removals):
        await one.cancel()


async def many_watches(context):
    """A hundred watches of one client each see their own key, also when made and fed concurrently."""
    client, folder = context.client, context.key('many/')
    keys = [folder + str(number).encode() for number in range(100)]
    watches = await asyncio.gather(*(client.watch(key) for key in keys))
    same('each has its id', len({one.watch_id for one in watches}), 100)
    await asyncio.gather(*(client.put(key, key) for key in keys))
    events = await asyncio.gather(*(take(one, 1) for one in watches))
    same('each its own', [found[0].kv.value for found in events], keys)
    for one in watches:
        await one.cancel()


async def watch_history(context):
    """A watch from a past revision delivers what happened since, then what happens now."""
    client, folder = context.client, await context.folder('past', [b'0', b'1', b'2'])
    start = (await client.get(folder + b'1')).mod_revision
    watched = await client.watch_prefix(folder, start_revision=start)
    await client.put(folder + b'3', b'3')
    same('from there on', [brief(event)[1] for event in await take(watched, 3)], ['1', '2', '3'])
    await watched.cancel()
    once = await client.watch_once(folder + b'2', timeout=WAIT, start_revision=start)
    same('once', brief(once), ('PUT', '2', b'2'))
    once = await client.watch_prefix_once(folder, timeout=WAIT, start_revision=start)
    same('once, a prefix', brief(once), ('PUT', '1', b'1'))
    await raises_async('nothing happens', errors_of.WatchTimeoutError, client.watch_once(folder + b'9', timeout=0.3))


async def compaction(context):
    """After a compaction older revisions cannot be watched, and the present is untouched."""
    client, key = context.client, context.key('compact')
    first = (await client.put(key, b'1')).header.revision
    second = (await client.put(key, b'2')).header.revision
    await client.compact(second, physical=True)
    same('the present', (await client.get(key)).value, b'2')
    watched = await client.watch(key, start_revision=first)
    error = await raises_async('a watch from before', errors_of.RevisionCompactedError, take(watched, 1))
    holds('it says where history begins', error.compacted_revision >= second, error.compacted_revision)
    await raises_async('again', errors_of.ClientError, client.compact(second),
                       'etcdserver: mvcc: required revision has been compacted')
    await raises_async('the future', errors_of.ClientError, client.compact(second + 10 ** 9),
                       'etcdserver: mvcc: required revision is a future revision')


async def lock(context):
    """The client's lock recipe keeps a second holder out until release, and hands over to one who waits."""
    client, other = context.client, context.connect()
    first, second = client.lock(context.key('lock'), ttl=30), other.lock(context.key('lock'), ttl=30)
    same('acquire', await first.acquire(), True)
    same('acquired', await first.is_acquired(), True)
    same('the second does not get it', await second.acquire(timeout=0), False)
    same('nor may release it', await second.release(), False)
    same('refresh', (await first.refresh()).TTL, 30)
    waiting = asyncio.create_task(second.acquire(timeout=WAIT))
    await client.put(context.key('elsewhere'), b'x')
    same('release', await first.release(), True)
    same('the second gets it by watching', await waiting, True)
    same('the first has lost it', await first.is_acquired(), False)
    await second.lease.revoke()
    same('a lock ends with its lease', await second.is_acquired(), False)
    async with client.lock(context.key('lock2')) as held:
        same('held in the block', await held.is_acquired(), True)
    same('free after the block', await held.is_acquired(), False)
    await other.close()


async def maintenance(context):
    """Snapshot, hash, defragmentation and the list of alarms answer."""
    client, file = context.client, io.BytesIO()
    await client.put(context.key('kept'), b'x')
    await client.snapshot(file)
    holds('a snapshot has bytes', len(file.getvalue()) > 0, len(file.getvalue()))
    holds('a hash', 0 <= await client.hash() < 2 ** 32)
    same('no alarms', [alarm async for alarm in client.list_alarms()], [])
    same('disarming none', await client.disarm_alarm(), [])
    await client.defragment()
    same('the data is there', (await client.get(context.key('kept'))).value, b'x')


async def errors(context):
    """Errors keep etcd's codes and texts."""
    client = context.client
    await raises_async('an empty key', errors_of.InvalidArgumentError, client.put(b'', b'x'),
                       'etcdserver: key is not provided')
    await raises_async('too large', errors_of.InvalidArgumentError, client.put(context.key('big'), b'x' * (1600 << 10)),
                       'etcdserver: request is too large')
    await raises_async('an unknown lease', errors_of.ClientError, client.put(context.key('x'), b'', lease=12345),
                       'etcdserver: requested lease not found')
    nobody = aetcd.Client(host=context.host, port=context.port, username='nobody', password='x', timeout=WAIT)
    await raises_async('authentication that is not enabled', errors_of.PreconditionFailedError, nobody.connect(),
                       'etcdserver: authentication is not enabled')


async def beyond_the_client(context):
    """What aetcd does not wrap answers through its stubs: limit, history, watch ids, progress requests."""
    client, folder = context.client, await context.folder('stubs', [b'a', b'b', b'c'])
    got = await client.kvstub.Range(rpc.RangeRequest(key=folder, range_end=end_of(folder), limit=2), timeout=WAIT)
    same('limit', (len(got.kvs), got.more, got.count), (2, True, 3))
    first = got.kvs[0].mod_revision
    await client.put(folder + b'0', b'changed')
    got = await client.kvstub.Range(rpc.RangeRequest(key=folder + b'0', revision=first), timeout=WAIT)
    same('history', got.kvs[0].value, b'a')
    stream = rpc.WatchStub(client.channel).Watch(timeout=WAIT)
    await stream.write(rpc.WatchRequest(create_request=rpc.WatchCreateRequest(key=folder + b'0', watch_id=42)))
    created = await stream.read()
    same('a chosen watch id', (created.created, created.watch_id), (True, 42))
    await stream.write(rpc.WatchRequest(create_request=rpc.WatchCreateRequest(key=folder + b'1')))
    second = await stream.read()
    same('another watch on the stream', (second.created, second.watch_id), (True, 0))
    await client.put(folder + b'1', b'now')
    event = await stream.read()
    same('its event', (event.watch_id, event.events[0].kv.value), (0, b'now'))
    await stream.write(rpc.WatchRequest(cancel_request=rpc.WatchCancelRequest(watch_id=42)))
    cancelled = await stream.read()
    same('cancelled', (cancelled.canceled, cancelled.watch_id), (True, 42))
    await stream.write(rpc.WatchRequest(create_request=rpc.WatchCreateRequest(key=folder, watch_id=0)))
    third = await stream.read()
    same('a third', (third.created, third.canceled), (True, False))
    await stream.write(rpc.WatchRequest(progress_request=rpc.WatchProgressRequest()))
    promise = await stream.read()
    same('progress', (promise.watch_id, len(promise.events)), (-1, 0))
    holds('progress promises a revision', promise.header.revision >= event.header.revision, promise.header)
    stream.cancel()


async def clean_up(context):
    """Everything below the prefix goes away, and the client can be closed and used again."""
    await context.client.delete_prefix(context.prefix)
    await context.client.close()
    same('nothing is left', len(await context.client.get_prefix(context.prefix)), 0)
    await context.client.close()


STEPS = [status_and_members, put_and_get, ranges, sorting, deletes, replace, comparisons, transactions, leases,
         lease_ends, watch, watch_prefix, many_watches, watch_history, compaction, lock, maintenance, errors,
         beyond_the_client, clean_up]


async def main():
    given = proof.arguments(__doc__.splitlines()[0], 'HOST:PORT')
    return await proof.run_async('aetcd', STEPS, Context(given.address), given)


if __name__ == '__main__':
    sys.exit(asyncio.run(main()))
