"""What a bi-encoder wants before queries and passages, where nobody has said.

Looked up in this order, the first that says anything counts:

1. the model's own `config_sentence_transformers.json`: its prompt `query`, and the first of its
   prompts `document`, `passage` and `corpus`, as `encode_query` and `encode_document` of
   sentence-transformers do; where there is neither, its default prompt for both. Empty ones say
   nothing: the library writes them into every model that it saves.
2. the table below, by name, from the models' cards.

What a space file writes goes before both, also an empty prefix.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sweep.errors import IndexingError
from sweep.models import find_local_model, find_model

Source = Literal["its own configuration", "its model card", ""]

_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
# Pattern of the last part of a model's name -> before queries, before passages; the first counts.
_KNOWN = (
    (r"(multilingual-)?e5-.*instruct", _INSTRUCT, ""),
    (r"(multilingual-)?e5-(small|base|large)(-v2|-unsupervised)?", "query: ", "passage: "),
    (r"bge-(small|base|large)-en(-v1\.5)?", _SEARCH, ""),
    (r"bge-(small|base|large)-zh(-v1\.5)?", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"gte-qwen.*instruct", _INSTRUCT, ""),
    (r"qwen3-embedding-.*", _INSTRUCT.rstrip(" "), ""),
    (
        r"nomic-embed-text-v\d.*|modernbert-embed-(base|large).*",
        "search_query: ",
        "search_document: ",
    ),
    (r"snowflake-arctic-embed-[ml]-v2\.0", "query: ", ""),
    (r"snowflake-arctic-embed-.*", _SEARCH, ""),
    (r"mxbai-embed-(xsmall|large)-v1|uae-large-v1", _SEARCH, ""),
    (r"embeddinggemma-.*", "task: search result | query: ", "title: none | text: "),
    (r"ruri-v3-.*", "検索クエリ: ", "検索文書: "),
    (r"ruri-(small|base|large)(-v2)?", "クエリ: ", "文章: "),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """What is put before queries and passages, and who says so."""

    query: str = ""
    passage: str = ""
    source: Source = ""


def find_prompts(name: str, *, download: bool = False) -> Prompts:
    """Return what a bi-encoder wants before its texts; see the module's text.

    Args:
        name: see `sweep.models`.
        download: look for the model's files on the hub, too. Without them only the table is known;
            a model that cannot be found is left to those who need its weights.
    """
    try:
        files = find_model(name) if download else find_local_model(name)
    except IndexingError:
        files = None
    own = files.read_json("config_sentence_transformers.json") if files is not None else {}
    query, passage = _own_prompts(own)
    if query or passage:
        return Prompts(query=query, passage=passage, source="its own configuration")
    last = Path(name).name.lower()
    for pattern, query, passage in _KNOWN:
        if re.fullmatch(pattern, last):
            return Prompts(query=query, passage=passage, source="its model card")
    return Prompts()


def _own_prompts(config: dict[str, Any]) -> tuple[str, str]:
    prompts = config.get("prompts")
    if not isinstance(prompts, dict):
        return "", ""
    query = prompts.get("query")
    passages = (prompts.get(key) for key in ("document", "passage", "corpus"))
    passage = next((text for text in passages if text is not None), None)
    if not query and not passage:
        default = prompts.get(config.get("default_prompt_name") or "")
        query = passage = default
    return str(query or ""), str(passage or "")
