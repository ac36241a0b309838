"""Proves that etcdctl 3.4 (ETCDCTL_API=3) works against a server.

Usage: etcdctl_v3.py HOST:PORT
"""
import json
import os
import shutil
import sys
import tempfile

import proof
from control import Control
from proof import between, has, holds, random_prefix, same, soon

GONE = 'etcdserver: mvcc: required revision has been compacted'


class Context:
    """etcdctl for one endpoint, and the prefix below which everything happens."""

    def __init__(self, address):
        self.address = address
        self.ctl = Control(3, address)
        self.prefix = random_prefix('etcdctl')
        self.files = tempfile.mkdtemp()

    def key(self, name):
        return self.prefix + name

    def folder(self, name, values):
        """Puts numbered values below a folder of its own, and returns the folder."""
        folder = self.key(name + '/')
        for number, value in enumerate(values):
            self.ctl.prints('OK', 'put', f'{folder}{number}', value)
        return folder

    def json(self, *arguments):
        """The JSON that a command prints."""
        return json.loads(self.ctl.run(*arguments, '-w', 'json').stdout)

    def revision(self):
        """The current revision of the store."""
        return self.json('get', self.key('nothing'))['header']['revision']


def pairs(*items):
    return '\n'.join(items)


def put(context):
    """put stores arguments and standard input, returns the previous pair, keeps values and leases when told."""
    ctl, key = context.ctl, context.key('put')
    ctl.prints('OK', 'put', key, 'one')
    ctl.prints(pairs('OK', key, 'one'), 'put', key, 'two', '--prev-kv')
    ctl.prints('OK', 'put', key, text='from standard input\nwith lines')
    ctl.prints(pairs(key, 'from standard input', 'with lines'), 'get', key)
    ctl.prints('OK', 'put', key, '--ignore-value')
    ctl.prints(pairs(key, 'from standard input', 'with lines'), 'get', key)
    ctl.prints('OK', 'put', '--', '-' + key, '-value')
    ctl.prints(pairs('-' + key, '-value'), 'get', '--', '-' + key)
    ctl.prints('1', 'del', '--', '-' + key)
    ctl.fails('etcdserver: key not found', 'put', context.key('none'), '--ignore-value')
    ctl.fails('etcdserver: key not found', 'put', context.key('none'), 'x', '--ignore-lease')
    ctl.fails('etcdserver: requested lease not found', 'put', key, 'x', '--lease=1234abcd')
    ctl.fails('etcdserver: key is not provided', 'put', '', 'x')


def get(context):
    """get reads a key, a prefix, a range, from a key on, values only and keys only."""
    ctl, folder = context.ctl, context.folder('get', ['a', 'b', 'c'])
    key = [folder + str(n) for n in range(3)]
    ctl.prints('', 'get', folder + 'none')
    ctl.prints(pairs(key[1], 'b'), 'get', key[1])
    ctl.prints(pairs(key[0], 'a', key[1], 'b', key[2], 'c'), 'get', folder, '--prefix')
    ctl.prints(pairs(key[0], 'a', key[1], 'b'), 'get', key[0], key[2])
    ctl.prints(pairs('a', 'b', 'c'), 'get', folder, '--prefix', '--print-value-only')
    ctl.prints(pairs(key[0], '', key[1], '', key[2], ''), 'get', folder, '--prefix', '--keys-only')
    ctl.prints(pairs(key[0], 'a'), 'get', folder, '--prefix', '--limit=1')
    ctl.prints(pairs(key[0], 'a'), 'get', key[0], '--consistency=s')
    same('from a key on', ctl.lines('get', key[1], '--from-key')[:4], [key[1], 'b', key[2], 'c'])
    same('hexadecimal', ctl.lines('get', key[0], '--hex')[1], '\\x61')
    everything = ctl.lines('get', '', '--prefix', '--keys-only')
    has('all keys', everything, key[2])


