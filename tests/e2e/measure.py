"""Runs a program and tells what it cost; keeps watch over a folder. Shared by the tests of this folder."""
import hashlib
import os
import random
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20


class Run:
    """What a program did: exit (negative: the signal), cpu and wall in seconds, peak memory in MiB, out and err in bytes."""

    def __init__(self, exit, usage, wall, out, err):
        self.exit = exit
        self.cpu = usage.ru_utime + usage.ru_stime
        self.wall = wall
        self.memory = usage.ru_maxrss / 1024
        self.out, self.err = out, err


def produce(function, *arguments):
    """Calls a function in a child, so that this process stays small: a child's peak memory begins with its parent's."""
    child = os.fork()
    if child == 0:
        try:
            function(*arguments)
            os._exit(0)
        except BrokenPipeError:
            os._exit(0)  # whoever reads had enough
        except BaseException as error:
            print("producing an input failed: %r" % error, file=sys.stderr, flush=True)
            os._exit(1)
    return child


def _feed(feed, reading, writing):
    os.close(reading)
    with os.fdopen(writing, "wb") as file:
        feed(file)


def produced(function, *arguments):
    if os.waitstatus_to_exitcode(os.waitpid(produce(function, *arguments), 0)[1]) != 0:
        raise RuntimeError("an input could not be made")


def run(words, stdin="/dev/null", feed=None, memory=None, user=None, seconds=120):
    """`feed(file)` writes standard input as a pipe. `memory`: bytes of address space, a net below the checks. `user`: the
    numeric id to run as. A program that has not ended after `seconds` is killed and counts as crashed."""
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    feeder = None
    if feed:
        reading, writing = os.pipe()
        feeder = produce(_feed, feed, reading, writing)
        os.close(writing)
    else:
        reading = os.open(stdin, os.O_RDONLY)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        child = subprocess.Popen([str(word) for word in words], stdin=reading, stdout=out, stderr=err, preexec_fn=limit)
        os.close(reading)
        killer = threading.Timer(seconds, child.kill)
        killer.start()
        _, status, usage = os.wait4(child.pid, 0)
        killer.cancel()
        wall, child.returncode = time.monotonic() - began, os.waitstatus_to_exitcode(status)
        if feeder:
            os.waitpid(feeder, 0)
        out.seek(0)
        err.seek(0)
        return Run(child.returncode, usage, wall, out.read(16 * MIB), err.read(16 * MIB))


class Moments:
    """Random moments of a run, at which it is killed. How long a run takes changes with what else the machine does: the last
    run that came to its end says it, and a bit more with each that does not, or a slower one would never come to its end."""

    def __init__(self, run):
        """`run` is one run that comes to its end. PROVISIONER_SEED repeats the moments of another test."""
        seed = int(os.environ.get("PROVISIONER_SEED", time.time()))
        print("seed %d (PROVISIONER_SEED repeats it)" % seed, flush=True)
        began = time.monotonic()
        run()
        self.chance, self.whole, self.ended, self.cut = random.Random(seed), time.monotonic() - began, 0, 0

    def end(self, process, kill):
        """Waits for a moment of the process, which was started just now; calls `kill` if it still runs then."""
        moment = self.chance.uniform(0.02, 1.1) * self.whole
        self.ended += 1
        began = time.monotonic()
        try:
            process.wait(moment)
            self.whole = time.monotonic() - began
        except subprocess.TimeoutExpired:
            self.whole *= 1.05
            kill()
            self.cut += process.wait() != 0

    def told(self, case, least):
        print("%d of %d runs were cut short" % (self.cut, self.ended), flush=True)
        case.assertGreater(self.cut, least, "the runs end too soon for this test to show anything")


def digest(path):
    result = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(MIB), b""):
            result.update(block)
    return result.hexdigest()


def snapshot(folder):
    """Everything below a folder: path -> type and mode, time, digest or target."""
    found = {}
    for base, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(base, name)
            info = os.lstat(path)
            content = digest(path) if stat.S_ISREG(info.st_mode) else ""
            found[os.path.relpath(path, folder)] = (oct(info.st_mode), info.st_mtime_ns, content)
    return found


def private_mounts():
    """The words that run a program where it may mount, or None."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = words + ["sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
        if shutil.which("unshare") and subprocess.run(probe, capture_output=True).returncode == 0:
            return words
    return None
