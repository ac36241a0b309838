"""Proves that etcdctl 3.4 in its v2 mode (ETCDCTL_API=2) works against a server.

Usage: etcdctl_v2.py http://HOST:PORT
"""
import http.client
import json
import sys
import urllib.parse

import proof
from control import Control
from proof import between, has, holds, random_prefix, same, soon

REFUSED = 4


class Context:
    """etcdctl for one endpoint, and the directory below which everything happens."""

    def __init__(self, url):
        self.url = url
        self.ctl = Control(2, url)
        self.base = random_prefix('etcdctl2').rstrip('/')

    def key(self, name):
        return f'{self.base}/{name}'

    def json(self, *arguments):
        """The JSON that a command prints."""
        return json.loads(self.ctl.run('-o', 'json', *arguments).stdout)

    def refused(self, part, *arguments):
        """Checks that the server refuses a command."""
        self.ctl.fails(part, *arguments, code=REFUSED)


def set_and_get(context):
    """set stores arguments and standard input, get returns them in three formats."""
    ctl, key = context.ctl, context.key('set')
    ctl.prints('one', 'set', key, 'one')
    ctl.prints('one', 'get', key)
    ctl.prints('one', 'get', '--quorum', key)
    ctl.prints('one', '--no-sync', 'get', key)
    ctl.prints('two words', 'set', key, 'two words')
    ctl.run('set', key, text='from standard input')
    ctl.prints('from standard input', 'get', key)
    answer = context.json('set', key, 'three')
    same('action', answer['action'], 'set')
    same('previous', answer['prevNode']['value'], 'from standard input')
    lines = ctl.lines('-o', 'extended', 'get', key)
    index = answer['node']['modifiedIndex']
    same('extended', lines[:3], [f'Key: {key}', f'Created-Index: {index}', f'Modified-Index: {index}'])
    has('extended: the value', lines, 'three')
    context.refused(f"100: Key not found ({context.key('none')})", 'get', context.key('none'))
    context.refused('107: Root is read only (/)', 'set', '/', 'x')
    context.refused(f'104: Not a directory ({key})', 'set', key + '/below', 'x')


def compare_and_swap(context):
    """set with a condition on value or index is done or refused."""
    ctl, key = context.ctl, context.key('swap')
    ctl.run('set', key, 'one')
    ctl.prints('two', 'set', '--swap-with-value', 'one', key, 'two')
    context.refused('101: Compare failed ([one != two])', 'set', '--swap-with-value', 'one', key, 'three')
    index = context.json('get', key)['node']['modifiedIndex']
    ctl.prints('three', 'set', '--swap-with-index', index, key, 'three')
    context.refused(f'101: Compare failed ([{index} != {index + 1}])', 'set', '--swap-with-index', index, key, 'four')
    context.refused('100: Key not found', 'set', '--swap-with-value', 'x', context.key('none'), 'y')
    ctl.prints('three', 'get', key)


def make(context):
    """mk makes a key once, and in order below a directory."""
    ctl, key, queue = context.ctl, context.key('mk'), context.key('mk-queue')
    ctl.prints('one', 'mk', key, 'one')
    context.refused(f'105: Key already exists ({key})', 'mk', key, 'two')
    for value in ('a', 'b', 'c'):
        ctl.prints(value, 'mk', '--in-order', queue, value)
    names = ctl.lines('ls', '--sort', queue)
    same('in order', [ctl.lines('get', name)[0] for name in names], ['a', 'b', 'c'])
    same('twenty digits', {len(name) - len(queue) - 1 for name in names}, {20})


def update(context):
    """update changes a key that exists, and keeps when it was created."""
    ctl, key = context.ctl, context.key('update')
    context.refused('100: Key not found', 'update', key, 'x')
    created = context.json('set', key, 'one')['node']['createdIndex']
    ctl.prints('two', 'update', key, 'two')
    same('created', context.json('get', key)['node']['createdIndex'], created)


