"""Runs the real etcdctl, to its end or in the background, and judges exit codes and output."""
import os
import queue
import shutil
import signal
import subprocess
import threading
import time

from proof import DEADLINE_SECONDS, Mismatch, has, same

WAIT = 30


class Control:
    """etcdctl with one API version and one endpoint."""

    def __init__(self, api, endpoint):
        self.program = shutil.which('etcdctl')
        if self.program is None:
            raise SystemExit('etcdctl is not on the PATH')
        self.command = [self.program, '--endpoints', endpoint]
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith('ETCDCTL_')}
        self.environment['ETCDCTL_API'] = str(api)

    def run(self, *arguments, text='', code=0, seconds=WAIT):
        """Runs a command that must end with the code, and returns what it printed as a finished process."""
        done = subprocess.run([*self.command, *map(str, arguments)], input=text, capture_output=True, timeout=seconds,
                              env=self.environment, encoding='utf-8', errors='surrogateescape')
        if done.returncode != code:
            raise Mismatch(f'etcdctl {arguments}\n  expected: exit code {code}\n  got:      {done.returncode}, '
                           f'stdout {done.stdout!r}, stderr {done.stderr!r}')
        return done

    def prints(self, expected, *arguments, text=''):
        """Checks what a command prints, without the last newline."""
        return same(f'etcdctl {arguments}', self.run(*arguments, text=text).stdout.removesuffix('\n'), expected)

    def lines(self, *arguments, text=''):
        """The lines that a command prints."""
        return self.run(*arguments, text=text).stdout.splitlines()

    def fails(self, part, *arguments, code=1, text=''):
        """Checks that a command fails with the code and says the part on stderr."""
        done = self.run(*arguments, text=text, code=code)
        has(f'etcdctl {arguments}: stderr', done.stderr, part)

    def start(self, *arguments, text=None):
        """Starts a command in the background; use it as a context, which ends it."""
        return Running([*self.command, *map(str, arguments)], self.environment, text)


class Running:
    """An etcdctl in the background whose lines are awaited."""

    def __init__(self, command, environment, text):
        self.what = ' '.join(command[3:])
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, encoding='utf-8', errors='surrogateescape')
        self.arrived, self.seen = queue.Queue(), []
        threading.Thread(target=self._read, daemon=True).start()
        if text is not None:
            self.say(text)

    def _read(self):
        for line in self.process.stdout:
            self.arrived.put(line.rstrip('\n'))
        self.arrived.put(None)

    def say(self, text):
        """Writes to the command's standard input."""
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def line(self, seconds=DEADLINE_SECONDS):
        """The next line, awaited."""
        try:
            line = self.arrived.get(timeout=seconds)
        except queue.Empty:
            line = None
        if line is None:
            raise Mismatch(f'etcdctl {self.what}\n  expected: another line within {seconds} s\n  got:      {self.seen}')
        self.seen.append(line)
        return line

    def reads(self, *lines):
        """Checks the next lines."""
        same(f'etcdctl {self.what}: lines', [self.line() for _ in lines], list(lines))

    def quiet(self):
        """Checks that nothing unread has been printed."""
        same(f'etcdctl {self.what}: unread lines', list(self.arrived.queue), [])

    def interrupt(self):
        """Sends SIGINT and waits for the end; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self, seconds=WAIT):
        """Waits for the end; returns the exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                return self.process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                continue
        raise Mismatch(f'etcdctl {self.what}\n  expected: its end within {seconds} s\n  got:      {self.seen}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
