"""A MariaDB of a test's own, without a network; needs Debian's mariadb-server."""

import shutil
import subprocess
import time
from contextlib import contextmanager

PROGRAMS = ("mariadb-install-db", "mariadbd", "mariadb")


def is_installed():
    """Return whether the server and its client are here."""
    return all(map(_place, PROGRAMS))


def _place(program):
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")


@contextmanager
def mariadb_server(folder):
    """Yield a function that runs statements and returns the rows of the last one as lists of text."""
    make, serve, client = map(_place, PROGRAMS)
    data, socket = folder / "data", folder / "socket"
    places = ["--no-defaults", f"--datadir={data}", "--user=root"]
    subprocess.run(
        [make, *places, "--auth-root-authentication-method=normal", "--skip-test-db"], check=True, capture_output=True
    )
    server = subprocess.Popen(
        [serve, *places, f"--socket={socket}", "--skip-networking"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def run(statements):
        command = [client, "--no-defaults", "--user=root", f"--socket={socket}", "--default-character-set=utf8mb4"]
        done = subprocess.run(
            [*command, "--batch", "--skip-column-names"], input=statements, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    try:
        _wait(run, server)
        run("CREATE DATABASE data; CREATE DATABASE own")
        yield run
    finally:
        server.terminate()
        server.wait(timeout=60)


def _wait(run, server):
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError("MariaDB did not start")
        try:
            run("SELECT 1")
        except RuntimeError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("MariaDB does not answer")


def in_mariadb(run, query, frame, text="VARCHAR(200) CHARACTER SET utf8mb4"):
    """Return the rows of a query, given a frame as the table ``data``; strings have a type of text."""
    types = {"String": text, "Int64": "BIGINT", "Float64": "DOUBLE"}
    made = ", ".join(f"{_name(name)} {types[str(dtype)]}" for name, dtype in frame.schema.items())
    rows = ", ".join("(" + ", ".join(map(_value, row)) + ")" for row in frame.rows())
    return run(
        f"USE own; DROP TABLE IF EXISTS data; CREATE TABLE data ({made}); INSERT INTO data VALUES {rows};\n{query}"
    )


def _name(name):
    return "`" + name.replace("`", "``") + "`"


def _value(value):
    if isinstance(value, str):
        return f"CONVERT(X'{value.encode().hex()}' USING utf8mb4)"
    return "NULL" if value is None else repr(value)
