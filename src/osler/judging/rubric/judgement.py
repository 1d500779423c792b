"""The judgement of one episode by one rubric, and its stored form: JSON with every item's verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from pydantic_core import from_json, to_json

from osler.cases.rubrics.model import Competency, Item, Rubric
from osler.judging.model.cost import Cost
from osler.judging.rubric.lines import Line, Quote, by_examinee
from osler.judging.rubric.scores import NAMES, Scores, Verdict, by_competency, scored

KIND: Final = "rubric"
_IDLE: Final = "nothing was said or done"
_NO_COST: Final = Cost()


@dataclass(frozen=True)
class RubricJudgement:
    """Verdicts on exactly the rubric's items, in order; anything else raises ValueError.

    `model` is the model requested, `returned` the names that the endpoint reported; both are empty for the
    built-in judge.
    """

    grader: str
    version: str
    rubric: Rubric
    verdicts: tuple[Verdict, ...]
    repeats: int = 1
    model: str = ""
    returned: tuple[str, ...] = ()
    cost: Cost = field(default=_NO_COST)

    def __post_init__(self) -> None:
        if [verdict.id for verdict in self.verdicts] != [item.id for item in self.rubric.items]:
            raise ValueError("a rubric's judgement has a verdict for every item and for no other")

    @cached_property
    def scores(self) -> Scores:
        """The scores over all items."""
        return scored(self.rubric.items, self.by_id)

    @cached_property
    def by_competency(self) -> dict[Competency, Scores]:
        """The scores of each competency that has items."""
        return by_competency(self.rubric, self.by_id)

    @cached_property
    def by_id(self) -> dict[str, Verdict]:
        """The verdicts by their items' ids."""
        return {verdict.id: verdict for verdict in self.verdicts}

    @property
    def agreement(self) -> float | None:
        """The mean over items of the share of repeats with the modal verdict; `None` below 2 repeats."""
        if self.repeats < 2 or not self.verdicts:
            return None
        return sum(verdict.agreement for verdict in self.verdicts) / len(self.verdicts)


class RubricJudge(Protocol):
    """A judge that judges by rubrics. `judge` raises InfrastructureFault, and nothing else."""

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever it might judge differently by this rubric."""

    async def judge(
        self, rubric: Rubric, lines: Sequence[Line], unscored_because: str = ""
    ) -> RubricJudgement:
        """Judge one transcript; `unscored_because` is the reason if it is not to be scored."""


def unscored(rubric: Rubric, reason: str) -> tuple[Verdict, ...]:
    """A set of empty verdicts, all for the same reason."""
    return tuple(Verdict(item.id, None, reason) for item in rubric.items)


def foregone(item: Item, lines: Sequence[Line]) -> Verdict | None:
    """The verdict that needs no judge: saying and doing nothing leaves things undone, but earns no credit.

    A conclusion, or single words such as "Hm", does not count as deliberately leaving something out. `None`
    if a judge has to decide.
    """
    mine = by_examinee(lines)
    acted = any(_acts(line) for line in mine)
    if item.traits.by_absence and not acted:
        return Verdict(item.id, item.traits.negative, "", (), _IDLE)
    return None if mine else Verdict(item.id, False, "", (), _IDLE)


def rubric_judgement_json(judgement: RubricJudgement) -> str:
    """The judgement as JSON text, with the same outer fields as other judgements."""
    scores = {name: getattr(judgement.scores, name) for name in NAMES}
    items = judgement.rubric.items
    body = {
        "grader": judgement.grader,
        "version": judgement.version,
        "kind": KIND,
        "chance": None,
        "scores": {
            name: {"value": score.value, "reason": score.reason, "evidence": score.evidence}
            for name, score in scores.items()
        },
        "rubric": {"key": judgement.rubric.key, "digest": judgement.rubric.digest},
        "items": [
            {"competency": item.competency, "text": item.text, **verdict._asdict()}
            for item, verdict in zip(items, judgement.verdicts, strict=True)
        ],
        "model": judgement.model,
        "returned": judgement.returned,
        "repeats": judgement.repeats,
        "agreement": judgement.agreement,
        "cost": judgement.cost._asdict(),
    }
    return to_json(body).decode()


def rubric_judgement_of(text: str, rubric: Rubric) -> RubricJudgement:
    """Parse the output of `rubric_judgement_json`. `ValueError` if it is damaged or of another rubric."""
    return rubric_judgement_in(from_json(text), rubric)


def rubric_judgement_in(body: Mapping[str, Any], rubric: Rubric) -> RubricJudgement:  # Any: JSON as stored
    """The judgement in parsed JSON. `ValueError` if it is damaged or of another rubric."""
    try:
        if body["rubric"]["digest"] != rubric.digest:
            raise ValueError("the judgement is of another rubric")
        return RubricJudgement(
            grader=body["grader"],
            version=body["version"],
            rubric=rubric,
            verdicts=tuple(_verdict(item) for item in body["items"]),
            repeats=body["repeats"],
            model=body["model"],
            returned=tuple(body["returned"]),
            cost=Cost(**body["cost"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no judgement by a rubric: {error}") from None


def mean_agreement(judgements: Iterable[RubricJudgement]) -> float | None:
    """The mean agreement over judgements with two or more repeats."""
    return _mean([one for judgement in judgements if (one := judgement.agreement) is not None])


def _verdict(item: dict[str, Any]) -> Verdict:  # Any: JSON as it was stored
    quotes = tuple(Quote(turn, words) for turn, words in item["quotes"])
    rest = {name: item[name] for name in ("id", "holds", "reason", "why", "agreement")}
    return Verdict(**rest, quotes=quotes, each=tuple(item["each"]))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _acts(line: Line) -> bool:
    return line.source == "action" or (line.source == "examinee" and " " in line.text)