def directories(context):
    """mkdir, setdir, updatedir and ls make, change and list directories."""
    ctl, top = context.ctl, context.key('dirs')
    ctl.prints('', 'mkdir', top)
    context.refused(f'105: Key already exists ({top})', 'mkdir', top)
    ctl.prints('', 'ls', top)
    ctl.prints('', 'mkdir', top + '/b')
    ctl.prints('', 'setdir', top + '/c')
    context.refused(f'102: Not a file ({top}/c)', 'setdir', top + '/c')
    for name in ('a', 'b/x', 'b/_hidden'):
        ctl.run('set', f'{top}/{name}', 'v')
    same('sorted', ctl.lines('ls', '--sort', top), [f'{top}/{n}' for n in 'abc'])
    same('unsorted', sorted(ctl.lines('ls', top)), [f'{top}/{n}' for n in 'abc'])
    same('with slashes', ctl.lines('ls', '--sort', '-p', top), [f'{top}/a', f'{top}/b/', f'{top}/c/'])
    same('recursively', ctl.lines('ls', '--sort', '-r', top), [f'{top}/{n}' for n in ('a', 'b', 'b/x', 'c')])
    same('quorum', ctl.lines('ls', '--quorum', '--sort', top), [f'{top}/{n}' for n in 'abc'])
    same('a file', ctl.lines('ls', top + '/a'), [top + '/a'])
    has('the root', ctl.lines('ls', '/'), '/proof')
    context.refused(f'100: Key not found ({top}/none)', 'ls', top + '/none')
    ctl.prints('', 'updatedir', '--ttl', 60, top + '/c')
    between('its ttl', context.json('ls', top + '/c')['node']['ttl'], 58, 60)
    context.refused('100: Key not found', 'updatedir', top + '/none')
    context.refused(f'102: Not a file ({top}/b)', 'set', top + '/b', 'x')
    same('get of a directory', ctl.run('get', top, code=1).stderr, f'{top}: is a directory\n')


def time_to_live(context):
    """Keys and directories with a ttl count down and expire."""
    ctl, key = context.ctl, context.key('ttl')
    ctl.prints('x', 'set', key, 'x', '--ttl', 60)
    between('ttl', context.json('get', key)['node']['ttl'], 58, 60)
    ctl.prints('y', 'update', key, 'y', '--ttl', 120)
    between('changed', context.json('get', key)['node']['ttl'], 118, 120)
    ctl.prints('z', 'mk', key + '2', 'z', '--ttl', 1)
    ctl.prints('', 'mkdir', key + 'd', '--ttl', 1)
    for name in ('2', 'd'):
        soon('it expires', lambda: ctl.lines('ls', context.base), lambda lines: context.key('ttl' + name) not in lines)
        context.refused('100: Key not found', 'ls', key + name)


def remove(context):
    """rm and rmdir remove keys, empty directories and trees, and nothing else."""
    ctl, top = context.ctl, context.key('rm')
    for name in ('a', 'b', 'c', 'd/x'):
        ctl.run('set', f'{top}/{name}', 'v')
    ctl.prints('PrevNode.Value: v', 'rm', top + '/a')
    context.refused(f'100: Key not found ({top}/a)', 'rm', top + '/a')
    context.refused('101: Compare failed ([w != v])', 'rm', '--with-value', 'w', top + '/b')
    ctl.run('rm', '--with-value', 'v', top + '/b')
    index = context.json('get', top + '/c')['node']['modifiedIndex']
    context.refused(f'101: Compare failed ([{index + 1} != {index}])', 'rm', '--with-index', index + 1, top + '/c')
    ctl.run('rm', '--with-index', index, top + '/c')
    context.refused(f'102: Not a file ({top})', 'rm', top)
    context.refused(f'102: Not a file ({top})', 'rm', '--with-value', 'v', top)
    context.refused(f'108: Directory not empty ({top})', 'rmdir', top)
    context.refused(f'108: Directory not empty ({top})', 'rm', '--dir', top)
    ctl.run('rm', top + '/d/x')
    ctl.prints('', 'rmdir', top + '/d')
    ctl.prints('', 'rm', '--dir', top)
    ctl.run('set', top + '/x/y/z', 'v')
    ctl.prints('', 'rm', '--recursive', top)
    context.refused('100: Key not found', 'ls', top)
    context.refused('107: Root is read only (/)', 'rm', '--recursive', '/')


def watch(context):
    """watch prints one change or all of them, from an index on, of a key or a tree."""
    ctl, key = context.ctl, context.key('tree/watch')
    before = context.json('set', key, '0')['node']['modifiedIndex']
    ctl.run('set', key, '1')
    ctl.prints('1', 'watch', '--after-index', before, key)
    ctl.prints(f'[set] {key}\n1', 'watch', '--recursive', '--after-index', before, context.key('tree'))
    event = context.json('watch', '--after-index', before, key)
    same('json', (event['action'], event['node']['value'], event['prevNode']['value']), ('set', '1', '0'))
    with ctl.start('watch', '--forever', '--after-index', before, key) as running:
        running.reads('1')
        for value in ('2', '3', '4'):
            ctl.run('set', key, value)
            running.reads(value)
        ctl.run('set', key + '-other', 'unseen')
        ctl.run('rm', key)
        ctl.run('set', key, '5')
        running.reads('PrevNode.Value: 4', '5')


def watch_from_now(context):
    """watch without an index prints the next change and ends."""
    ctl, key = context.ctl, context.key('now')
    ctl.run('set', key, 'before')
    with ctl.start('watch', key) as running:
        def write_and_look():
            ctl.run('set', key, 'after')
            return running.arrived.qsize()
        soon('a change', write_and_look, bool)
        running.reads('after')
        same('exit code', running.ended(), 0)


