"""Proves that python-etcd (the Python client of the v2 API) works against a server.

Usage: client_python_etcd.py http://HOST:PORT
"""
import sys
import threading
import time
import urllib.parse

import etcd
import etcd.auth

import proof
from proof import between, has, holds, raises, random_prefix, same, soon

WAIT = 15


def connect(url, **options):
    parts = urllib.parse.urlparse(url)
    return etcd.Client(host=parts.hostname, port=parts.port, protocol=parts.scheme, **{'read_timeout': WAIT, **options})


class Context:
    """The client and the directory below which everything happens."""

    def __init__(self, url):
        self.url = url
        self.base = random_prefix('python-etcd').rstrip('/')
        self.client = connect(url, lock_prefix=self.base + '/_locks')

    def key(self, name):
        return f'{self.base}/{name}'


def later(act):
    """Runs an act in a thread, most likely while the caller waits; the caller must be right to wait even if not."""
    timer = threading.Timer(0.3, act)
    timer.daemon = True
    timer.start()
    return timer


class Writing:
    """Writes a key again and again as long as the block runs, so that a watch without an index sees one of them."""

    def __init__(self, url, key):
        self.client, self.key, self.done = connect(url), key, threading.Event()
        self.thread = threading.Thread(target=self.write, daemon=True)

    def write(self):
        number = 0
        while not self.done.wait(0.05):
            number += 1
            self.client.write(self.key, f'written {number}')

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


def about_the_server(context):
    """Version, machines, members, leader and the three statistics answer and agree."""
    client = context.client
    holds('version', len(client.version.split('.')) == 3, client.version)
    holds('cluster version', len(client.cluster_version.split('.')) == 3, client.cluster_version)
    holds('machines', client.machines[0].startswith('http'), client.machines)
    leader = client.leader
    has('the leader is a member', client.members, leader['id'])
    same('the same client urls', client.members[leader['id']]['clientURLs'], leader['clientURLs'])
    same('stats: the leader', client.stats['leaderInfo']['leader'], leader['id'])
    same('stats: state', client.stats['state'], 'StateLeader')
    same('leader stats', client.leader_stats['leader'], leader['id'])
    has('leader stats', client.leader_stats, 'followers')
    before = client.store_stats
    client.write(context.key('counted'), 'x')
    client.read(context.key('counted'))
    after = client.store_stats
    holds('writes are counted', after['setsSuccess'] > before['setsSuccess'], after)
    holds('reads are counted', after['getsSuccess'] > before['getsSuccess'], after)


def write_and_read(context):
    """A write is read back; indexes, previous node and newness are as etcd says."""
    client, key = context.client, context.key('file')
    first = client.write(key, 'one')
    same('action', first.action, 'set')
    same('new', first.newKey, True)
    same('no previous node', hasattr(first, '_prev_node'), False)
    same('created = modified', first.createdIndex, first.modifiedIndex)
    same('the store is there', first.etcd_index, first.modifiedIndex)
    holds('a raft index', first.raft_index > 0, first.raft_index)
    got = client.read(key)
    same('value', got.value, 'one')
    same('key', got.key, key)
    same('not a directory', got.dir, False)
    second = client.set(key, 'two ü <&> "\n')
    same('not new', second.newKey, False)
    same('previous value', second._prev_node.value, 'one')
    same('set makes the node anew', second.createdIndex, second.modifiedIndex)
    same('text survives', client.get(key).value, 'two ü <&> "\n')
    same('a quorum read', client.read(key, quorum=True).value, 'two ü <&> "\n')
    same('in', key in client, True)
    same('not in', context.key('missing') in client, False)
    client.write(key, '')
    same('an empty value', client.read(key).value, '')


def directories(context):
    """Directories are made, listed flat and deep, sorted, and never overwritten by a value."""
    client, top = context.client, context.key('dir')
    made = client.write(top, None, dir=True)
    same('a directory', made.dir, True)
    same('empty', list(client.read(top)._children), [])
    raises('made again', etcd.EtcdNotFile, lambda: client.write(top, None, dir=True))
    for name in ('c', 'a', 'b/x', 'b/w/v', '_hidden'):
        client.write(f'{top}/{name}', name)
    flat = client.read(top, sorted=True)
    same('sorted', [child['key'] for child in flat._children], [f'{top}/{n}' for n in ('a', 'b', 'c')])
    same('children of children are not listed', 'nodes' in flat._children[1], False)
    deep = client.read(top, recursive=True, sorted=True)
    same('leaves', [leaf.value for leaf in deep.leaves], ['a', 'b/w/v', 'b/x', 'c'])
    same('the whole tree', len(list(deep.get_subtree())), 7)
    same('a hidden key is there', client.read(top + '/_hidden').value, '_hidden')
    raises('a value on a directory', etcd.EtcdNotFile, lambda: client.write(top, 'value'))
    raises('a value and a directory', etcd.EtcdException, lambda: client.write(top, 'value', dir=True))
    raises('below a file', etcd.EtcdNotDir, lambda: client.write(top + '/a/b', 'value'))
    raises('reading below a file', etcd.EtcdNotDir, lambda: client.read(top + '/a/b'))


