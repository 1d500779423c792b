"""`osler cases orders`: what the built-in examination service finds for orders in a doctor's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from osler.cases.model import Case
from osler.cli.case_files import Format, opened, say_rejected
from osler.cli.options import AsJson, ImageFiles, takes_images
from osler.cli.output import command, result
from osler.errors import BadInput

MOST_BYTES: Final = 64_000_000
_SHOWN: Final = 5
_HINT: Final = 'each line is an object such as {"case": 0, "say": "CBC and a chest X-ray"}'


@command
@takes_images
def orders(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON lines with `case` and `say`, one order each.")
    ],
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Show what the built-in examination service finds for each order, as in a consultation.

    `case` is the case's id or its place in CASES from 0; it may be left out if there is one case. Prints one
    JSON object, with or without --json: `answers` has one entry per line, with `orders` (the tests meant, by
    canonical name), `results` (`order`, `found`: the name under which the case holds it, `source`, `text`)
    and `asks_back` (what the service says if an order is unclear or unknown, or null). What is in `orders`
    but not in `results` is a real test that the case does not hold: the run's --unknown answers it. For
    educators: results may give the answer away.
    """
    # Imported here because the other commands on cases need no protocol.
    from osler.protocols.consultation.tried_orders import answered  # noqa: PLC0415 - import time

    source = opened(cases, format, pictured)
    sources = list(source)
    rejected = say_rejected(source)
    asked = read_orders(file, sources)
    answers = [answered(case, say) for case, say in asked]
    value: dict[str, object] = {"answers": answers, "rejected": rejected}
    result(as_json, value, Text(json.dumps(value, ensure_ascii=False)))


def read_orders(file: Path, cases: Sequence[Case]) -> list[tuple[Case, str]]:
    """The orders of a file, each with its case; blank lines are skipped.

    Raises `BadInput` with the numbers of the first invalid lines.
    """
    if not cases:
        raise BadInput("no case could be read", where="CASES", hint="see `osler cases list`")
    if file.stat().st_size > MOST_BYTES:
        raise BadInput(f"is larger than {MOST_BYTES // 1_000_000} MB", where=str(file), hint="split it")
    by_id = {case.id: case for case in cases}
    pairs: list[tuple[Case, str]] = []
    wrong: list[str] = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        read = _order(line, cases, by_id)
        if isinstance(read, str):
            wrong.append(f"line {number}: {read}")
        else:
            pairs.append(read)
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more lines" if len(wrong) > _SHOWN else ""
        raise BadInput("; ".join(wrong[:_SHOWN]) + more, where=str(file), hint=_HINT)
    return pairs


def _order(line: bytes, cases: Sequence[Case], by_id: Mapping[str, Case]) -> tuple[Case, str] | str:
    """The case and the order on a line, or what is wrong with it."""
    try:
        record: Any = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(record, dict):
        return "is not an object"
    say, name = record.get("say"), record.get("case")
    if not isinstance(say, str) or not say.strip():
        return "`say` is not text" if "say" in record else "has no `say`"
    if name is None:
        return (cases[0], say) if len(cases) == 1 else f"has no `case`, and there are {len(cases)} cases"
    if isinstance(name, str):
        return (by_id[name], say) if name in by_id else f"no case has the id {name[:60]!r}"
    if isinstance(name, bool) or not isinstance(name, int):
        return "`case` is neither an id nor a place"
    if not 0 <= name < len(cases):
        return f"`case` is {name}, and the places are 0 to {len(cases) - 1}"
    return cases[name], say
