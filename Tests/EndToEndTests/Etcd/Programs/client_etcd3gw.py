"""Proves that etcd3gw (OpenStack's client of the v3 JSON gateway) works against a server.

Usage: client_etcd3gw.py http://HOST:PORT
"""
import base64
import sys
import threading
import urllib.parse

import etcd3gw
from etcd3gw import exceptions

import proof
from proof import between, has, holds, raises, random_prefix, same, soon

WAIT = 15


class Context:
    """The client and the prefix below which everything happens."""

    def __init__(self, url):
        parts = urllib.parse.urlparse(url)
        self.client = etcd3gw.client(host=parts.hostname, port=parts.port, protocol=parts.scheme, timeout=WAIT)
        self.prefix = random_prefix('etcd3gw')

    def key(self, name):
        return self.prefix + name

    def folder(self, name, values):
        """Puts numbered values below a folder of its own, and returns the folder."""
        folder = self.key(name + '/')
        for number, value in enumerate(values):
            self.client.put(f'{folder}{number}', value)
        return folder


def b64(text):
    return base64.b64encode(text.encode()).decode()


def keys_of(pairs):
    return [meta['key'] for _, meta in pairs]


def values_of(pairs):
    return [value for value, _ in pairs]


def discovery(context):
    """The client finds /v3/ from GET /version, and the other paths answer as it expects."""
    same('the path that the client chose', context.client.api_path, '/v3/')
    same('the url', context.client.get_url('/kv/put'), context.client.base_url + '/v3/kv/put')


def status_and_members(context):
    """Status names a version and a leader, and the leader is one of the members."""
    status = context.client.status()
    holds('the version has three numbers', len(status['version'].split('.')) == 3, status)
    has('the header', status['header'], 'cluster_id')
    holds('the database has a size', int(status['dbSize']) > 0, status)
    members = context.client.members()
    has('the leader is a member', [member['ID'] for member in members], status['leader'])
    holds('a member has client urls', members[0]['clientURLs'][0].startswith('http'), members)


def put_and_get(context):
    """A put is read back with value and metadata, text and bytes alike."""
    client, key = context.client, context.key('put')
    same('a missing key', client.get(key), [])
    same('put', client.put(key, 'one'), True)
    same('get', client.get(key), [b'one'])
    [(value, first)] = client.get(key, metadata=True)
    same('value', value, b'one')
    same('key', first['key'], key.encode())
    same('version', first['version'], '1')
    same('create = mod', first['create_revision'], first['mod_revision'])
    client.put(key, b'\x00\xff\x80')
    [(value, second)] = client.get(key, metadata=True)
    same('a binary value', value, b'\x00\xff\x80')
    same('version', second['version'], '2')
    same('create revision stays', second['create_revision'], first['create_revision'])
    holds('mod revision grows', int(second['mod_revision']) > int(first['mod_revision']), second)
    same('read at the first revision', client.get(key, revision=int(first['mod_revision'])), [b'one'])
    client.put(key, '')
    same('an empty value', client.get(key), [b''])
    client.put(context.key('bytes-\xff'), 'latin')
    same('a key that is not UTF-8', client.get(context.prefix.encode() + b'bytes-\xff'), [b'latin'])


def ranges(context):
    """Prefixes, ranges, limits, counts, keys only and revision filters answer as asked."""
    client, folder = context.client, context.folder('range', ['c', 'b', 'a'])
    pairs = client.get_prefix(folder)
    same('keys in order', keys_of(pairs), [f'{folder}{n}'.encode() for n in range(3)])
    same('values', values_of(pairs), [b'c', b'b', b'a'])
    same('range', client.get(folder + '0', range_end=folder + '2'), [b'c', b'b'])
    same('limit', client.get(folder, range_end=folder[:-1] + '0', limit=2), [b'c', b'b'])
    same('count only', client.get(folder, range_end=folder[:-1] + '0', count_only=True), [])
    only = client.get(folder, metadata=True, range_end=folder[:-1] + '0', keys_only=True)
    same('keys only', values_of(only), [b'', b'', b''])
    same('keys only has keys', keys_of(only), keys_of(pairs))
    same('serializable', client.get(folder + '0', serializable=True), [b'c'])
    middle = int(pairs[1][1]['mod_revision'])
    end = folder[:-1] + '0'
    same('min mod', client.get(folder, range_end=end, min_mod_revision=middle), [b'b', b'a'])
    same('max mod', client.get(folder, range_end=end, max_mod_revision=middle), [b'c', b'b'])
    same('min create', client.get(folder, range_end=end, min_create_revision=middle + 1), [b'a'])
    same('max create', client.get(folder, range_end=end, max_create_revision=middle - 1), [b'c'])


