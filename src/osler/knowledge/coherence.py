"""What goes together in one patient: what a disease may bring, cannot lack, and how long it lasts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import BadInput
from osler.knowledge.conditions import Knowledge, knowledge
from osler.knowledge.findings import Kind, finding, findings

FILE: Final = Path(__file__).with_name("coherence.yaml")
SHOWN: Final[dict[Kind, float]] = {"test": 0.8, "sign": 0.85, "symptom": 0.9, "history": 0.9}
"""A finding of this kind that a condition brings at least so often may not be lacking in it."""
TYPICAL: Final = 0.6
"""What a patient of the condition can tell at least so often is typical of it."""
SOON, LONG = "onset_minutes_hours", "onset_weeks_months"
_ONSETS: Final = frozenset({SOON, LONG})

Onset = Literal["hours", "days", "weeks", "months", "years"]


class _ConditionRules(BaseModel):
    """What is written of one condition; `coherence.yaml` explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: tuple[Onset, ...]
    needs: tuple[frozenset[str], ...] = ()
    never: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    seen_on: dict[str, str] = {}


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    anyone: dict[str, tuple[float, float]]
    entails: dict[str, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    clears: dict[str, frozenset[str]]
    no_idea: tuple[str, ...]
    conditions: dict[str, _ConditionRules]


class Coherent(BaseModel):
    """The rules for a believable patient of one condition, by ids of findings.

    `own` are the findings that belong to it, `may` those and what anyone may have; of each group of `needs`
    one is present; `typical` are what most can tell; `when` is how long before the visit it can have begun,
    and `seen_on` maps an order to the report of this condition there.
    """

    model_config = ConfigDict(frozen=True)

    when: tuple[Onset, ...]
    needs: tuple[frozenset[str], ...]
    own: frozenset[str]
    may: frozenset[str]
    typical: frozenset[str]
    seen_on: dict[str, str]


@lru_cache(maxsize=1)
def _file() -> _File:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        file = _File.model_validate(yaml.load(FILE.read_text("utf-8"), Loader=loader))  # noqa: S506 - both are the safe loaders
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise BadInput(f"what goes together cannot be read: {error}", where=str(FILE)) from error
    ids = {item.id for item in findings()}
    named = {*file.anyone, *file.entails, *file.units}.union(*file.entails.values(), *file.clears.values())
    for rules in file.conditions.values():
        named = named.union(rules.never, rules.also, *rules.needs)
    unknown = sorted(named - ids)
    unmatched = sorted(file.conditions.keys() ^ {item.id for item in knowledge().conditions})
    if unknown or unmatched:
        raise BadInput(
            f"no finding has the id: {unknown}; conditions here or there only: {unmatched}", where=str(FILE)
        )
    return file


@lru_cache(maxsize=1024)
def implied(name: str) -> frozenset[str]:
    """The findings that a finding implies, directly or through others, without itself."""
    return frozenset(deep for other in finding(name).implies for deep in (other, *implied(other)))


@lru_cache(maxsize=1024)
def entailed(name: str) -> frozenset[str]:
    """The findings that cannot be denied beside a finding: what it implies, what goes with it, and so on."""
    result: set[str] = set()
    reached = {name}
    while reached:
        result |= reached
        reached = {other for at in reached for other in (*implied(at), *_file().entails.get(at, ()))} - result
    return frozenset(result - {name})


def anyone(age_years: float | None) -> frozenset[str]:
    """The findings that a person of this age may have by the way; of any age where it is not known."""
    return frozenset(
        name for name, (low, high) in _file().anyone.items() if age_years is None or low <= age_years < high
    )


def units(name: str) -> tuple[str, ...]:
    """The units in which the result of a finding may be given; none where any may stand."""
    return _file().units.get(name, ())


def cleared(order: str) -> frozenset[str]:
    """The findings besides its own that a normal report of an order rules out."""
    return _file().clears.get(order, frozenset())


def no_idea() -> tuple[str, ...]:
    """The words that no patient's idea of the cause holds."""
    return _file().no_idea


@lru_cache(maxsize=512)
def coherent(id: str) -> Coherent:
    """The rules for the packaged condition with this id. Raises `KeyError` if there is none."""
    known, rules = knowledge(), _file().conditions[id]
    row = next(row for row, item in enumerate(known.conditions) if item.id == id)
    own = _belonging(known, row) | rules.also
    own = frozenset(own.union(*map(implied, own)) - rules.never - _ONSETS) | _onsets(rules.when)
    line = known.present[row]
    by_kind = {item.id: line[known.column[item.id]] >= SHOWN[item.kind] for item in known.findings}
    always = [frozenset([name]) for name, shown in by_kind.items() if shown and name in own - _ONSETS]
    typical = {
        item.id
        for item in known.findings
        if item.ask and item.id in own - _ONSETS and line[known.column[item.id]] >= TYPICAL
    }
    return Coherent(
        when=rules.when,
        needs=(*always, *rules.needs),
        own=own,
        may=own | (frozenset(_file().anyone) - rules.never),
        typical=frozenset(typical),
        seen_on=rules.seen_on,
    )


def _belonging(known: Knowledge, row: int) -> frozenset[str]:
    """The findings that a condition lists or that go with one it lists: all likelier than by chance."""
    usual = np.median(known.present, axis=0)
    more = (known.present[row] > usual * 1.001).nonzero()[0]
    return frozenset(known.findings[at].id for at in more) | known.conditions[row].findings.keys()


def _onsets(when: tuple[Onset, ...]) -> frozenset[str]:
    """The findings that say how long ago it began, of those that are possible."""
    short, long = "hours" in when, not {"weeks", "months", "years"}.isdisjoint(when)
    return frozenset({SOON} if short else ()) | frozenset({LONG} if long else ())
