"""Where studies are recorded, as people write it: a path, or the URL of a server.

A URL may hold a password: whatever is printed goes through `shown` or `without_secrets`.
"""

import re
from pathlib import Path
from urllib.parse import unquote

from sweep.errors import StorageError

DRIVER = "postgresql+psycopg"
FORMS = f"a path, sqlite:///PATH, or {DRIVER}://USER@HOST/DATABASE"
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_NO_PATH = re.compile(
    r"(sqlite|postgres)\w*(\+\w+)?[:;]|.*\b(password|dbname)\s*=|[^/\\]{2,}:[^/\\]*@",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(\[[^\]]*\]|[^:/\[\]]*)(:\d*)?(/[^/]*)?")  # host, port, database
_USER_INFO = re.compile(
    r"^([a-z0-9+.-]*[:;]/*[^:/@?]*|[^:;/\\@]{2,}(?=:[^/])):(.*)@", re.IGNORECASE | re.DOTALL
)
_NO_PORT = re.compile(r"^([a-z][a-z0-9+.-]*:/+[^:/@?\[]*):(?!\d*([/?]|$))([^/?]*)", re.IGNORECASE)
_SECRET = re.compile(r"(password\s*=\s*)('[^']*'|[^&\s]*)", re.IGNORECASE)


def sqlite_path(storage: str) -> Path | None:
    """Return the file of an SQLite storage given as path or URL; None for a server's URL.

    Raises: StorageError for a database in memory: it would be gone with the process.
    """
    if storage.lower().startswith("sqlite:///"):
        path = storage[len("sqlite:///") :].partition("?")[0]
    elif _URL.match(storage) or _NO_PATH.match(storage):
        return None
    else:
        path = storage
    if path in ("", ":memory:"):
        raise StorageError(f"storage: must be a file that stays, got {storage!r}. Name a path.")
    return Path(path)


def server_url(storage: str) -> str:
    """Return the URL of a PostgreSQL server in the form that names our driver.

    Raises: StorageError if it is none, or if what is in it cannot be told apart.
    """
    found = _URL.match(storage)
    if found is None or found[1].lower() not in ("postgres", "postgresql", DRIVER):
        raise StorageError(f"storage: must be {FORMS}, got {shown(storage)!r}. Use one of these.")
    before, _, _ = found[2].partition("?")
    user_info, _, place = before.rpartition("@")
    if re.search("[@/#]", user_info) or _PLACE.fullmatch(place) is None:
        raise StorageError(
            f"storage: must be {FORMS}, got {shown(storage)!r}. Write @ : / ? # in a name or a "
            f"password in percent form (@ is %40), or leave the password out and set PGPASSWORD."
        )
    return f"{DRIVER}://{found[2]}"


def shown(storage: str) -> str:
    """Return a storage for messages: passwords are replaced by `***`."""
    if storage.lower().startswith("sqlite:///"):
        return storage
    masked = _USER_INFO.sub(r"\1:***@", storage)
    if masked == storage:
        masked = _NO_PORT.sub(r"\1:***", storage)
    return _SECRET.sub(r"\1***", masked)


def without_secrets(text: str, storage: str) -> str:
    """Return a database's own words with every password of the storage replaced by `***`."""
    secrets = {found[2] for found in _USER_INFO.finditer(storage)}
    secrets |= {found[2] for found in _SECRET.finditer(storage)}
    for secret in sorted(secrets | {unquote(s) for s in secrets}, key=len, reverse=True):
        if secret:
            text = text.replace(secret, "***")
    return text