def get_sorted(context):
    """get sorts by each target, both ways."""
    ctl, folder = context.ctl, context.folder('sort', ['m', 'z', 'a'])
    ctl.run('put', folder + '0', 'm')
    ctl.run('put', folder + '0', 'm')
    ctl.run('put', folder + '1', 'z')
    expected = {'KEY': '012', 'VERSION': '210', 'CREATE': '012', 'MODIFY': '201', 'VALUE': '201'}
    for target, order in expected.items():
        for way, want in (('ASCEND', order), ('DESCEND', order[::-1])):
            lines = ctl.lines('get', folder, '--prefix', '--keys-only', f'--sort-by={target}', f'--order={way}')
            same(f'{way} by {target}', ''.join(line[-1] for line in lines if line), want)
    ctl.fails('bad sort target', 'get', folder, '--prefix', '--sort-by=TASTE', code=4)


def get_history(context):
    """get reads old revisions, and refuses future ones."""
    ctl, key = context.ctl, context.key('history')
    ctl.run('put', key, 'old')
    old = context.revision()
    ctl.run('put', key, 'new')
    ctl.prints(pairs(key, 'old'), 'get', key, f'--rev={old}')
    ctl.run('del', key)
    ctl.prints(pairs(key, 'new'), 'get', key, f'--rev={old + 1}')
    ctl.prints('', 'get', key, f'--rev={old + 2}')
    ctl.fails('etcdserver: mvcc: required revision is a future revision', 'get', key, f'--rev={old + 10 ** 9}')


def formats(context):
    """The output formats json, fields and protobuf carry the whole answer."""
    ctl, folder = context.ctl, context.folder('formats', ['a', 'b'])
    answer = context.json('get', folder, '--prefix', '--limit=1')
    same('json: count and more', (answer['count'], answer['more']), (2, True))
    same('json: one pair', [pair['value'] for pair in answer['kvs']], ['YQ=='])
    has('json: header', answer['header'], 'cluster_id')
    fields = ctl.lines('get', folder + '0', '-w', 'fields')
    for line in ('"Value" : "a"', '"Version" : 1', '"Lease" : 0', '"More" : false', '"Count" : 1'):
        has('fields', fields, line)
    has('protobuf', ctl.run('get', folder + '0', '-w', 'protobuf').stdout, folder + '0')
    previous = context.json('put', folder + '0', 'c', '--prev-kv')
    same('json: put', previous['prev_kv']['value'], 'YQ==')
    same('json: delete', context.json('del', folder, '--prefix', '--prev-kv')['deleted'], 2)


def delete(context):
    """del counts what it deleted, and returns it when asked."""
    ctl, folder = context.ctl, context.folder('del', ['a', 'b', 'c', 'd'])
    ctl.prints('0', 'del', folder + 'none')
    ctl.prints('1', 'del', folder + '0')
    ctl.prints(pairs('1', folder + '1', 'b'), 'del', folder + '1', '--prev-kv')
    ctl.prints('1', 'del', folder + '2', folder + '3')
    ctl.prints('1', 'del', folder, '--prefix')
    ctl.prints('', 'get', folder, '--prefix')


def transaction(context):
    """txn reads its comparisons and operations from standard input, and prints the branch and each answer."""
    ctl, folder = context.ctl, context.folder('txn', ['a', 'b'])
    a, b, c = (folder + str(n) for n in range(3))
    ctl.prints(pairs('SUCCESS', '', 'OK', '', a, 'a', '', '1'), 'txn',
               text=f'value("{a}") = "a"\nver("{b}") > "0"\n\nput {c} "x y"\nget {a}\ndel {b}\n\nput {c} wrong\n\n')
    ctl.prints(pairs(c, 'x y'), 'get', c)
    ctl.prints(pairs('FAILURE', '', a, 'a'), 'txn', text=f'mod("{a}") = "1"\n\nput {c} wrong\n\nget {a}\n\n')
    ctl.prints('SUCCESS', 'txn', text=f'create("{b}") = "0"\nver("{a}") < "2"\n\n\n\n')
    ctl.prints(pairs('SUCCESS', '', a, 'a', c, 'x y'), 'txn', text=f'\nget {folder} --prefix\n\n\n')
    ctl.fails('etcdserver: duplicate key given in txn request', 'txn', text=f'\nput {a} 1\nput {a} 2\n\n\n')
    ctl.prints(pairs(a, 'a'), 'get', a)
    with ctl.start('txn', '-i', text=f'ver("{a}") = "1"\n\nget {a}\n\n\n') as running:
        lines = []
        while 'SUCCESS' not in lines:
            lines.append(running.line())
        same('interactively', [running.line() for _ in range(3)], ['', a, 'a'])
        same('exit code', running.ended(), 0)


