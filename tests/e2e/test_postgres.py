"""A study on a real PostgreSQL server: the same as on SQLite, and no password anywhere."""

import json
import os
import shutil
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import (
    DONE,
    PATIENCE_S,
    USER_INPUT,
    Finished,
    rankings,
    start,
)
from tests.e2e.grid import RUN, TRIALS, begin
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.test_dashboard import get, read_address
from tests.postgres_server import ADMIN, PASSWORD, PostgresServer

pytestmark = pytest.mark.slow

MEASURED = {"timings", "last_run", "last run", "latency", "build_s", "corpus folder"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished study; tests only read it."""

    folder: Path
    url: str | None
    run: Finished

    @property
    def env(self) -> dict[str, str]:
        return {"SWEEP_STORAGE": self.url} if self.url else {}

    def json(self, *arguments: object) -> Any:
        return call_json(*arguments, cwd=self.folder, env=self.env)

    def text(self, *arguments: object) -> str:
        return call_well(*arguments, cwd=self.folder, env=self.env).stdout


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = begin(tmp_path_factory.mktemp("sqlite"))
    return Recorded(folder, None, call_well(*RUN, "--json", cwd=folder))


@pytest.fixture(scope="module")
def on_postgres(tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer) -> Recorded:
    folder, url = begin(tmp_path_factory.mktemp("postgres")), postgres.new_url()
    done = call_well(*RUN, "--json", "--storage", url, cwd=folder)
    return Recorded(folder, url, done)


def without_time(content: Any) -> Any:
    """Return JSON without what is measured and differs from run to run."""
    if isinstance(content, dict):
        return {
            key: without_time(value)
            for key, value in content.items()
            if key not in MEASURED and not key.startswith("latency_")
        }
    return [without_time(value) for value in content] if isinstance(content, list) else content


@pytest.mark.parametrize(
    "arguments",
    [
        ("trials",),
        ("trials", "grid"),
        ("best",),
        ("best", "--pick", "baseline"),
        ("show", "grid"),
        ("show", "grid", 3),
        ("compare", 0, 1),
        ("studies",),
    ],
    ids=str,
)
def test_every_command_gives_the_same(
    on_sqlite: Recorded, on_postgres: Recorded, arguments: tuple[object, ...]
) -> None:
    mine, other = on_postgres.json(*arguments), on_sqlite.json(*arguments)
    assert without_time(mine) == without_time(other)


def test_a_run_ends_the_same(on_sqlite: Recorded, on_postgres: Recorded) -> None:
    assert without_time(json.loads(on_postgres.run.stdout)) == without_time(
        json.loads(on_sqlite.run.stdout)
    )
    files = [rankings(study.folder / "results", "grid") for study in (on_sqlite, on_postgres)]
    assert files[0] == files[1]
    assert not (on_postgres.folder / "results" / "sweep.db").exists()


def test_the_same_command_again_evaluates_nothing(on_postgres: Recorded) -> None:
    before = on_postgres.json("trials")
    on_postgres.text(*RUN)
    assert on_postgres.json("trials") == before


def test_a_bundle_can_be_exported(on_postgres: Recorded, tmp_path: Path) -> None:
    on_postgres.text("export", "grid", "--out", tmp_path / "out")
    assert "passed" in on_postgres.text("verify", tmp_path / "out")
    hits = on_postgres.json("query", "grid", "storm petrels in the boulder field")
    assert hits[0]["document_id"] == "birds"


def test_the_dashboard_lists_the_study(on_postgres: Recorded) -> None:
    arguments = ("dashboard", "--port", 0)
    with start(*arguments, cwd=on_postgres.folder, env=on_postgres.env) as process:
        try:
            address = read_address(process)
            (study,) = json.loads(get(address + "api/studies")[1])["study_summaries"]
            assert study["study_name"] == "grid"
            detail = json.loads(get(f"{address}api/studies/{study['study_id']}")[1])
            assert len(detail["trials"]) == TRIALS
        finally:
            os.kill(process.pid, signal.SIGINT)
            process.wait(timeout=PATIENCE_S)


def test_delete_removes_the_study(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.new_url()
    begin(tmp_path)
    for name in ("one", "two"):
        call_well(*RUN, "--study", name, "--storage", url, cwd=tmp_path)
    call_well("delete", "one", "--yes", "--storage", url, cwd=tmp_path)
    (study,) = call_json("studies", "--storage", url, cwd=tmp_path)
    assert (study["name"], study["trials"]) == ("two", TRIALS)
    gone = call("trials", "one", "--storage", url, cwd=tmp_path)
    assert gone.returncode == USER_INPUT
    assert len(call_json("trials", "two", "--storage", url, cwd=tmp_path)) == TRIALS
    names = [path.name for path in (tmp_path / "results").iterdir()]
    assert [name for name in names if not name.startswith(".")] == ["two"]


def test_a_study_goes_on_in_another_folder(tmp_path: Path, postgres: PostgresServer) -> None:
    """As on another host: the trials are in the database, their tables are made here."""
    url = postgres.new_url()
    here, there = begin(tmp_path / "here"), begin(tmp_path / "there")
    call_well(*RUN, "--trials", 2, "--storage", url, cwd=here)
    first = call_json("trials", "--storage", url, cwd=here)
    done = call_well(*RUN, "--storage", url, cwd=there)
    assert "2 finished trials have no tables in results/grid" in done.stderr
    now = call_json("trials", "--storage", url, cwd=there)
    assert [t for t in now if t["number"] < 2] == first
    assert sorted(t["number"] for t in now) == list(range(TRIALS))
    call_well("best", "--storage", url, cwd=there)
    made = rankings(there / "results", "grid")
    assert len(made) == 2 * TRIALS
    assert rankings(here / "results", "grid").items() <= made.items()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"password": "wrong-one-77"}, "password authentication failed"),
        ({"user": "nobody-known"}, "password authentication failed"),
        ({"database": "no_such_database"}, "Make it with createdb"),
    ],
)
def test_what_the_server_refuses_is_told(
    tmp_path: Path, postgres: PostgresServer, change: dict[str, str], told: str
) -> None:
    assert_refused(tmp_path, postgres.url(**{"database": "postgres", **change}), told)


def assert_refused(folder: Path, url: str, *told: str, commands: Any = None) -> None:
    """Every command ends with one sentence that has no password in it, and makes nothing."""
    begin(folder)
    for command in commands or (RUN, ("studies",), ("dashboard",)):
        done = call(*command, "--storage", url, cwd=folder)
        assert done.returncode == USER_INPUT, done.stderr
        assert done.stderr.count("error: ") == 1
        for words in told:
            assert words in done.stderr
        assert "Traceback" not in done.stderr
        assert PASSWORD not in done.stderr
        assert "wrong-one-77" not in done.stderr
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("127.0.0.1:9", "See that it runs"),
        ("no-such-host.invalid", "See that it runs"),
    ],
)
def test_a_server_that_is_not_there_is_told(tmp_path: Path, place: str, told: str) -> None:
    assert_refused(tmp_path, f"postgresql://{ADMIN}:{PASSWORD}@{place}/db", told)


def test_a_server_that_never_answers_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = f"127.0.0.1:{silent.getsockname()[1]}/db?connect_timeout=2"
        url = f"postgresql://{ADMIN}:{PASSWORD}@{place}"
        assert_refused(tmp_path, url, "timeout expired", commands=[("studies",)])


def test_a_missing_driver_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    url = f"postgresql://{ADMIN}:{PASSWORD}@127.0.0.1/db"
    assert_refused(tmp_path, url, 'pip install "retrieval-sweep[postgres]"')


def test_a_user_who_may_not_make_tables_is_told(tmp_path: Path, postgres: PostgresServer) -> None:
    database = postgres.new_database()
    postgres.execute("CREATE ROLE reader LOGIN PASSWORD 'wrong-one-77'")
    url = postgres.url(database, user="reader", password="wrong-one-77")
    begin(tmp_path)
    done = call(*RUN, "--storage", url, cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "permission denied for schema public" in done.stderr
    assert "GRANT CREATE ON SCHEMA" in done.stderr
    assert "wrong-one-77" not in done.stderr


def test_reading_makes_no_tables(tmp_path: Path, postgres: PostgresServer) -> None:
    database = postgres.new_database()
    commands = (("studies",), ("best",), ("delete", "grid", "--yes"), ("dashboard",))
    assert_refused(tmp_path, postgres.url(database), "an empty database", commands=commands)
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres.execute(tables, database=database) == [(0,)]


def test_bugcase_100_studies_of_another_optuna_are_left_as_they_are(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    database = postgres.new_database()
    postgres.execute(
        "CREATE TABLE alembic_version (version_num text);"
        "CREATE TABLE version_info (library_version text);"
        "INSERT INTO alembic_version VALUES ('v99.0.0.a');"
        "INSERT INTO version_info VALUES ('99.0')",
        database=database,
    )
    assert_refused(tmp_path, postgres.url(database), "Optuna 99.0", "on a copy")
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres.execute(tables, database=database) == [(2,)]


def test_a_database_of_another_program_is_left_as_it_is(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.new_url()
    schema = url.rpartition("%3D")[2]
    postgres.execute(
        f"CREATE TABLE {schema}.alembic_version (version_num text);"
        f"INSERT INTO {schema}.alembic_version VALUES ('3f2a')"
    )
    assert_refused(tmp_path, url, "where another program keeps a table alembic_version")
    tables = f"SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}'"
    assert postgres.execute(tables) == [(1,)]


def test_a_password_is_nowhere(tmp_path: Path, postgres: PostgresServer) -> None:
    """Not in any output, file or row, of commands that succeed, fail and have a bug."""
    secret, database = "Pl%40nted:{1}-5ecret", postgres.new_database()
    plain = "Pl@nted:{1}-5ecret"
    postgres.execute(f"CREATE ROLE planter LOGIN PASSWORD '{plain}'")
    postgres.execute(f"ALTER DATABASE {database} OWNER TO planter")
    url = postgres.url(database, user="planter", password=secret.replace(":", "%3A"))
    begin(tmp_path)
    texts = []
    for arguments in (
        (*RUN, "--trials", 2), RUN, ("studies",), ("trials", "--json"), ("show",), ("show", 0),
        ("best",), ("compare", 0, 1), ("export", "--out", "out"), ("doctor",), ("trials", "grit"),
        ("show", 99), ("query", "grid", "lamp"), ("delete", "grit", "--yes"),
    ):  # fmt: skip
        done = call(*arguments, cwd=tmp_path, env={"SWEEP_STORAGE": url})
        texts.append(done.stdout + done.stderr)
    assert "stopped by --trials" in texts[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sweep.study.storage.patient.PatientStorage.get_all_studies", lambda self: 1 / 0
        )
        done = call("studies", "--storage", url, cwd=tmp_path)
    assert "Traceback" in done.stderr
    texts.append(done.stderr)
    begin(tmp_path, objective="ndcg@10")
    refused = call(*RUN, f"--storage={url}", cwd=tmp_path)
    assert refused.returncode == USER_INPUT
    texts.append(refused.stderr)
    for (table,) in postgres.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'", database=database
    ):
        texts.append(str(postgres.execute(f"SELECT * FROM {table}", database=database)))
    texts += [str(postgres.execute("SELECT * FROM pg_stat_activity"))]
    for path in tmp_path.rglob("*"):
        texts.append(str(path))
        texts += [path.read_bytes().decode("latin-1")] if path.is_file() else []
    for form in (plain, secret, secret.replace(":", "%3A"), "Pl@nted", "Pl%40nted", "5ecret"):
        assert not [text for text in texts if form in text]
    assert call_well("studies", "--storage", url, cwd=tmp_path).returncode == DONE


def test_a_password_may_be_left_out_of_the_url(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.new_url().replace(f":{PASSWORD}", "")
    begin(tmp_path)
    call_well(*RUN, "--trials", 1, "--storage", url, cwd=tmp_path, env={"PGPASSWORD": PASSWORD})
    shutil.rmtree(tmp_path / "results")
    refused = call("studies", "--storage", url, cwd=tmp_path)
    assert refused.returncode == USER_INPUT
    assert "PGPASSWORD" in refused.stderr
