"""What pydantic found wrong with a space file, told in the file's own words: one line each."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from sweep.text_lines import nearest, shorten

Location = tuple[int | str, ...]
_EXAMPLES = {  # what to write instead, by key
    "overlap": "overlap is a share of size: write for example 0.5 for half of it.",
    "split": "Write auto, off or {confirm: 0.3, seed: 7, group: query}.",
    "aggregate": "Write max, first, sum or mean@3.",
    "name": "Write letters, digits, - and _ (no slash, colon or @).",
    "space": "Write a mapping with mode, or a list of such mappings.",
    "baseline": "Write a configuration or {run: FILE}.",
    "sampler": "Write {kind: grid}.",
    "objective": "Write for example objective: ndcg@10.",
    "mode": "Write for example mode: [bm25, hybrid].",
    "exclude": "Write a list of texts.",
    "constraints": "Write a list of texts.",
    "metrics": "Write a list of texts.",
    "must": "Write a list: [{where: {kind: identifier}, metric: recall@5, at_least: 0.9}].",
    "where": "Write fields of the queries' metadata: {kind: identifier}.",
    "recommend": "Write {max_loss: 0.01, costs: [context_tokens, work, index_bytes]}.",
}
_BOUNDS = {"greater_than_equal": ">= {ge:.10g}", "greater_than": "> {gt:.10g}"}
_BOUNDS |= {"less_than_equal": "<= {le:.10g}", "less_than": "< {lt:.10g}"}
_TYPES = {
    "int_type": ("must be a whole number", "Write digits only."),
    "float_type": ("must be a number", "Write a number without quotes."),
    "finite_number": ("must be a finite number", "Write a number."),
    "bool_type": ("must be true or false", "Write one of them without quotes."),
    "string_type": ("must be a text", "Put it in quotes."),
    "string_too_short": ("must not be empty", "Write a value, or leave the key out."),
    "string_too_long": ("must be shorter", "Shorten it."),
    "string_pattern_mismatch": ("must have another form", "Correct it."),
    "too_short": ("must not be an empty list", "Write a value, or leave the key out."),
    "model_type": ("must be a mapping", "Write key: value pairs, or leave the key out."),
    "dict_type": ("must be a mapping", "Write key: value pairs, or leave the key out."),
    "list_type": ("must be a list", "Put it in [ ]."),
    "invalid_key": ("must have texts as keys", "Put the key in quotes."),
}


def problem_lines(error: ValidationError) -> list[str]:
    """Return `<path>: <rule>, got <value>. <what to do>` per problem, in the file's order."""
    return [_line(dict(problem)) for problem in error.errors(include_url=False)]


def show_value(value: Any) -> str:
    """Return a value as a short text: `nothing` for none, cut after 60 characters."""
    if value is None:
        return "nothing"
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return "a number with thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _line(problem: dict[str, Any]) -> str:
    location: Location = problem["loc"]
    if problem["type"] == "invalid_key":
        location = location[:-1]  # the last part is the key, which need not be a text
    where = path_text(location)
    keys = [part for part in location if isinstance(part, str) and not part.startswith("@")]
    rule = _RULES.get(problem["type"], _plain_rule)
    return f"{where}: {rule(problem, keys[-1] if keys else '')}" if where else rule(problem, "")


def path_text(location: Location) -> str:
    """Return `space[1].chunk.size` for a pydantic location, without the tags of the forms."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not part.startswith("@"):
            text += f".{part}" if text else part
    # The place inside a list of choices says nothing that the value does not.
    return text


def _unknown_key(problem: dict[str, Any], key: str) -> str:
    known = problem["ctx"]["known"]
    hint = nearest(key, known, otherwise=f"Known keys: {', '.join(known)}.", quoted=False)
    return f"must be a known key, got {shorten(key)}. {hint}"


def _missing(problem: dict[str, Any], key: str) -> str:
    return f"must be given, got nothing. {_EXAMPLES.get(key, 'Add it.')}"


def _literal(problem: dict[str, Any], key: str) -> str:
    expected = problem["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
    value = problem["input"]
    hint = _EXAMPLES.get(key, "Choose one of them.")
    if isinstance(value, str):
        hint = nearest(value, expected.split(", "), otherwise=hint, quoted=False)
    return f"must be one of {expected}, got {show_value(value)}. {hint}"


def _bound(problem: dict[str, Any], key: str) -> str:
    rule = _BOUNDS[problem["type"]].format(**problem["ctx"])
    hint = _EXAMPLES.get(key, "Change it.")
    return f"must be {rule}, got {show_value(problem['input'])}. {hint}"


def _own_text(problem: dict[str, Any], key: str) -> str:
    return str(problem["ctx"]["error"])


def _plain_rule(problem: dict[str, Any], key: str) -> str:
    rule, hint = _TYPES.get(problem["type"], (problem["msg"], "Correct it."))
    return f"{rule}, got {show_value(problem['input'])}. {_EXAMPLES.get(key, hint)}"


_RULES: dict[str, Callable[[dict[str, Any], str], str]] = {
    "unknown_key": _unknown_key,
    "missing": _missing,
    "literal_error": _literal,
    "value_error": _own_text,
    **dict.fromkeys(_BOUNDS, _bound),
}
