"""Checks and steps shared by the end-to-end programs.

A program is a list of steps; a step is a function whose docstring says what it proves. A check that fails raises
Mismatch, which names what was checked, what was expected and what came; the runner prints it with the step and
makes the program's exit code 1. A step that takes longer than STEP_SECONDS fails too, so no server can hang a program.
"""
import argparse
import asyncio
import secrets
import signal
import sys
import time
import traceback

STEP_SECONDS = 90
DEADLINE_SECONDS = 15
checks_made = 0


class Mismatch(Exception):
    """An answer that is not what etcd would have answered."""


def _count():
    global checks_made
    checks_made += 1


def same(what, got, expected):
    """Checks that `got` equals `expected`, and returns it."""
    _count()
    if got != expected:
        raise Mismatch(f'{what}\n  expected: {expected!r}\n  got:      {got!r}')
    return got


def holds(what, condition, got=None):
    """Checks that a condition is true; `got` is printed when it is not."""
    _count()
    if not condition:
        raise Mismatch(f'{what}\n  expected: a true condition\n  got:      {got!r}')


def between(what, got, low, high):
    """Checks that a number lies in the closed range low...high, and returns it."""
    _count()
    if not low <= got <= high:
        raise Mismatch(f'{what}\n  expected: {low} to {high}\n  got:      {got!r}')
    return got


def has(what, text, part):
    """Checks that a text or list contains a part, and returns the whole."""
    _count()
    if part not in text:
        raise Mismatch(f'{what}\n  expected: something with {part!r}\n  got:      {text!r}')
    return text


def _check_raised(what, error, kind, part):
    if not isinstance(error, kind):
        raise Mismatch(f'{what}\n  expected: {kind}\n  got:      {error!r}') from error
    if part is not None and part not in text_of(error):
        raise Mismatch(f'{what}\n  expected: an error with {part!r}\n  got:      {text_of(error)!r}') from error
    return error


def text_of(error):
    """Everything an error says, wherever its class keeps the server's text."""
    details = error.details() if callable(getattr(error, 'details', None)) else ''
    cause = f' {text_of(error.__cause__)}' if error.__cause__ is not None else ''
    return f"{error} {getattr(error, 'detail_text', None) or ''} {details}{cause}"


def raises(what, kind, call, part=None):
    """Checks that a call fails with an error of the kind whose text has the part, and returns the error."""
    _count()
    try:
        value = call()
    except Mismatch:
        raise
    except Exception as error:  # every error is judged, none is swallowed
        return _check_raised(what, error, kind, part)
    raise Mismatch(f'{what}\n  expected: {kind}\n  got:      no error, {value!r}')


async def raises_async(what, kind, awaitable, part=None):
    """Like `raises`, for something to await."""
    _count()
    try:
        value = await awaitable
    except Mismatch:
        raise
    except Exception as error:  # every error is judged, none is swallowed
        return _check_raised(what, error, kind, part)
    raise Mismatch(f'{what}\n  expected: {kind}\n  got:      no error, {value!r}')


def soon(what, probe, accept, seconds=DEADLINE_SECONDS):
    """Polls until `accept` is true for what `probe` returns, and returns that; fails at the deadline."""
    _count()
    end = time.monotonic() + seconds
    while True:
        value = probe()
        if accept(value):
            return value
        if time.monotonic() > end:
            raise Mismatch(f'{what}\n  expected: a change within {seconds} s\n  got:      {value!r} all the time')
        time.sleep(0.02)


async def soon_async(what, probe, accept, seconds=DEADLINE_SECONDS):
    """Like `soon`, with a probe to await."""
    _count()
    end = time.monotonic() + seconds
    while True:
        value = await probe()
        if accept(value):
            return value
        if time.monotonic() > end:
            raise Mismatch(f'{what}\n  expected: a change within {seconds} s\n  got:      {value!r} all the time')
        await asyncio.sleep(0.02)


def random_prefix(kind):
    """A prefix of keys that nobody else uses, so that a server which holds other keys can be checked."""
    return f'/proof/{kind}-{secrets.token_hex(6)}/'


def arguments(description, address):
    """Reads the command line: one address, and steps to leave out by name."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('address', help=address)
    parser.add_argument('--skip', action='append', default=[], metavar='STEP', help='leave a step out (repeatable)')
    parser.add_argument('--only', action='append', default=[], metavar='STEP', help='run this step only (repeatable)')
    return parser.parse_args()


def _too_slow(_signal, _frame):
    raise Mismatch(f'the step took longer than {STEP_SECONDS} s')


def _failed(name, step, error):
    print(f'FAIL {name}: {step.__name__}: {(step.__doc__ or "").strip()}')
    print(f'  {error}' if isinstance(error, Mismatch) else ''.join(traceback.format_exception(error)))
    sys.stdout.flush()


def _chosen(steps, extra, given):
    known = [step.__name__ for step in [*steps, *extra]]
    unknown = {*given.skip, *given.only} - set(known)
    if unknown:
        raise SystemExit(f'no such step: {", ".join(sorted(unknown))}; there are {", ".join(known)}')
    if given.only:
        return [step for step in [*steps, *extra] if step.__name__ in given.only]
    return [step for step in steps if step.__name__ not in given.skip]


def run(name, steps, context, given, extra=()):
    """Runs the steps that the arguments ask for, in order, with one context; extra steps run only when named.

    Returns the exit code: 0, or 1 at the first failure.
    """
    signal.signal(signal.SIGALRM, _too_slow)
    chosen = _chosen(steps, extra, given)
    for step in chosen:
        signal.alarm(STEP_SECONDS)
        try:
            step(context)
        except Exception as error:  # reported with its step
            _failed(name, step, error)
            return 1
        finally:
            signal.alarm(0)
    print(f'ok {name}: {checks_made} checks in {len(chosen)} steps')
    return 0


async def run_async(name, steps, context, given):
    """Like `run`, for steps to await."""
    chosen = _chosen(steps, (), given)
    for step in chosen:
        try:
            async with asyncio.timeout(STEP_SECONDS):
                await step(context)
        except Exception as error:  # reported with its step
            _failed(name, step, error)
            return 1
    print(f'ok {name}: {checks_made} checks in {len(chosen)} steps')
    return 0
