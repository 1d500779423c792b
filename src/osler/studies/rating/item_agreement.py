"""Agreement on the items of rubrics: between raters, and of judges with raters, over all and item by item.

The unit is one item of one episode: met or not met. Figures are clustered by case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, NamedTuple

from pydantic_core import from_json

from osler.cases.scenarios.model import Scenario
from osler.core.events import Frozen
from osler.judging.person_sheet import sheet_of
from osler.judging.scores import UNSCORED
from osler.runs.judged_episodes import judged_episodes
from osler.runs.run import protocol_of
from osler.runs.stored_case import stored
from osler.store.records import Judgement, RunInfo
from osler.store.store import Store
from osler.studies.rating.inter_rater import BetweenRaters, between_raters
from osler.studies.rating.item_rows import verdicts_in
from osler.studies.rating.ratings import PREFIX, rater_of
from osler.studies.rating.scales import Counterpart, Scale
from osler.studies.rating.with_judge import JudgedEpisode, WithJudge, with_judge

ALL: Final = "all_items"
_AS_MET: Final = Counterpart(score="met", yes_from=1)


class Alike(Frozen):
    """A count of agreement: `same` of `of`."""

    same: int
    of: int


class ByItem(Frozen):
    """One item of one case: in how many episodes it was rated `met` of all ratings, how many pairs of raters
    agree, and in how many episodes each judge agrees with the majority of raters (none where they are
    split)."""

    case: str
    item: str
    competency: str
    text: str
    met: Alike
    raters: Alike
    judges: dict[str, Alike]


class _RubricItem(NamedTuple):
    """An item of a case's rubric, as judgements name it."""

    case: str
    id: str
    competency: str
    text: str


@dataclass
class ItemsRated:
    """The ratings and the judges' verdicts of some runs by unit: (run, ordinal, item).

    `raters` counts episodes by rater, `others` ratings on another version of the scale.
    """

    episodes: int = 0
    rated: int = 0
    shared: int = 0
    raters: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    units: dict[tuple[int, int, str], _Unit] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        """The number of cases of which episodes were rated."""
        return len({unit.cluster for unit in self._rated()})

    def between_raters(self, scale: Scale) -> dict[str, BetweenRaters]:
        """Return the agreement of raters over all items, and of each competency."""
        raters = sorted(self.raters)
        return {
            name: between_raters(
                scale.items[0],
                [unit.cluster for unit in units],
                [[_level(unit.people.get(rater)) for rater in raters] for unit in units],
                raters,
            )
            for name, units in self._groups()
        }

    def with_judges(self, scale: Scale) -> Iterator[WithJudge]:
        """Yield the agreement of each judge with the raters over all items, and of each competency."""
        for name, units in self._groups(rated=False):
            item = scale.items[0].model_copy(update={"id": name})
            for judge in sorted({judge for unit in units for judge in unit.judges}):
                seens = [
                    JudgedEpisode(unit.cluster, _score(unit.judges[judge]), unit.levels)
                    for unit in units
                    if judge in unit.judges
                ]
                # Its versions name the rubric, so they differ from case to case.
                yield with_judge(item, (judge, ""), _AS_MET, seens)

    def by_item(self) -> tuple[ByItem, ...]:
        """Return every item that was rated, in the order of cases and of their rubrics."""
        result: dict[_RubricItem, list[_Unit]] = {}
        for unit in self._rated():
            result.setdefault(unit.item, []).append(unit)
        return tuple(_by_item(item, units) for item, units in result.items())

    def _rated(self) -> list[_Unit]:
        return [unit for unit in self.units.values() if unit.levels]

    def _groups(self, rated: bool = True) -> Iterator[tuple[str, list[_Unit]]]:
        units = self._rated() if rated else list(self.units.values())
        yield ALL, units
        for competency in dict.fromkeys(unit.item.competency for unit in units):
            yield competency, [unit for unit in units if unit.item.competency == competency]


