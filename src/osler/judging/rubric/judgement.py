"""The judgement of one episode by one rubric, and its stored form: JSON with every item's verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol

from pydantic_core import from_json

from osler.cases.rubrics.model import Competency, Rubric, RubricItem
from osler.core.judge import Verdict as StoredVerdict
from osler.core.judge import verdict
from osler.judging.lines import JudgedLine, Quote, by_examinee
from osler.judging.rubric.scores import Scores, Verdict, at_most, by_competency, kindest, scored
from osler.judging.scores import Cost, ModelAsked

KIND: Final = "rubric"
_IDLE: Final = "nothing was said or done"


@dataclass(frozen=True)
class RubricJudgement(ModelAsked):
    """Verdicts on exactly the rubric's items, in order; anything else raises ValueError."""

    grader: str
    version: str
    rubric: Rubric
    verdicts: tuple[Verdict, ...]

    def __post_init__(self) -> None:
        if [verdict.id for verdict in self.verdicts] != [item.id for item in self.rubric.items]:
            raise ValueError("a rubric's judgement has a verdict for every item and for no other")

    @cached_property
    def scores(self) -> Scores:
        """The scores over all items."""
        return scored(self.rubric.items, self.by_id)

    @cached_property
    def highest(self) -> Scores:
        """The scores if everything that a rule left open was done; `scores` are the lower end."""
        return at_most(self.rubric.items, self.by_id)

    @property
    def kindest(self) -> RubricJudgement:
        """The judgement with everything done that a rule left open, which is kept nowhere."""
        return replace(self, verdicts=tuple(kindest(self.rubric.items, self.by_id).values()))

    @property
    def is_open(self) -> bool:
        """Whether a rule left any verdict open, so that the result is a range."""
        return any(verdict.open for verdict in self.verdicts)

    @property
    def untold(self) -> int:
        """The number of items to be met that a rule left open: they make the range."""
        result = (self.by_id[item.id] for item in self.rubric.items if not item.traits.negative)
        return sum(one.may_hold and not one.holds for one in result)

    @property
    def why_a_range(self) -> str:
        """The reason why a score is a range, in words; "" if it is none."""
        of = sum(not item.traits.negative for item in self.rubric.items)
        return f"{self.untold} of {of} items could not be told by rules" if self.untold else ""

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
        return self.agreement_on(self.verdicts)

    @property
    def stored(self) -> StoredVerdict:
        """The judgement as it is stored, with the same outer fields as other judgements."""
        return verdict(
            self.grader,
            self.version,
            self.scores._asdict(),
            of={"kind": KIND, "chance": None},
            rubric={"key": self.rubric.key, "digest": self.rubric.digest},
            items=[
                {"competency": item.competency, "text": item.text, **_plain(found)}
                for item, found in zip(self.rubric.items, self.verdicts, strict=True)
            ],
            **({"at_most": _values(self.highest)} if self.is_open else {}),
            **self.plain(self.verdicts),
        )


class RubricJudge(Protocol):
    """A judge that judges by rubrics. `judge` raises InfrastructureFault, and nothing else."""

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""

    def version(self, rubric: Rubric) -> str:
        """The version, which changes whenever it might judge differently by this rubric."""

    async def judge(
        self, rubric: Rubric, lines: Sequence[JudgedLine], unscored_because: str = ""
    ) -> RubricJudgement:
        """Judge one transcript; `unscored_because` is the reason if it is not to be scored."""


def unscored(rubric: Rubric, reason: str) -> tuple[Verdict, ...]:
    """A set of empty verdicts, all for the same reason."""
    return tuple(Verdict(item.id, None, reason) for item in rubric.items)


def foregone(item: RubricItem, lines: Sequence[JudgedLine]) -> Verdict | None:
    """The verdict that needs no judge: saying and doing nothing leaves things undone, but earns no credit.

    A conclusion, or single words such as "Hm", does not count as deliberately leaving something out. `None`
    if a judge has to decide.
    """
    mine = by_examinee(lines)
    acted = any(_acts(line) for line in mine)
    if item.traits.by_absence and not acted:
        return Verdict(item.id, item.traits.negative, "", (), _IDLE)
    return None if mine else Verdict(item.id, False, "", (), _IDLE)


def rubric_judgement_of(text: str, rubric: Rubric) -> RubricJudgement:
    """Parse the body of a stored judgement. `ValueError` if it is damaged or of another rubric."""
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
            portion=body.get("portion", 0),
            cost=Cost(**body["cost"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no judgement by a rubric: {error}") from None


def mean_agreement(judgements: Iterable[RubricJudgement]) -> float | None:
    """The mean agreement over judgements with two or more repeats."""
    result = [one for judgement in judgements if (one := judgement.agreement) is not None]
    return sum(result) / len(result) if result else None


def _plain(found: Verdict) -> dict[str, Any]:
    """A verdict as plain data; `open` only where it is, as judges without a range never had it."""
    plain = found._asdict()
    return plain if found.open else {name: value for name, value in plain.items() if name != "open"}


def _values(scores: Scores) -> dict[str, float | None]:
    return {name: score.value for name, score in scores._asdict().items()}


def _verdict(item: dict[str, Any]) -> Verdict:  # Any: JSON as it was stored
    quotes = tuple(Quote(turn, words) for turn, words in item["quotes"])
    rest = {name: item[name] for name in ("id", "holds", "reason", "why", "agreement")}
    return Verdict(**rest, quotes=quotes, each=tuple(item["each"]), open=item.get("open", ""))


def _acts(line: JudgedLine) -> bool:
    return line.source == "action" or (line.source == "examinee" and " " in line.text)