def watch(context):
    """watch prints events as they come, with previous values when asked."""
    ctl, key = context.ctl, context.key('watch')
    revision = context.revision() + 1
    with ctl.start('watch', key, f'--rev={revision}') as plain, \
            ctl.start('watch', key, '--prev-kv', f'--rev={revision}') as previous:
        ctl.run('put', key + '-other', 'unseen')
        ctl.run('put', key, '1')
        plain.reads('PUT', key, '1')
        previous.reads('PUT', key, '1')
        ctl.run('put', key, '2')
        ctl.run('del', key)
        plain.reads('PUT', key, '2', 'DELETE', key, '')
        previous.reads('PUT', key, '1', key, '2', 'DELETE', key, '2', key, '')
        ctl.run('put', key, '3')
        plain.reads('PUT', key, '3')


def watch_from_now(context):
    """watch without a revision begins with what happens next."""
    ctl, key = context.ctl, context.key('now')
    ctl.run('put', key, 'before')
    with ctl.start('watch', key) as running:
        def write_and_look():
            ctl.run('put', key, 'after')
            return running.arrived.qsize()
        soon('an event', write_and_look, lambda count: count >= 3)
        running.reads('PUT', key, 'after')


def watch_prefix(context):
    """watch sees a prefix or a range, also from the past, and prints other formats."""
    ctl, folder = context.ctl, context.key('watched/')
    start = context.revision() + 1
    context.folder('watched', ['a', 'b', 'c'])
    ctl.run('del', folder, '--prefix')
    with ctl.start('watch', folder, '--prefix', f'--rev={start + 1}') as running:
        running.reads('PUT', folder + '1', 'b', 'PUT', folder + '2', 'c')
        running.reads('DELETE', folder + '0', '', 'DELETE', folder + '1', '', 'DELETE', folder + '2', '')
    with ctl.start('watch', folder + '1', folder + '2', f'--rev={start}') as running:
        running.reads('PUT', folder + '1', 'b', 'DELETE', folder + '1', '')
        running.quiet()
    with ctl.start('watch', folder, '--prefix', f'--rev={start}', '-w', 'json') as running:
        events = json.loads(running.line())['Events']
        same('json', events[0]['kv']['mod_revision'], start)
    with ctl.start('watch', folder + '2', f'--rev={start}', '-w', 'fields') as running:
        lines = [running.line() for _ in range(11)]
        has('fields', lines, '"Type" : PUT')
        has('fields', lines, f'"ModRevision" : {start + 2}')


def watch_and_execute(context):
    """watch runs a command for each event, with the event in its environment."""
    ctl, key = context.ctl, context.key('exec')
    start = context.revision() + 1
    ctl.run('put', key, 'value')
    command = 'echo "$ETCD_WATCH_EVENT_TYPE $ETCD_WATCH_KEY $ETCD_WATCH_VALUE $ETCD_WATCH_REVISION"'
    with ctl.start('watch', key, f'--rev={start}', '--', 'sh', '-c', command) as running:
        running.reads('PUT', key, 'value', f'"PUT" "{key}" "value" {start}')
        ctl.run('del', key)
        running.reads('DELETE', key, '', f'"DELETE" "{key}" "" {start + 1}')


def watch_interactively(context):
    """watch -i holds several watches on one connection."""
    ctl, one, two = context.ctl, context.key('i1'), context.key('i2')
    start = context.revision() + 1
    with ctl.start('watch', '-i', text=f'watch {one} --rev={start}\nwatch {two} --rev={start} --prev-kv\n') as running:
        ctl.run('put', one, '1')
        running.reads('PUT', one, '1')
        ctl.run('put', two, '2')
        running.reads('PUT', two, '2')
        running.say('progress\n')
        holds('progress', 'progress notify: ' in running.line(), running.seen)