@dataclass
class _Unit:
    """One item of one episode: whether it is met, by rater and by judge (`None`: they do not say)."""

    item: _RubricItem
    cluster: str
    people: dict[str, bool | None] = field(default_factory=dict)
    judges: dict[str, bool | None] = field(default_factory=dict)

    @property
    def levels(self) -> list[int]:
        """The levels that raters gave, of those who gave one."""
        return [int(holds) for holds in self.people.values() if holds is not None]


def items_rated(store: Store, runs: Sequence[RunInfo], scale: Scale) -> ItemsRated:
    """Read all ratings and all judgements by the episodes' own rubrics in these runs."""
    result = ItemsRated()
    by_case = _digests(store, runs, scale)
    for run in runs:
        for row, judgements in judged_episodes(run, store, earlier=True):
            if row.status in UNSCORED:
                continue
            result.episodes += 1
            mine = set[str]()
            for judgement in _counting(judgements):
                rater = rater_of(scale, judgement.grader)
                if rater is not None and judgement.version != scale.full_version:
                    result.others[rater] += 1
                elif rater is not None or not judgement.grader.startswith(PREFIX):
                    verdicts = verdicts_in(from_json(judgement.body), by_case[row.case_hash])
                    for ident, competency, text, holds in verdicts:
                        item = _RubricItem(row.case_id, ident, competency, text)
                        unit = result.units.setdefault(
                            (run.id, row.ordinal, ident), _Unit(item, row.case_hash)
                        )
                        if rater is not None:
                            unit.people[rater] = holds
                        else:
                            unit.judges[judgement.grader] = holds
                    if rater is not None and any(holds is not None for *_, holds in verdicts):
                        mine.add(rater)
            result.raters.update(mine)
            result.rated += bool(mine)
            result.shared += len(mine) > 1
    return result


def _digests(store: Store, runs: Sequence[RunInfo], scale: Scale) -> Mapping[str, Collection[str]]:
    """The digests of the rubrics by which each case may be rated, by the case's hash: that of a station, and
    of any other case those by which somebody has rated it."""
    collections: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        model = protocol_of(run).config.model
        if issubclass(model, Scenario):
            case_of = stored(store, model)
            hashes = {row.case_hash for row in store.episodes(run.id)}
            collections.update({each: {sheet_of(case_of(each)).digest} for each in sorted(hashes)})
            continue
        for row, judgements in judged_episodes(run, store, earlier=True):
            for one in judgements:
                if rater_of(scale, one.grader) is not None and one.version == scale.full_version:
                    collections[row.case_hash].add(str(from_json(one.body)["rubric"]["digest"]))
    return collections


def _counting(judgements: Sequence[Judgement]) -> Iterator[Judgement]:
    """Yield each judge's last judgement, but all of people's, as another wording is another question."""
    yield from (one for one in judgements if one.grader.startswith(PREFIX))
    yield from {one.grader: one for one in judgements if not one.grader.startswith(PREFIX)}.values()


def _by_item(item: _RubricItem, units: Sequence[_Unit]) -> ByItem:
    levels = [level for unit in units for level in unit.levels]
    pairs = [a == b for unit in units for a, b in combinations(unit.levels, 2)]
    judges: dict[str, list[bool]] = {}
    for unit in units:
        share = sum(unit.levels) / len(unit.levels)
        for grader, holds in unit.judges.items():
            same = judges.setdefault(grader, [])
            if holds is not None and share != 0.5:
                same.append(holds == (share > 0.5))
    return ByItem(
        case=item.case,
        item=item.id,
        competency=item.competency,
        text=item.text,
        met=Alike(same=sum(levels), of=len(levels)),
        raters=Alike(same=sum(pairs), of=len(pairs)),
        judges={name: Alike(same=sum(same), of=len(same)) for name, same in sorted(judges.items())},
    )


def _level(holds: bool | None) -> int | None:
    return None if holds is None else int(holds)


def _score(holds: bool | None) -> float | None:
    return None if holds is None else float(holds)
