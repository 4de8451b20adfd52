"""How a storage is read, and how it is shown: a password is in no message."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import StorageError
from sweep.study.storage.address import server_url, shown, sqlite_path, without_secrets

SECRET = "s3cr3t-Word"


@pytest.mark.parametrize(
    ("storage", "path"),
    [
        ("results/sweep.db", "results/sweep.db"),
        ("sqlite:///x.db", "x.db"),
        ("sqlite:////var/x.db?timeout=3", "/var/x.db"),
        ("SQLite:///x.db", "x.db"),
        ("C:\\x\\y.db", "C:\\x\\y.db"),
        ("öde plätze.db", "öde plätze.db"),
        ("user@host.db", "user@host.db"),
    ],
)
def test_paths(storage: str, path: str) -> None:
    assert sqlite_path(storage) == Path(path)
    assert shown(storage) == storage


@pytest.mark.parametrize("storage", ["sqlite:///:memory:", "sqlite:///", ":memory:", ""])
def test_a_database_in_memory_would_be_lost(storage: str) -> None:
    with pytest.raises(StorageError, match="must be a file that stays"):
        sqlite_path(storage)


@pytest.mark.parametrize(
    "storage",
    [
        "postgresql+psycopg://u:p@h:5432/d?sslmode=require",
        "postgresql://u:p@h:5432/d?sslmode=require",
        "postgres://u:p@h:5432/d?sslmode=require",
        "PostgreSQL://u:p@h:5432/d?sslmode=require",
    ],
)
def test_every_spelling_of_postgresql_is_understood(storage: str) -> None:
    assert sqlite_path(storage) is None
    assert server_url(storage) == "postgresql+psycopg://u:p@h:5432/d?sslmode=require"


@pytest.mark.parametrize(
    "storage",
    [
        "postgresql+psycopg://user@host/db",
        "postgresql+psycopg://host/db",
        "postgresql+psycopg://user@[::1]:5432/db",
        "postgresql+psycopg://user@/db?host=/run/postgresql",
        "postgresql+psycopg://user@host",
    ],
)
def test_without_a_password_nothing_is_hidden(storage: str) -> None:
    assert server_url(storage) == storage
    assert shown(storage) == storage


@pytest.mark.parametrize(
    "storage",
    [
        f"mysql://user:{SECRET}@host/db",
        f"postgresql+psycopg2://user:{SECRET}@host/db",
        f"postgresql+asyncpg://user:{SECRET}@host/db",
        f"postgresql:/user:{SECRET}@host/db",
        f"postgresql:user:{SECRET}@host/db",
        f"postgres;//user:{SECRET}@host/db",
        f"postgresql://user:{SECRET}@@host/db",
        f"postgresql://user:a/{SECRET}@host/db",
        f"postgresql://user:a@{SECRET}@host/db",
        f"postgresql://user:a?{SECRET}@host/db",
        f"postgresql://user:a#{SECRET}@host/db",
        f"admin:{SECRET}@host",
        f"admin:{SECRET}@host/db",
        f"postgresql://user:{SECRET}/db",
        f"postgresql://user:{SECRET}",
        f"host=localhost dbname=x password={SECRET}",
        f"password='{SECRET} and more' host=x",
    ],
)
def test_what_is_no_url_of_ours_is_told_without_its_password(storage: str) -> None:
    assert sqlite_path(storage) is None
    with pytest.raises(StorageError) as caught:
        server_url(storage)
    assert SECRET not in str(caught.value)
    assert "postgresql+psycopg://USER@HOST/DATABASE" in str(caught.value)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00*"), min_size=6, max_size=20)


@given(WORDS.map(lambda word: f"7{word}7"))
def test_a_password_with_any_characters_is_hidden(secret: str) -> None:
    storage = f"postgresql://user:{secret}@host:5432/db"
    assert secret not in shown(storage)
    assert secret not in without_secrets(f"cannot log in with {secret!s}", storage)
    told = ""
    try:
        server_url(storage)
    except StorageError as error:
        told = str(error)
    assert secret not in told


def test_every_password_of_a_url_is_hidden_in_the_databases_own_words() -> None:
    storage = "postgresql://user:a%40b%20c@host/db?sslpassword=other&sslmode=require"
    assert shown(storage) == "postgresql://user:***@host/db?sslpassword=***&sslmode=require"
    assert without_secrets("a@b c, a%40b%20c, other, require", storage) == "***, ***, ***, require"
