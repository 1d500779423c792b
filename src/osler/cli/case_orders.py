"""`osler cases orders`: what the built-in examination service finds for orders in a doctor's own words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import BaseModel
from rich.text import Text

from osler.cases.model import Case
from osler.cli.case_files import Format, opened, say_rejected
from osler.cli.json_lines import Words, read_lines
from osler.cli.options import AsJson, ImageFiles, takes_images
from osler.cli.output import command, result
from osler.errors import BadInput

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
    if not sources:
        raise BadInput("no case could be read", where="CASES", hint="see `osler cases list`")
    by_id = {case.id: case for case in sources}
    asked = read_lines(file, lambda record: _with_its_case(record, sources, by_id), _HINT)
    answers = [answered(case, say) for case, say in asked]
    value: dict[str, object] = {"answers": answers, "rejected": rejected}
    result(as_json, value, Text(json.dumps(value, ensure_ascii=False)))


class Order(BaseModel, strict=True):
    """A line of a file of orders: `case` is an id or a place in CASES."""

    say: Words
    case: int | str | None = None


def _case_of(order: Order, cases: Sequence[Case], by_id: Mapping[str, Case]) -> Case:
    """The case of an order. Raises ValueError if none is meant."""
    if order.case is None and len(cases) == 1:
        return cases[0]
    match order.case:
        case None:
            raise ValueError(f"has no `case`, and there are {len(cases)} cases")
        case str(name) if name in by_id:
            return by_id[name]
        case str(name):
            raise ValueError(f"no case has the id {name[:60]!r}")
        case place if 0 <= place < len(cases):
            return cases[place]
    raise ValueError(f"`case` is {order.case}, and the places are 0 to {len(cases) - 1}")


def _with_its_case(
    record: Mapping[str, object], cases: Sequence[Case], by_id: Mapping[str, Case]
) -> tuple[Case, str]:
    order = Order.model_validate(record)
    return _case_of(order, cases, by_id), order.say