def sorting(context):
    """Results are sorted by each target, both ways."""
    client, folder = context.client, context.folder('sort', ['m', 'z', 'a'])
    client.put(folder + '0', 'm')
    client.put(folder + '0', 'm')
    client.put(folder + '1', 'z')
    expected = {'key': '012', 'version': '210', 'create': '012', 'mod': '201', 'value': '201'}
    for target, order in expected.items():
        for way, want in (('ascend', order), ('descend', order[::-1])):
            got = keys_of(client.get_prefix(folder, sort_order=way, sort_target=target))
            same(f'{way} by {target}', ''.join(key.decode()[-1] for key in got), want)
    got = keys_of(client.get_prefix(folder, sort_target='value'))
    same('by value without an order', ''.join(key.decode()[-1] for key in got), '201')
    raises('an unknown order', ValueError, lambda: client.get(folder, sort_order='sideways'))


def everything(context):
    """get_all lists every key of the store in order, ours among them."""
    context.client.put(context.key('all'), 'here')
    pairs = context.client.get_all()
    same('sorted', keys_of(pairs), sorted(keys_of(pairs)))
    same('ours', [v for v, m in pairs if m['key'] == context.key('all').encode()], [b'here'])
    down = context.client.get_all(sort_order='descend')
    same('descending', keys_of(down), sorted(keys_of(down), reverse=True))


def deletes(context):
    """Delete says whether there was something to delete; a prefix is deleted whole and nothing else."""
    client, folder = context.client, context.folder('delete', ['x', 'y', 'z'])
    same('a missing key', client.delete(folder + 'none'), False)
    same('one key', client.delete(folder + '1'), True)
    same('the others are there', client.get(folder, range_end=folder[:-1] + '0'), [b'x', b'z'])
    client.put(context.key('delete0'), 'neighbour')
    same('prefix', client.delete_prefix(folder), True)
    same('prefix again', client.delete_prefix(folder), False)
    same('the neighbour is there', client.get(context.key('delete0')), [b'neighbour'])
    client.put(folder + '1', 'again')
    same('version starts again', client.get(folder + '1', metadata=True)[0][1]['version'], '1')


def create_and_replace(context):
    """create succeeds once, replace only with the right value."""
    client, key = context.client, context.key('create')
    same('create', client.create(key, 'one'), True)
    same('create again', client.create(key, 'two'), False)
    same('the first stays', client.get(key), [b'one'])
    same('replace with a wrong value', client.replace(key, 'wrong', 'two'), False)
    same('replace', client.replace(key, 'one', 'two'), True)
    same('the second is there', client.get(key), [b'two'])
    same('replace of a missing key', client.replace(context.key('missing'), '', 'two'), False)


def transactions(context):
    """A transaction takes the right branch, and answers each of its operations."""
    client, key = context.client, context.key('txn')
    put = {'request_put': {'key': b64(key), 'value': b64('1')}}
    read = {'request_range': {'key': b64(key)}}
    compare = {'key': b64(key), 'target': 'VERSION', 'result': 'EQUAL', 'version': 0}
    won = client.transaction({'compare': [compare], 'success': [put, read], 'failure': [read]})
    same('succeeded', won['succeeded'], True)
    same('the read sees the put', won['responses'][1]['response_range']['kvs'][0]['value'], b64('1'))
    revision = won['header']['revision']
    same('one revision', won['responses'][0]['response_put']['header']['revision'], revision)
    lost = client.transaction({'compare': [compare], 'success': [put], 'failure': [read]})
    same('not succeeded', lost.get('succeeded', False), False)
    same('the else branch', lost['responses'][0]['response_range']['count'], '1')
    same('a read takes no revision', lost['header']['revision'], revision)
    delete = {'request_delete_range': {'key': b64(key), 'prev_kv': True}}
    gone = client.transaction({'success': [delete]})
    same('deleted', gone['responses'][0]['response_delete_range']['deleted'], '1')
    same('previous', gone['responses'][0]['response_delete_range']['prev_kvs'][0]['value'], b64('1'))
    raises('one key twice', exceptions.Etcd3Exception, lambda: client.transaction({'success': [put, put]}),
           'duplicate key given in txn request')