def lease(context):
    """Leases are granted, described, kept alive, listed and revoked."""
    ctl, key = context.ctl, context.key('lease')
    granted = ctl.run('lease', 'grant', 60).stdout.split()
    number = granted[1]
    same('granted', granted, ['lease', number, 'granted', 'with', 'TTL(60s)'])
    ctl.prints('OK', 'put', key, 'held', f'--lease={number}')
    ctl.prints('OK', 'put', key, 'changed', '--ignore-lease')
    described = context.json('lease', 'timetolive', number, '--keys')
    same('keys', len(described['keys']), 1)
    between('ttl', described['ttl'], 58, 60)
    same('granted ttl', described['granted-ttl'], 60)
    has('in words', ctl.run('lease', 'timetolive', number, '--keys').stdout, f'attached keys([{key}])')
    ctl.prints(f'lease {number} keepalived with TTL(60)', 'lease', 'keep-alive', '--once', number)
    has('listed', ctl.lines('lease', 'list'), number)
    has('listed as json', context.json('lease', 'list')['leases'], {'id': int(number, 16)})
    ctl.prints(f'lease {number} revoked', 'lease', 'revoke', number)
    ctl.prints('', 'get', key)
    ctl.prints(f'lease {number} already expired', 'lease', 'timetolive', number)
    ctl.fails('failed to revoke lease (etcdserver: requested lease not found)', 'lease', 'revoke', number)
    ctl.fails('etcdserver: requested lease not found', 'lease', 'keep-alive', '--once', number, code=2)
    ctl.fails('failed to grant lease (etcdserver: too large lease TTL)', 'lease', 'grant', 9000000001)


def lease_kept_alive(context):
    """keep-alive without --once goes on beyond the ttl, until the lease is revoked."""
    ctl, key = context.ctl, context.key('alive')
    number = ctl.run('lease', 'grant', 2).stdout.split()[1]
    mortal = ctl.run('lease', 'grant', 2).stdout.split()[1]
    ctl.run('put', key, 'x', f'--lease={number}')
    ctl.run('put', key + '2', 'x', f'--lease={mortal}')
    with ctl.start('lease', 'keep-alive', number) as running:
        running.reads(*[f'lease {number} keepalived with TTL(2)'] * 5)
        soon('the other expires', lambda: ctl.lines('get', key + '2'), lambda lines: lines == [])
        ctl.prints(pairs(key, 'x'), 'get', key)
        ctl.run('lease', 'revoke', number)
        soon('it notices', running.line, lambda line: line == f'lease {number} expired or revoked.')


def lock(context):
    """lock admits one holder at a time, in order, runs commands, and lets go when interrupted."""
    ctl, name = context.ctl, context.key('lock')
    with ctl.start('lock', name) as first, ctl.start('lock', name) as second:
        owner = soon('one of them has it', lambda: [one for one in (first, second) if one.arrived.qsize()], len)[0]
        waiting = second if owner is first else first
        holds('the key', owner.line().startswith(name + '/'), owner.seen)
        soon('both are queued', lambda: ctl.lines('get', name + '/', '--prefix', '--keys-only'),
             lambda lines: len([line for line in lines if line]) == 2)
        waiting.quiet()
        owner.interrupt()
        holds('the next', waiting.line().startswith(name + '/'), waiting.seen)
        waiting.interrupt()
    ctl.prints('', 'get', name, '--prefix')
    same('a command', ctl.lines('lock', name, '--', 'sh', '-c', 'echo "$ETCD_LOCK_KEY"')[0][:len(name) + 1], name + '/')
    ctl.fails('exit status 3', 'lock', name, '--ttl=5', '--', 'sh', '-c', 'exit 3')
    ctl.prints('', 'get', name, '--prefix')


def elect(context):
    """elect makes one leader, observers see each leader, and the next follows when the first resigns."""
    ctl, name = context.ctl, context.key('elect')
    with ctl.start('elect', name, 'first') as first:
        holds('the key', first.line().startswith(name + '/'), first.seen)
        first.reads('first')
        with ctl.start('elect', '-l', name) as observer, ctl.start('elect', name, 'second') as second:
            observer.line()
            observer.reads('first')
            soon('both are queued', lambda: ctl.lines('get', name + '/', '--prefix', '--keys-only'),
                 lambda lines: len([line for line in lines if line]) == 2)
            second.quiet()
            first.interrupt()
            second.line()
            second.reads('second')
            observer.line()
            observer.reads('second')
            second.interrupt()
    ctl.prints('', 'get', name, '--prefix')


