"""A PostgreSQL of a test's own, without a network; needs Debian's postgresql, and its user if run as root."""

import glob
import os
import pwd
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_FOLDERS = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
_PROGRAMS = ("initdb", "pg_ctl", "psql")


def _place(program):
    return next((found for folder in _FOLDERS if (found := shutil.which(program, path=folder))), shutil.which(program))


def is_installed():
    """Return whether the server and its client are here, and may be run."""
    return all(map(_place, _PROGRAMS)) and (os.getuid() != 0 or _user() is not None)


def _user():
    """Return the user that runs the server: root may not."""
    if os.getuid() != 0:
        return None
    return next((each.pw_name for each in pwd.getpwall() if each.pw_name == "postgres"), None)


@contextmanager
def postgres_server():
    """Yield a function that runs statements and returns the rows of the last one as lists of text."""
    with TemporaryDirectory() as folder:  # folders of pytest may be entered by their owner only
        yield from _serve(Path(folder))


def _serve(folder):
    initdb, pg_ctl, psql = map(_place, _PROGRAMS)
    user, data = _user(), folder / "data"
    if user is not None:
        shutil.chown(folder, user)

    def start(*command):
        subprocess.run(command, check=True, capture_output=True, user=user, cwd=folder)

    start(initdb, "-D", str(data), "-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    start(pg_ctl, "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")

    def run(statements):
        command = [psql, "-X", "-h", str(folder), "-U", "test", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-q", "-t"]
        command += ["-A", "-F", "\t", "-f", "-"]
        done = subprocess.run(command, input=statements, capture_output=True, text=True, check=False, user=user)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    try:
        yield run
    finally:
        start(pg_ctl, "-D", str(data), "-m", "immediate", "stop")


def in_postgres(run, query, frame):
    """Return the rows of a query, given a frame as the table ``data``."""
    types = {"String": "text", "Int64": "bigint", "Float64": "double precision"}
    made = ", ".join(f"{_name(name)} {types[str(dtype)]}" for name, dtype in frame.schema.items())
    rows = ", ".join("(" + ", ".join(map(_value, row)) + ")" for row in frame.rows())
    return run(f"DROP TABLE IF EXISTS data; CREATE TABLE data ({made}); INSERT INTO data VALUES {rows};\n{query}")


def _name(name):
    return '"' + name.replace('"', '""') + '"'


def _value(value):
    if isinstance(value, str):
        return f"convert_from('\\x{value.encode().hex()}', 'UTF8')"
    return "NULL" if value is None else repr(value)