def write_often(context, count):
    """Writes a key `count` times over one connection, which is faster than one etcdctl each."""
    parts = urllib.parse.urlparse(context.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    form = {'Content-Type': 'application/x-www-form-urlencoded'}
    for number in range(count):
        connection.request('PUT', '/v2/keys' + context.key('noise'), f'value={number}', form)
        holds('written', connection.getresponse().read())
    connection.close()


def watch_too_late(context):
    """watch from an index that the history of a thousand events has forgotten is refused with error 401."""
    ctl, key = context.ctl, context.key('late')
    index = context.json('set', key, '0')['node']['modifiedIndex']
    write_often(context, 998)
    ctl.prints('0', 'watch', '--after-index', index - 1, key)
    write_often(context, 3)
    context.refused('401: The event in requested index is outdated and cleared (the requested history has been cleared '
                    f'[{index + 2}/{index}]) [{index + 1001}]', 'watch', '--after-index', index - 1, key)


def execute(context):
    """exec-watch runs a command for each change, with the change in its environment."""
    ctl, key = context.ctl, context.key('exec/key')
    command = 'echo "$ETCD_WATCH_ACTION $ETCD_WATCH_KEY $ETCD_WATCH_VALUE $ETCD_WATCH_MODIFIED_INDEX"'
    index = context.json('set', key, '0')['node']['modifiedIndex']
    with ctl.start('exec-watch', '--after-index', index, '--', key, '--', 'sh', '-c', command) as running:
        ctl.run('set', key, '1')
        running.reads(f'set {key} 1 {index + 1}')
        ctl.run('update', key, '2')
        running.reads(f'update {key} 2 {index + 2}')
        ctl.run('rm', key)
        running.reads(f'delete {key}  {index + 3}')
    with ctl.start('exec-watch', '--recursive=true', '--after-index', index + 3, '--', context.key('exec'), '--',
                   'sh', '-c', command) as running:
        ctl.run('mk', key, '3')
        running.reads(f'create {key} 3 {index + 4}')


def cluster(context):
    """cluster-health and member list find the server healthy and leading."""
    health = context.ctl.lines('cluster-health')
    same('verdict', health[-1], 'cluster is healthy')
    has('its member', health[0], 'is healthy: got healthy result from http')
    [line] = context.ctl.lines('member', 'list')
    has('a leader', line, 'isLeader=true')
    has('client urls', line, 'clientURLs=http')
    learnt = context.ctl.run('--debug', 'ls', '/').stderr
    has('the endpoint learnt from the members', learnt, f'got endpoints({line.rsplit("clientURLs=", 1)[1].split()[0]})')


def users_and_roles(context):
    """Users and roles are made, changed, read and deleted, without switching authentication on."""
    ctl, name = context.ctl, context.base.rsplit('-', 1)[-1]
    user, role = 'user-' + name, 'role-' + name
    ctl.run('user', 'add', user + ':secret')
    has('users', ctl.lines('user', 'list'), user)
    ctl.prints(f'Role {role} created', 'role', 'add', role)
    ctl.prints(f'Role {role} updated', 'role', 'grant', role, '--path', '/x/*', '--readwrite')
    same('role', ctl.lines('role', 'get', role), [f'Role: {role}', 'KV Read:', '\t/x/*', 'KV Write:', '\t/x/*'])
    ctl.prints(f'Role {role} updated', 'role', 'revoke', role, '--path', '/x/*', '--write')
    same('revoked', ctl.lines('role', 'get', role), [f'Role: {role}', 'KV Read:', '\t/x/*', 'KV Write:'])
    ctl.prints(f'User {user} updated', 'user', 'grant', user, '--roles', role)
    same('user', ctl.lines('user', 'get', user), [f'User: {user}', f'Roles:  {role}'])
    ctl.prints(f'User {user} updated', 'user', 'revoke', user, '--roles', role)
    ctl.prints(f'User {user} removed', 'user', 'remove', user)
    ctl.prints(f'Role {role} removed', 'role', 'remove', role)
    ctl.fails(f"auth: Role {role} doesn't exist.", 'role', 'remove', role)
    ctl.fails('auth: already disabled', 'auth', 'disable')


def clean_up(context):
    """Everything below the directory goes away."""
    context.ctl.run('rm', '--recursive', context.base)
    context.refused('100: Key not found', 'ls', context.base)


STEPS = [set_and_get, compare_and_swap, make, update, directories, time_to_live, remove, watch, watch_from_now,
         watch_too_late, execute, cluster, users_and_roles, clean_up]


if __name__ == '__main__':
    given = proof.arguments(__doc__.splitlines()[0], 'http://HOST:PORT')
    sys.exit(proof.run('etcdctl v2', STEPS, Context(given.address), given))
