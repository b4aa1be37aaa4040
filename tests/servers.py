"""Database servers of the tests' own: in a folder that is removed, without a network, stopped."""

import contextlib
import os
import pwd
import shutil
import socket as unix
import subprocess
import tempfile
import time
from pathlib import Path

POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
PATIENCE = 60  # seconds, on a machine that does other things as well


def postgres_bin():
    """Return the folder of PostgreSQL's programs, which Debian keeps out of the path."""
    found = shutil.which("initdb")
    return Path(found).parent if found else POSTGRES[-1]


def unprivileged():
    """Return whom to run a server as: servers refuse root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def folder():
    """Make a folder with a short name, since that of a socket must be, which a server may use."""
    with tempfile.TemporaryDirectory(prefix="db-", dir="/tmp") as made:
        place = Path(made)
        who = unprivileged()
        if who:
            os.chown(place, who["user"], who["group"])
        yield place


def prepare(*command, place):
    """Run what makes the files of a server."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=place,
        env={**os.environ, "HOME": str(place), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
        **unprivileged(),
    )
    assert done.returncode == 0, done.stderr + done.stdout


@contextlib.contextmanager
def running(*command, place, connect, refusals):
    """Run a server, yield a connection to it as soon as it answers, and stop it."""
    log = place / "log"
    with log.open("wb") as said:
        server = subprocess.Popen(
            [str(word) for word in command],
            cwd=place,
            env={**os.environ, "HOME": str(place), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            **unprivileged(),
        )
    try:
        with contextlib.closing(_answering(server, connect, refusals, log)) as connection:
            yield connection
    finally:
        server.terminate()
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _answering(server, connect, refusals, log):
    start = time.monotonic()
    while True:
        try:
            return connect()
        except refusals:
            ended = server.poll() is not None
            if ended or time.monotonic() - start > PATIENCE:
                raise AssertionError(log.read_text(errors="replace")) from None
            time.sleep(0.05)


@contextlib.contextmanager
def postgres():
    """Yield a connection to a PostgreSQL server that ends with the block."""
    import psycopg

    programs = postgres_bin()
    with folder() as place:
        data = place / "data"
        prepare(
            *(programs / "initdb", "-D", data, "-U", "tester", "-A", "trust"),
            *("-E", "UTF8", "--no-sync", "--locale=C.UTF-8"),
            place=place,
        )
        server = (programs / "postgres", "-D", data, "-k", place, "-h", "", "-F", "-c", "jit=off")

        def connect():
            # The tests make tables of other types under one name, which a statement that psycopg
            # has prepared after its fifth use does not notice.
            return psycopg.connect(
                host=str(place),
                user="tester",
                dbname="postgres",
                autocommit=True,
                prepare_threshold=None,
            )

        with running(
            *server, place=place, connect=connect, refusals=psycopg.OperationalError
        ) as connection:
            yield connection


@contextlib.contextmanager
def mariadb():
    """Yield a connection to a MariaDB server that ends with the block."""
    import pymysql

    path = os.environ.get("PATH", "") + ":/usr/sbin"
    server = shutil.which("mariadbd", path=path)
    installer = shutil.which("mariadb-install-db", path=path)
    with folder() as place:
        data, socket = place / "data", place / "socket"
        # A server that starts deletes what others keep in the folder for temporary tables.
        own = (f"--datadir={data}", f"--tmpdir={place}")
        small = ("--innodb-log-file-size=4M", "--innodb-buffer-pool-size=16M")
        prepare(
            *(installer, "--no-defaults", *own, "--skip-test-db"),
            *("--auth-root-authentication-method=normal", *small),
            place=place,
        )

        def connect():
            with contextlib.closing(unix.socket(unix.AF_UNIX)) as probe:
                probe.connect(str(socket))  # where nobody listens, pymysql leaves its own open
            connection = pymysql.connect(
                unix_socket=str(socket), user="root", charset="utf8mb4", autocommit=True
            )
            with connection.cursor() as cursor:
                cursor.execute("CREATE DATABASE IF NOT EXISTS tests CHARACTER SET utf8mb4")
                cursor.execute("USE tests")
            return connection

        with running(
            *(server, "--no-defaults", *own, f"--socket={socket}"),
            *("--skip-networking", f"--pid-file={place / 'pid'}", *small),
            place=place,
            connect=connect,
            refusals=(OSError, pymysql.OperationalError),
        ) as connection:
            yield connection