def time_to_live(context):
    """A key with a ttl counts down, is refreshed without a new value, made permanent, and expires."""
    client, key = context.client, context.key('ttl')
    made = client.write(key, 'x', ttl=60)
    between('ttl', made.ttl, 59, 60)
    holds('expiration is a UTC time', made.expiration.endswith('Z'), made.expiration)
    fresh = client.refresh(key, ttl=120)
    same('the value stays', fresh.value, 'x')
    between('the new ttl', client.read(key).ttl, 118, 120)
    same('update', fresh.action, 'update')
    same('previous ttl', fresh._prev_node.ttl <= 60, True)
    client.write(key, 'x', ttl='', prevExist=True)
    same('permanent', client.read(key).ttl, None)
    raises('refresh of a missing key', etcd.EtcdKeyNotFound, lambda: client.refresh(context.key('none'), ttl=5))
    client.write(key, 'x', ttl=1)
    soon('the key expires', lambda: key in client, lambda there: not there)
    folder = context.key('ttl-dir')
    client.write(folder, None, dir=True, ttl=60)
    client.write(folder + '/k', 'v')
    client.write(folder, None, dir=True, ttl=1, prevExist=True)
    soon('a directory expires with its keys', lambda: folder + '/k' in client, lambda there: not there)


def compare_and_swap(context):
    """Conditions on value, index and existence are met or refused."""
    client, key = context.client, context.key('cas')
    made = client.write(key, 'one', prevExist=False)
    same('create', made.action, 'create')
    raises('create again', etcd.EtcdAlreadyExist, lambda: client.write(key, 'two', prevExist=False))
    swapped = client.test_and_set(key, 'two', 'one')
    same('action', swapped.action, 'compareAndSwap')
    same('created stays', swapped.createdIndex, made.createdIndex)
    same('previous', swapped._prev_node.value, 'one')
    error = raises('a wrong value', etcd.EtcdCompareFailed, lambda: client.test_and_set(key, 'x', 'wrong'),
                   'Compare failed : [wrong != two]')
    same('the error has the index', error.payload['index'], swapped.modifiedIndex)
    raises('a wrong value is a ValueError', ValueError, lambda: client.test_and_set(key, 'x', 'wrong'))
    by_index = client.write(key, 'three', prevIndex=swapped.modifiedIndex)
    same('by index', by_index.value, 'three')
    raises('an old index', etcd.EtcdCompareFailed, lambda: client.write(key, 'x', prevIndex=swapped.modifiedIndex),
           f'[{swapped.modifiedIndex} != {by_index.modifiedIndex}]')
    updated = client.write(key, 'four', prevExist=True)
    same('update', (updated.action, updated.createdIndex), ('update', made.createdIndex))
    raises('update of a missing key', etcd.EtcdKeyNotFound,
           lambda: client.write(context.key('no'), 'x', prevExist=True))
    raises('an empty previous value', etcd.EtcdValueError, lambda: client.test_and_set(key, 'x', ''))


def update_object(context):
    """The read, change, update way of working loses no concurrent write."""
    client, key = context.client, context.key('object')
    client.write(key, '1')
    mine = client.read(key)
    mine.value = '2'
    same('updated', client.update(mine).value, '2')
    raises('an update of an old reading', etcd.EtcdCompareFailed, lambda: client.update(mine))
    client.write(context.key('object-dir'), None, dir=True)
    folder = client.read(context.key('object-dir'))
    folder.ttl = 60
    between('a directory gets a ttl', client.update(folder).ttl, 59, 60)


def append(context):
    """Appended keys sort in the order in which they were made."""
    client, queue = context.client, context.key('queue')
    made = [client.write(queue, f'job{n}', append=True) for n in range(12)]
    same('create', {item.action for item in made}, {'create'})
    names = [item.key for item in made]
    same('the names grow', names, sorted(names))
    same('a name is the index in twenty digits', names[0], f'{queue}/{made[0].createdIndex:020d}')
    listed = client.read(queue, recursive=True, sorted=True)
    same('in order', [leaf.value for leaf in listed.leaves], [f'job{n}' for n in range(12)])
    first = client.pop(names[0])
    same('pop', first.value, 'job0')
    same('one less', len(list(client.read(queue).leaves)), 11)


