"""The human anchor of a report: what people rated of it, on which the scores of its judge rest.

A score is anchored if people rated at least ten of the very episodes that are reported, on a scale with an
item that is the score's counterpart, and their agreement with the judge could be computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import Field

from osler.core.events import Frozen
from osler.core.permitted import NotPermitted
from osler.errors import BadInput
from osler.judging.contests import GRADER as CONTESTS
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.agreement import Agreement, agreement
from osler.studies.rating.figures import FEWEST, Figure
from osler.studies.rating.ratings import PREFIX
from osler.studies.rating.scales import Scale, load_scale, packaged
from osler.studies.rating.with_judge import OneByOne

NO_ANCHOR: Final = "no human anchor"
AGREEMENT: Final = "agreement"
RANKS: Final = "rank correlation"
_MOST: Final = 3
"""The most scores named in the line; all are in the JSON."""


class Anchored(Frozen):
    """A judge's score that rests on people: the `item` they rated, by `people` raters, in `agreement.n`
    `units` or episodes. `measure` is the share of agreement on yes or no, or the rank correlation,
    with the majority or mean of raters; `one_by_one` has it with a single rater, beside two raters."""

    grader: str
    score: str
    scale: str
    item: str
    people: int
    cases: int
    measure: str
    agreement: Figure
    one_by_one: OneByOne
    units: str = ""

    @property
    def words(self) -> str:
        """The agreement with its interval; beside it, where two people rated the same, the judge's with one
        of them and theirs with each other."""
        judge, people = self.one_by_one.judge, self.one_by_one.people
        text = f"{self.item.replace('_', ' ')} {self.measure} {self._figure(self.agreement)}{self.units}"
        if judge.value is None or people.value is None:
            return text
        each = f"judge and rater {self._figure(judge)}, rater and rater {self._figure(people)}"
        return f"{text}; one by one {each}{self.units}"

    def _figure(self, figure: Figure) -> str:
        shares = self.measure == AGREEMENT
        value, *ends = (
            f"{one:.0%}" if shares else f"{one:.2f}"
            for one in (figure.value, figure.low, figure.high)
            if one is not None
        )
        reach = f" ({' to '.join(ends)})" if ends else ""
        return f"{value}{reach} over {figure.n:,}"


class Sat(NamedTuple):
    """The numbers of people who sat reported cases themselves, and of those cases."""

    people: int = 0
    cases: int = 0


class HumanAnchor(Frozen):
    """The ratings on which a report's judges rest. `people` rated `episodes` episodes of `cases` cases;
    `scores` are those whose agreement could be computed, `sat` counts who played the same cases, and `line`
    is all of it in words."""

    anchored: bool
    people: int = 0
    episodes: int = 0
    cases: int = 0
    sat: Sat = Sat()
    scores: tuple[Anchored, ...] = Field(default=())
    line: str


def human_anchor(runs: Sequence[RunInfo], store: Store, sat: Sat | None = None) -> HumanAnchor:
    """Look for the ratings that people gave of these runs' episodes, as far as they may be read; `sat` counts
    the people who played the same cases, where that was looked for."""
    graders = {name for run in runs for name, _ in store.graders(run.id)}
    judges = sorted(name for name in graders if not name.startswith(PREFIX) and name != CONTESTS)
    rated = [found for scale in _scales(runs, graders) if (found := _read(store, runs, scale))]
    scores = tuple(one for scale, found in rated for one in _anchored(scale, found, judges))
    raters = {name for _, found in rated for name in found.raters}
    episodes = max((found.rated for _, found in rated), default=0)
    cases = max((found.cases for _, found in rated), default=0)
    anchor = HumanAnchor(
        anchored=bool(scores),
        people=len(raters),
        episodes=episodes,
        cases=cases,
        sat=sat or Sat(),
        scores=scores,
        line="",
    )
    return anchor.model_copy(update={"line": _line(anchor, ", ".join(judges) or "nobody")})


def _line(anchor: HumanAnchor, judges: str) -> str:
    """The anchor in a line: how far people agreed with the judges, or why that is not known."""
    who = _many(anchor.people, "person", "people")
    over = f"{who} rated {_many(anchor.episodes, 'episode')} of {_many(anchor.cases, 'case')}"
    if anchor.scores:
        more = len(anchor.scores) - _MOST
        text = "; ".join(f"{one.grader}, {one.words}" for one in anchor.scores[:_MOST])
        rest = f"; {more} more" if more > 0 else ""
        line = f"Human anchor: {over}; with the judge: {text}{rest}. Other scores have none."
    elif anchor.people:
        few = anchor.episodes < FEWEST
        why = f"fewer than {FEWEST}" if few else f"{judges} has no score for what they were asked"
        line = f"{NO_ANCHOR.capitalize()} yet: {over}; {why}."
    else:
        line = f"{NO_ANCHOR.capitalize()}: no person has rated what {judges} judged here (osler rate export)."
    if not anchor.sat.people:
        return line
    who = _many(anchor.sat.people, "person", "people")
    return f"{line} {who} sat {_many(anchor.sat.cases, 'case')} of it: osler study people."


def _scales(runs: Sequence[RunInfo], graders: set[str]) -> Iterator[Scale]:
    """Yield the packaged scales on which some of these runs were rated."""
    if not runs:
        return
    protocol = protocol_of(runs[0]).name
    for name in packaged():
        if any(one.startswith(f"{PREFIX}{name}:") for one in graders):
            scale = load_scale(name)
            if not scale.protocols or protocol in scale.protocols or scale.each == "item":
                yield scale


def _read(store: Store, runs: Sequence[RunInfo], scale: Scale) -> tuple[Scale, Agreement] | None:
    """The agreement on a scale; `None` without ratings on this wording of it that may be read."""
    try:
        return scale, agreement(store, runs, scale)
    except (NotPermitted, BadInput):
        return None


def _anchored(scale: Scale, found: Agreement, judges: Sequence[str]) -> Iterator[Anchored]:
    units = " items" if scale.each == "item" else ""
    for one in found.with_judges if found.rated >= FEWEST else ():
        figure = one.yes_or_no.agreement if one.yes_or_no else one.correlation
        if figure.value is None or figure.n < FEWEST or one.grader not in judges:
            continue
        yield Anchored(
            grader=one.grader,
            score=one.score,
            scale=scale.full_version,
            item=one.item,
            people=len(found.raters),
            cases=found.cases,
            measure=AGREEMENT if one.yes_or_no else RANKS,
            agreement=figure,
            one_by_one=one.one_by_one,
            units=units,
        )


def _many(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