def compaction(context):
    """compaction forgets older revisions, and says when there is nothing to forget or to come."""
    ctl, key = context.ctl, context.key('compact')
    ctl.run('put', key, '1')
    ctl.run('put', key, '2')
    revision = context.revision()
    ctl.prints(f'compacted revision {revision}', 'compaction', revision)
    ctl.prints(pairs(key, '2'), 'get', key, f'--rev={revision}')
    ctl.fails(GONE, 'get', key, f'--rev={revision - 1}')
    ctl.fails(GONE, 'compaction', revision)
    ctl.fails('etcdserver: mvcc: required revision is a future revision', 'compaction', revision + 10 ** 9)
    with ctl.start('watch', key, f'--rev={revision - 1}') as running:
        same('a watch from before', running.line(), f'watch was canceled ({GONE})')
        same('exit code', running.ended(), 5)
    ctl.run('put', key, '3')
    ctl.prints(f'compacted revision {revision + 1}', 'compaction', '--physical', revision + 1)


def endpoint(context):
    """endpoint status, health and hashkv describe the server."""
    ctl = context.ctl
    [status] = context.json('endpoint', 'status')
    same('endpoint', status['Endpoint'], context.address)
    holds('version', len(status['Status']['version'].split('.')) == 3, status)
    holds('size', status['Status']['dbSize'] > 0, status)
    holds('leader', status['Status']['leader'] > 0, status)
    holds('as a line', ctl.run('endpoint', 'status').stdout.startswith(context.address + ', '))
    has('as a table', ctl.run('endpoint', 'status', '-w', 'table').stdout, f"|  {status['Status']['version']} |")
    same('of the cluster', len(context.json('endpoint', 'status', '--cluster')), 1)
    [health] = context.json('endpoint', 'health')
    same('healthy', health['health'], True)
    [hashed] = context.json('endpoint', 'hashkv')
    same('the same hash again', context.json('endpoint', 'hashkv')[0]['HashKV']['hash'], hashed['HashKV']['hash'])
    ctl.run('put', context.key('hashed'), 'x')
    holds('another hash', context.json('endpoint', 'hashkv')[0]['HashKV']['hash'] != hashed['HashKV']['hash'], hashed)
    ctl.fails('future revision', 'endpoint', 'hashkv', f'--rev={context.revision() + 10 ** 9}')


def maintenance(context):
    """Alarms are listed and disarmed, the server is defragmented, members are listed."""
    ctl = context.ctl
    ctl.prints('', 'alarm', 'list')
    ctl.prints('', 'alarm', 'disarm')
    ctl.prints(f'Finished defragmenting etcd member[{context.address}]', 'defrag')
    [member] = context.json('member', 'list')['members']
    holds('client urls', member['clientURLs'][0].startswith('http'), member)
    has('as a line', ctl.run('member', 'list').stdout, f"{member['ID']:x}, started, {member.get('name', '')}, ")
    ctl.fails('etcdserver: member not found', 'member', 'remove', '1234')


def snapshot(context):
    """snapshot save writes a file, which etcdctl accepts by its size: whole sectors of 512 bytes and a SHA-256."""
    path = os.path.join(context.files, 'snapshot')
    context.ctl.prints(f'Snapshot saved at {path}', 'snapshot', 'save', path)
    holds('it is not empty', os.path.getsize(path) > 32, os.path.getsize(path))
    same('its size leaves a digest over', os.path.getsize(path) % 512, 32)


def mirror(context):
    """make-mirror copies a prefix to another place and follows its changes."""
    ctl, source = context.ctl, context.folder('mirror-from', ['a', 'b'])
    goal = context.key('mirror-to/')
    arguments = ['make-mirror', '--prefix', source, '--dest-prefix', goal, context.address]
    with ctl.start(*arguments):
        soon('the copy', lambda: ctl.lines('get', goal, '--prefix'),
             lambda got: got == [goal + '0', 'a', goal + '1', 'b'])

        def change_and_look():
            ctl.run('put', source + '2', 'c')
            return ctl.lines('get', goal + '2')
        soon('a new key', change_and_look, lambda got: got == [goal + '2', 'c'])
        ctl.run('del', source + '0')
        soon('a deleted key', lambda: ctl.lines('get', goal + '0'), lambda got: got == [])