def deletes(context):
    """Deletes of keys and directories, with conditions, are done or refused."""
    client, top = context.client, context.key('del')
    client.write(top + '/a', '1')
    client.write(top + '/b/c', '1')
    gone = client.delete(top + '/a')
    same('delete', (gone.action, gone.value, gone._prev_node.value), ('delete', None, '1'))
    holds('the index moved', gone.modifiedIndex > gone._prev_node.modifiedIndex, gone)
    raises('again', etcd.EtcdKeyNotFound, lambda: client.delete(top + '/a'))
    raises('again is a KeyError-like error', etcd.EtcdKeyError, lambda: client.delete(top + '/a'))
    raises('a directory', etcd.EtcdNotFile, lambda: client.delete(top))
    raises('a directory that is not empty', etcd.EtcdDirNotEmpty, lambda: client.delete(top, dir=True))
    raises('a condition on a directory', etcd.EtcdNotFile, lambda: client.delete(top, prevValue='x'))
    raises('a wrong value', etcd.EtcdCompareFailed, lambda: client.delete(top + '/b/c', prevValue='x'))
    same('the right value', client.delete(top + '/b/c', prevValue='1').action, 'compareAndDelete')
    same('an empty directory', client.delete(top + '/b', dir=True).dir, True)
    client.write(top + '/x/y/z', '1')
    same('recursively', client.delete(top, recursive=True).action, 'delete')
    same('nothing is left', top in client, False)
    raises('the root', etcd.EtcdRootReadOnly, lambda: client.delete('/', recursive=True))
    raises('a value on the root', etcd.EtcdRootReadOnly, lambda: client.write('/', 'x'))


def watch(context):
    """A watch waits for the next change, or takes one from the history."""
    client, key = context.client, context.key('watch')
    first = client.write(key, '1')
    with Writing(context.url, key):
        seen = client.watch(key)
    same('the next change', (seen.action, seen.value[:8]), ('set', 'written '))
    past = client.watch(key, index=first.modifiedIndex)
    same('from the history', (past.value, past.modifiedIndex), ('1', first.modifiedIndex))
    same('one later', client.watch(key, index=first.modifiedIndex + 1).value, 'written 1')
    with Writing(context.url, context.key('tree/deep/leaf')):
        seen = client.watch(context.key('tree'), recursive=True)
    same('recursively', seen.key, context.key('tree/deep/leaf'))
    began = time.monotonic()
    raises('nothing happens', etcd.EtcdWatchTimedOut, lambda: client.watch(key, timeout=0.5))
    between('it waited', time.monotonic() - began, 0.4, 10)


def watch_deletes(context):
    """Deletes, expiry and the end of a parent directory wake a watcher."""
    client, key = context.client, context.key('mortal')
    index = client.write(key, 'x').modifiedIndex
    timer = later(lambda: connect(context.url).delete(key))
    same('delete', client.watch(key, index=index + 1).action, 'delete')
    timer.join()
    index = client.write(key, 'x', ttl=1).modifiedIndex
    gone = client.watch(key, index=index + 1)
    same('expire', (gone.action, gone._prev_node.value), ('expire', 'x'))
    index = client.write(context.key('parent/child'), 'x').modifiedIndex
    timer = later(lambda: connect(context.url).delete(context.key('parent'), recursive=True))
    woken = client.watch(context.key('parent/child'), index=index + 1)
    timer.join()
    same("the parent's end", (woken.action, woken.key), ('delete', context.key('parent')))


def refresh_wakes_nobody(context):
    """A refresh is not seen by watchers, neither live nor in the history."""
    client, key = context.client, context.key('quiet')
    index = client.write(key, 'x', ttl=100).modifiedIndex
    client.refresh(key, ttl=100)
    client.write(key, 'y')
    same('only the write', client.watch(key, index=index + 1).value, 'y')


def eternal_watch(context):
    """An endless watch delivers every change once, in order, however fast they come."""
    client, key = context.client, context.key('eternal')
    start = client.write(key, 'start').modifiedIndex
    writer = connect(context.url)
    thread = threading.Thread(target=lambda: [writer.write(key, str(n)) for n in range(60)], daemon=True)
    thread.start()
    got = []
    for event in client.eternal_watch(key, index=start + 1):
        got.append(event.value)
        if len(got) == 60:
            break
    thread.join()
    same('all of them', got, [str(n) for n in range(60)])


def history_ends(context):
    """A watch from before the last thousand events is refused, and the error's index shows where to begin."""
    client, key = context.client, context.key('cleared')
    first = client.write(key, 'x').modifiedIndex
    for n in range(1005):
        client.write(context.key('noise'), str(n))
    error = raises('too old', etcd.EtcdEventIndexCleared, lambda: client.watch(key, index=first),
                   'the requested history has been cleared')
    now = error.payload['index']
    holds('the index is the current one', now >= first + 1005, error.payload)
    timer = later(lambda: connect(context.url).write(key, 'y'))
    same('from there', client.watch(key, index=now + 1).value, 'y')
    timer.join()


