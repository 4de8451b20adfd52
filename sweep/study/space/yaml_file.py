"""Reading a YAML file that people wrote: no silent duplicates, no surprises with numbers.

PyYAML keeps the last of two equal keys and reads `1e-3` as text; both are mended here.
"""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from sweep.errors import SpaceError
from sweep.text_lines import shorten

# YAML 1.2 reads these as numbers, PyYAML (YAML 1.1) only with a dot and a signed exponent.
_EXPONENT = re.compile(r"^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+$")
_HINT = "Check indentation, colons and quotes."
_MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """`SafeLoader` that notes every key written twice in one mapping."""

    def __init__(self, stream: bytes) -> None:
        super().__init__(stream)
        self.duplicates: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        first: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == _MERGE:
                continue
            line = key.start_mark.line + 1
            if (name := (key.tag, key.value)) in first:
                self.duplicates.append(
                    f"line {line}: a key may occur once in a mapping, got "
                    f"{shorten(key.value)} again "
                    f"(first on line {first[name]}). Remove one."
                )
            first.setdefault(name, line)
        return super().construct_mapping(node, deep=deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+.0123456789"))


def read_yaml(path: Path) -> tuple[Any, tuple[str, ...]]:
    """Return the content of a YAML file, and a line of text per key that occurs twice.

    Raises: SpaceError if the file cannot be read or is not YAML, with `file:line`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SpaceError(
            f"{path}: must be a readable file, got '{error.strerror}'. Check the path."
        ) from error
    loader = None
    try:
        loader = _Loader(data)
        return loader.get_single_data(), tuple(loader.duplicates)
    except yaml.YAMLError as error:
        raise SpaceError(_syntax_text(path, data, error)) from error
    except (RecursionError, ValueError) as error:  # nested too deeply; an impossible date
        raise SpaceError(f"{path}: must be YAML, got {error}. Mend the value.") from error
    finally:
        if loader is not None:
            loader.dispose()


def _syntax_text(path: Path, data: bytes, error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        line = data[: error.position].count(b"\n") + 1
        return f"{path}:{line}: must be UTF-8 text, got {error.reason}. Save the file as UTF-8."
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        got = ", ".join(part for part in (error.context, error.problem) if part)
        return f"{where}: must be YAML, got a syntax error ({got}). {_HINT}"
    return f"{path}: must be YAML, got {error}. {_HINT}"
