"""Run one command with its output in a file, and print: exit status, seconds, peak memory in bytes.

    python3 -I -S launch.py OUTPUT PROGRAM [ARGUMENT...]

A script of its own because of the memory: until a child becomes another program it is charged with
that of its parent, so the parent has to be small. Hence nothing is imported but what the
interpreter has built in, and PROGRAM is a path.
"""
import posix
import sys
import time

# ru_maxrss counts bytes on macOS, kilobytes elsewhere.
UNIT = 1 if sys.platform == "darwin" else 1024

output, command = sys.argv[1], sys.argv[2:]
environment = dict(posix.environ)
flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC
began = time.perf_counter()
child = posix.posix_spawn(command[0], command, environment, file_actions=[
    (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
    (posix.POSIX_SPAWN_OPEN, 1, output, flags, 0o600)])
_, status, usage = posix.wait4(child, 0)
seconds = time.perf_counter() - began
print(posix.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss * UNIT)