def leases(context):
    """A lease counts down, is refreshed, knows its keys, and takes them along when revoked."""
    client, key = context.client, context.key('lease')
    lease = client.lease(ttl=60)
    between('ttl', lease.ttl(), 58, 60)
    same('no keys', lease.keys(), [])
    client.put(key, 'held', lease=lease)
    same('its key', lease.keys(), [key.encode()])
    same('the key names its lease', client.get(key, metadata=True)[0][1]['lease'], str(lease.id))
    same('refresh', lease.refresh(), 60)
    same('create with a lease', client.create(context.key('lease2'), 'held', lease=lease), True)
    same('its keys', sorted(lease.keys()), [key.encode(), context.key('lease2').encode()])
    client.put(key, 'free')
    same('a put without a lease frees the key', lease.keys(), [context.key('lease2').encode()])
    same('revoke', lease.revoke(), True)
    same('the held key is gone', client.get(context.key('lease2')), [])
    same('the freed key stays', client.get(key), [b'free'])
    same('ttl of a revoked lease', lease.ttl(), -1)
    same('refresh of a revoked lease', lease.refresh(), -1)
    raises('revoke again', exceptions.Etcd3Exception, lease.revoke, 'requested lease not found')
    raises('a put with it', exceptions.Etcd3Exception, lambda: client.put(key, 'x', lease=lease),
           'requested lease not found')


def lease_ends(context):
    """A lease that nobody refreshes takes its key away."""
    lease = context.client.lease(ttl=2)
    context.client.put(context.key('mortal'), 'x', lease=lease)
    same('alive', context.client.get(context.key('mortal')), [b'x'])
    soon('the key expires', lambda: context.client.get(context.key('mortal')), lambda got: got == [])
    same('the lease is gone', lease.ttl(), -1)


def lease_identifiers(context):
    """A lease with a chosen id is granted once; the second time is a failed precondition (HTTP 412)."""
    client = context.client
    url = client.get_url('/lease/grant')
    number = str(int(client.lease(ttl=60).id) ^ 0x55)
    same('granted', client.post(url, json={'TTL': 60, 'ID': number})['ID'], number)
    raises('granted twice', exceptions.PreconditionFailedError,
           lambda: client.post(url, json={'TTL': 60, 'ID': number}), 'lease already exists')
    has('listed', [lease['ID'] for lease in client.post(client.get_url('/kv/lease/leases'), json={})['leases']], number)


def locks(context):
    """The client's lock recipe keeps a second holder out until release."""
    first = context.client.lock(context.prefix + 'lock', ttl=30)
    second = context.client.lock(context.prefix + 'lock', ttl=30)
    same('acquire', first.acquire(), True)
    same('acquired', first.is_acquired(), True)
    same('the second does not get it', second.acquire(), False)
    same('nor thinks so', second.is_acquired(), False)
    same('nor may release it', second.release(), False)
    same('refresh', first.refresh(), 30)
    same('release', first.release(), True)
    same('not acquired any more', first.is_acquired(), False)
    same('the second gets it', second.acquire(), True)
    second.lease.revoke()
    same('a lock ends with its lease', second.is_acquired(), False)
    with context.client.lock(context.prefix + 'lock') as held:
        same('held in the block', held.is_acquired(), True)
    same('free after the block', held.is_acquired(), False)


def collect(iterator, count, act):
    """Starts a thread that takes `count` events, acts, and returns the events."""
    events, done = [], threading.Event()

    def take():
        for event in iterator:
            events.append(event)
            if len(events) == count:
                break
        done.set()
    threading.Thread(target=take, daemon=True).start()
    act()
    holds(f'{count} events within {WAIT} s', done.wait(WAIT), events)
    return events


def brief(event):
    """An event as kind, end of the key, value."""
    return event.get('type', 'PUT'), event['kv']['key'].decode().rsplit('/', 1)[-1], event['kv'].get('value')


def watch(context):
    """A watch delivers puts and deletes of one key in order, and cancel ends the iteration."""
    client, key = context.client, context.key('watch')
    iterator, cancel = client.watch(key)

    def act():
        client.put(key + '-other', 'unseen')
        client.put(key, '1')
        client.put(key, '2')
        client.delete(key)
    events = collect(iterator, 3, act)
    same('events', [brief(event) for event in events],
         [('PUT', 'watch', b'1'), ('PUT', 'watch', b'2'), ('DELETE', 'watch', None)])
    revisions = [int(event['kv']['mod_revision']) for event in events]
    same('revisions grow', revisions, sorted(set(revisions)))
    cancel()
    same('nothing after cancel', list(iterator), [])


def watch_prefix(context):
    """A prefix watch sees all keys below, with previous values and filters when asked for."""
    client, folder = context.client, context.key('watched/')
    iterator, cancel = client.watch_prefix(folder, prev_kv=True)

    def act():
        client.put(folder + 'a', '1')
        client.put(folder + 'a', '2')
        client.delete_prefix(folder)
    events = collect(iterator, 3, act)
    cancel()
    same('previous values', [event.get('prev_kv', {}).get('value') for event in events], [None, b64('1'), b64('2')])
    iterator, cancel = client.watch_prefix(folder, filters=['NOPUT'])
    events = collect(iterator, 1, act)
    cancel()
    same('only the delete', brief(events[0])[0], 'DELETE')
    iterator, cancel = client.watch_prefix(folder, filters=['NODELETE'])
    events = collect(iterator, 4, lambda: (act(), act()))
    cancel()
    same('only puts', [brief(event)[0] for event in events], ['PUT'] * 4)


