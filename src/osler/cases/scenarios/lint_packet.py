"""Lint rules for a packet's texts: nothing the examinee reads may give away the answer or name the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from osler.cases.importers.leaks import plain
from osler.cases.lint_problem import Problem
from osler.cases.scenarios.lint_seen import names_shown, pieces
from osler.cases.scenarios.model import Packet, Scenario

LONGEST: Final = 100_000
SHORTEST: Final = 40
_MOST_SHOWN: Final = 5
_DIAGNOSIS: Final = re.compile(
    r"^[ \t>*_#|-]{0,12}(?:final |correct |primary |principal |main |working |underlying )?diagnos[ie]s"
    r"[ \t*_|]{0,8}[:=–-][ \t*_|]{0,8}([^\n|.;]{3,120})",
    re.IGNORECASE | re.MULTILINE,
)
_SOURCE: Final = re.compile(r"\bmededportal\b|\bmep[-_]\d", re.IGNORECASE)


def packet(scenario: Scenario) -> Iterator[Problem]:
    """Problems of a packet's texts."""
    held = scenario.packet
    if held is None:
        return
    for remark in scenario.provenance.flags:
        yield Problem("note", "warning", remark.removeprefix("note: "), "provenance.flags")
    for role in ("examinee", "sp_actor", "environment_controller", "evaluator"):
        length = len(getattr(held, role))
        if length > LONGEST:
            message = f"{length:,} characters; every model's call begins with them"
            yield Problem("long", "warning", message, f"packet.{role}")
        elif length < SHORTEST:
            yield Problem("short", "warning", f"only {length} characters", f"packet.{role}")
    where = "packet.examinee"
    yield from names_shown(scenario, {where: held.examinee})
    if _SOURCE.search(held.examinee):
        yield Problem("visible-id", "error", "names the source", where)
    yield from _given_away(scenario, held, where)


def _given_away(scenario: Scenario, held: Packet, where: str) -> Iterator[Problem]:
    read = f" {plain(held.examinee)} "
    for number, item in enumerate(scenario.items.items if scenario.items else (), start=1):
        words = plain(item.text)
        if len(words.split()) > 3 and f" {words} " in read:
            yield Problem("given-away", "error", f"holds item {number} of the rubric, word for word", where)
    for name in diagnoses(held):
        if f" {plain(name)} " in read:
            yield Problem("given-away", "error", f"names the diagnosis: {name}", where)
    shared = [
        one for one in dict.fromkeys(pieces(held.evaluator)) if len(one.split()) > 7 and f" {one} " in read
    ]
    for one in shared[:_MOST_SHOWN]:
        shown = one if len(one) <= 80 else f"{one[:80]}…"
        yield Problem("as-evaluator", "warning", f"says what the evaluator reads: {shown}", where)


def diagnoses(held: Packet) -> list[str]:
    """The names of the diagnosis in the parts that the examinee does not read."""
    texts = (held.sp_actor, held.environment_controller, held.evaluator)
    found = (match[1].strip(" *_`#") for text in texts for match in _DIAGNOSIS.finditer(text))
    return [name for name in dict.fromkeys(found) if len(plain(name)) > 3]