def users_and_roles(context):
    """Users and roles are made, changed, read and deleted, without switching authentication on."""
    ctl = context.ctl
    name = context.prefix.rsplit('-', 1)[-1].rstrip('/')
    user, role = 'user-' + name, 'role-' + name
    ctl.prints(f'User {user} created', 'user', 'add', user + ':secret')
    ctl.fails('etcdserver: user name already exists', 'user', 'add', user + ':secret')
    ctl.prints(f'Role {role} created', 'role', 'add', role)
    ctl.prints(f'Role {role} updated', 'role', 'grant-permission', role, '--prefix', 'readwrite', context.key('a/'))
    ctl.prints(f'Role {role} updated', 'role', 'grant-permission', role, 'read', context.key('b'))
    described = ctl.run('role', 'get', role).stdout
    has('the prefix', described, f"[{context.key('a/')}, {context.key('a0')}) (prefix {context.key('a/')})")
    has('the key', described, context.key('b'))
    ctl.prints(f'Role {role} is granted to user {user}', 'user', 'grant-role', user, role)
    ctl.prints(pairs(f'User: {user}', f'Roles: {role}'), 'user', 'get', user)
    ctl.prints('Password updated', 'user', 'passwd', user, '--interactive=false', text='other')
    ctl.prints(f'Role {role} is revoked from user {user}', 'user', 'revoke-role', user, role)
    has('users', ctl.lines('user', 'list'), user)
    has('roles', ctl.lines('role', 'list'), role)
    ctl.prints(f"Permission of key {context.key('b')} is revoked from role {role}", 'role', 'revoke-permission', role,
               context.key('b'))
    ctl.prints(f'User {user} deleted', 'user', 'delete', user)
    ctl.fails('etcdserver: user name not found', 'user', 'get', user)
    ctl.prints(f'Role {role} deleted', 'role', 'delete', role)
    ctl.fails('etcdserver: role name not found', 'role', 'get', role)
    ignored = ctl.run('--user=nobody:x', 'get', context.key('none'))
    has('a client with a password goes on without', ignored.stderr, 'etcdserver: authentication is not enabled')


def large(context):
    """A value of a megabyte is stored; a value above the limit is refused by its text."""
    ctl, key = context.ctl, context.key('large')
    ctl.prints('OK', 'put', key, text='x' * (1 << 20))
    same('its size', len(ctl.run('get', key, '--print-value-only').stdout), (1 << 20) + 1)
    ctl.fails('etcdserver: request is too large', 'put', key, text='x' * (1600 << 10))


def clean_up(context):
    """Everything below the prefix goes away."""
    context.ctl.run('del', context.prefix, '--prefix')
    context.ctl.prints('', 'get', context.prefix, '--prefix')
    shutil.rmtree(context.files)


def check_performance(context):
    """etcdctl's own check of 150 writes a second for a minute passes."""
    has('its verdict', context.ctl.run('check', 'perf', '--load=s', seconds=85).stdout, 'PASS')


def check_data_scale(context):
    """etcdctl's own check with 10,000 keys of 1 KiB passes; it reads the server's memory from /metrics."""
    has('its verdict', context.ctl.run('check', 'datascale', '--load=s', seconds=85).stdout, 'PASS')


STEPS = [put, get, get_sorted, get_history, formats, delete, transaction, watch, watch_from_now, watch_prefix,
         watch_and_execute, watch_interactively, lease, lease_kept_alive, lock, elect, compaction, endpoint,
         maintenance, snapshot, mirror, users_and_roles, large, clean_up]
EXTRA = [check_performance, check_data_scale]


if __name__ == '__main__':
    given = proof.arguments(__doc__.splitlines()[0], 'HOST:PORT')
    sys.exit(proof.run('etcdctl v3', STEPS, Context(given.address), given, EXTRA))