def watch_history(context):
    """A watch from a past revision delivers what happened since, then what happens now."""
    client, folder = context.client, context.folder('past', ['0', '1', '2'])
    start = int(client.get(folder + '1', metadata=True)[0][1]['mod_revision'])
    iterator, cancel = client.watch_prefix(folder, start_revision=start)
    events = collect(iterator, 3, lambda: client.put(folder + '3', '3'))
    cancel()
    same('from there on', [brief(event)[1] for event in events], ['1', '2', '3'])


def watch_once(context):
    """watch_once returns the first event or times out, for a key and for a prefix."""
    client, key = context.client, context.key('once')
    client.put(key, 'then')
    start = int(client.get(key, metadata=True)[0][1]['mod_revision'])
    same('from the past', brief(client.watch_once(key, timeout=WAIT, start_revision=start)), ('PUT', 'once', b'then'))
    raises('nothing happens', exceptions.WatchTimedOut, lambda: client.watch_once(key, timeout=0.3))
    folder = context.folder('onces', ['v'])
    start = int(client.get(folder + '0', metadata=True)[0][1]['mod_revision'])
    event = client.watch_prefix_once(folder, timeout=WAIT, start_revision=start)
    same('a prefix, from the past', brief(event), ('PUT', '0', b'v'))


def lease_ends_in_watch(context):
    """Revoking a lease is seen by watchers as the deletion of its keys, in one revision."""
    client, folder = context.client, context.key('revoked/')
    lease = client.lease(ttl=60)
    client.put(folder + 'a', '1', lease=lease)
    client.put(folder + 'b', '1', lease=lease)
    iterator, cancel = client.watch_prefix(folder)
    events = collect(iterator, 2, lease.revoke)
    cancel()
    same('both are deleted', [brief(event) for event in events], [('DELETE', 'a', None), ('DELETE', 'b', None)])
    same('in one revision', len({event['kv']['mod_revision'] for event in events}), 1)


def errors(context):
    """Errors keep etcd's texts."""
    client = context.client
    raises('an empty key', exceptions.Etcd3Exception, lambda: client.put('', 'x'), 'key is not provided')
    raises('a future revision', exceptions.Etcd3Exception, lambda: client.get(context.key('x'), revision=2 ** 60),
           'required revision is a future revision')
    raises('an unknown path', exceptions.Etcd3Exception, lambda: client.post(client.get_url('/kv/none'), json={}))
    raises('too large', exceptions.Etcd3Exception, lambda: client.put(context.key('big'), 'x' * (1600 << 10)),
           'request is too large')
    raises('far too large', exceptions.Etcd3Exception, lambda: client.put(context.key('big'), 'x' * (2 << 20)))
    same('neither was stored', client.get(context.key('big')), [])


def lock_service(context):
    """The lock and election services answer over JSON."""
    client = context.client
    lease = client.lease(ttl=60)
    locked = client.post(client.get_url('/lock/lock'), json={'name': b64(context.key('svc')), 'lease': lease.id})
    same('the lock key', base64.b64decode(locked['key']).decode(), f"{context.key('svc')}/{lease.id:x}")
    same('unlock', 'header' in client.post(client.get_url('/lock/unlock'), json={'key': locked['key']}), True)
    name = {'name': b64(context.key('race'))}
    won = client.post(client.get_url('/election/campaign'), json={**name, 'lease': lease.id, 'value': b64('me')})
    same('the leader key', base64.b64decode(won['leader']['key']).decode(), f"{context.key('race')}/{lease.id:x}")
    same('who leads', client.post(client.get_url('/election/leader'), json=name)['kv']['value'], b64('me'))
    client.post(client.get_url('/election/resign'), json={'leader': won['leader']})
    raises('nobody leads', exceptions.InternalServerError,
           lambda: client.post(client.get_url('/election/leader'), json=name), 'election: no leader')


def clean_up(context):
    """Everything below the prefix goes away."""
    context.client.delete_prefix(context.prefix)
    same('nothing is left', context.client.get_prefix(context.prefix), [])


STEPS = [discovery, status_and_members, put_and_get, ranges, sorting, everything, deletes, create_and_replace,
         transactions, leases, lease_ends, lease_identifiers, locks, watch, watch_prefix, watch_history, watch_once,
         lease_ends_in_watch, errors, lock_service, clean_up]


if __name__ == '__main__':
    given = proof.arguments(__doc__.splitlines()[0], 'http://HOST:PORT')
    sys.exit(proof.run('etcd3gw', STEPS, Context(given.address), given))