def lock(context):
    """The lock recipe admits one holder at a time, in the order of arrival."""
    client = context.client
    first, second = etcd.Lock(client, 'one'), etcd.Lock(client, 'one')
    same('acquire', first.acquire(blocking=False, lock_ttl=60), True)
    same('acquired', first.is_acquired, True)
    same('the second waits', second.acquire(blocking=False, lock_ttl=60), False)
    same('not acquired', second.is_acquired, False)
    same('again is a renewal', first.acquire(blocking=False, lock_ttl=60), True)
    timer = later(lambda: etcd.Lock.release(first))
    same('the second gets it by watching', second.acquire(blocking=True, lock_ttl=60), True)
    timer.join()
    same('the first has lost it', first.is_acquired, False)
    second.release()
    same('released', second.is_acquired, False)
    with etcd.Lock(client, 'two') as held:
        same('held in the block', held.is_acquired, True)
    same('free after the block', held.is_acquired, False)


def lock_expires(context):
    """A lock whose ttl ends goes to the next one who waits."""
    client = context.client
    first, second = etcd.Lock(client, 'three'), etcd.Lock(client, 'three')
    first.acquire(lock_ttl=1)
    same('the second gets it', second.acquire(blocking=True, lock_ttl=60), True)
    same('the first has lost it', first.is_acquired, False)
    second.release()


def errors(context):
    """Malformed requests are refused with etcd's code and text."""
    client, key = context.client, context.key('errors')
    cases = [
        ({'ttl': 'never'}, 202, 'The given TTL in POST form is not a number'),
        ({'prevIndex': 'old'}, 203, 'The given index in POST form is not a number'),
        ({'prevExist': 'maybe'}, 209, 'Invalid field'),
        ({'refresh': 'true', 'ttl': '5'}, 211, 'Value provided on refresh'),
    ]
    for options, code, text in cases:
        ttl = options.pop('ttl', None)
        error = raises(f'{options} {ttl}', etcd.EtcdException, lambda: client.write(key, 'x', ttl=ttl, **options), text)
        same('code', error.payload['errorCode'], code)
    same('nothing was written', key in client, False)
    error = raises('missing', etcd.EtcdKeyNotFound, lambda: client.read(key + '/below'), 'Key not found')
    same('the first missing path', error.payload['cause'], key)


def reconnecting(context):
    """A client that learns the machines from the server works with what it learnt."""
    client = connect(context.url, allow_reconnect=True)
    client.write(context.key('reconnect'), 'x')
    same('value', client.read(context.key('reconnect')).value, 'x')
    same('the cluster has one id', client.expected_cluster_id, context.client.expected_cluster_id)


def users_and_roles(context):
    """Users and roles are made, changed, read and deleted, without switching authentication on."""
    client, name = context.client, context.base.rsplit('-', 1)[-1]
    same('not enabled', etcd.auth.Auth(client).active, False)
    role = etcd.auth.EtcdRole(client, 'role-' + name)
    role.grant(context.key('a/*'), 'RW')
    role.write()
    role.grant(context.key('b'), 'R')
    role.revoke(context.key('a/*'), 'W')
    role.write()
    again = etcd.auth.EtcdRole(client, 'role-' + name)
    again.read()
    same('acls', again.acls, {context.key('a/*'): 'R', context.key('b'): 'R'})
    user = etcd.auth.EtcdUser(client, 'user-' + name)
    user.password = 'secret'
    user.write()
    user.roles = ['role-' + name]
    user.write()
    reread = etcd.auth.EtcdUser(client, 'user-' + name)
    raises('missing', etcd.EtcdKeyNotFound, etcd.auth.EtcdUser(client, 'nobody-' + name).read)
    user.delete()
    raises('deleted', etcd.EtcdKeyNotFound, reread.read)
    role.delete()
    raises('deleted', etcd.EtcdKeyNotFound, again.read)


def clean_up(context):
    """Everything below the prefix goes away."""
    context.client.delete(context.base, recursive=True)
    same('nothing is left', context.base in context.client, False)


STEPS = [about_the_server, write_and_read, directories, time_to_live, compare_and_swap, update_object, append, deletes,
         watch, watch_deletes, refresh_wakes_nobody, eternal_watch, history_ends, lock, lock_expires, errors,
         reconnecting, users_and_roles, clean_up]


if __name__ == '__main__':
    given = proof.arguments(__doc__.splitlines()[0], 'http://HOST:PORT')
    sys.exit(proof.run('python-etcd', STEPS, Context(given.address), given))
