"""The manager judge: a model scores diagnosis, evidence, plan and follow-up, and flags unsafe acts.

It also flags unsupported statements. An episode in which the simulation failed is not judged. A model that
gives no complete set of verdicts results in `None` and a reason; a network or quota fault is raised, so that
the run pauses and can be resumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from osler.cases.answers import reference_of
from osler.cases.model import Case
from osler.core.judge import ModelJudge, Verdict, verdict
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.errors import InfrastructureFault
from osler.judging.correctness import chance_level, chosen, correct, plain
from osler.judging.lines import lines_of
from osler.judging.model.diagnosis import DiagnosisJudge
from osler.judging.model.engine import AsksModel, JudgedItem
from osler.judging.model.template import template
from osler.judging.opening import JudgeModel
from osler.judging.scores import NO_ANSWER, NO_COST, QUOTE, UNSCORED, Cost, ModelAsked, Score
from osler.protocols.consultation.judge.manager_items import (
    TOP,
    ManagerItem,
    Result,
    case_block,
    items_of,
    proof_of,
    result_of,
    share,
    transcript_block,
    truth_of,
    worst,
)
from osler.protocols.consultation.measures import MARKS
from osler.protocols.consultation.settings import PROTOCOL
from osler.protocols.consultation.story import conclusion_of
from osler.text.hostile import inert

TEMPLATE: Final = "osler.protocols.consultation:prompts/judge_manager.jinja"
VERSION: Final = "5"
"""Increment it with every change to how this judge asks or decides."""
_SHARES: Final = ("diagnosis", "supporting_evidence", "plan", "follow_up")
_WORST: Final = ("unsafe", "unsupported")
_COMPARISON: Final = ManagerItem("e1", "correct", "The answer means the reference")
_CONCLUDED: Final = ("diagnosis", "supporting_evidence")


NAMES: Final = tuple(measure.name for measure in MARKS)


@dataclass(frozen=True)
class ModelJudgement(ModelAsked):
    """All scores of one episode by one model judge, and the items behind them.

    The scores `diagnosis` to `follow_up` are shares of the attainable credit, 0 to 1; `unsafe` and
    `unsupported` the worst verdict, 0 (nothing) to 1; `correct` is 0 or 1 as in the built-in judgement, for
    comparison. `kind` and `chance` are as in `osler.judging.scores.Judgement`.
    """

    grader: str
    version: str
    scores: dict[str, Score]
    items: tuple[Result, ...] = ()
    kind: str = "diagnosis"
    chance: float | None = None

    def __post_init__(self) -> None:
        if self.scores.keys() != set(NAMES):
            wrong = sorted(self.scores.keys() ^ set(NAMES))
            raise ValueError(f"a model's judgement has every score and no other: {', '.join(wrong)}")

    @property
    def agreement(self) -> float | None:
        """The mean over items of the share of repeats with the modal verdict; `None` below 2 repeats."""
        return self.agreement_on(self.items)

    @property
    def stored(self) -> Verdict:
        """The judgement as it is stored, with the same outer fields as the built-in judgement's."""
        return verdict(
            self.grader,
            self.version,
            {name: self.scores[name] for name in NAMES},
            of={"kind": self.kind, "chance": self.chance},
            items=[result._asdict() for result in self.items],
            **self.plain(self.items),
        )


class _ManagerScores(NamedTuple):
    """Scores, with the items, cost and model names behind them."""

    scores: dict[str, Score]
    items: tuple[Result, ...] = ()
    cost: Cost = NO_COST
    models: tuple[str, ...] = ()


def manager(model: JudgeModel) -> ModelJudge:
    """Open the manager: a model scores diagnosis, evidence, plan, follow-up and safety of a consultation."""
    return ManagerJudge(model.client, model.endpoint, repeats=model.repeats, batch=model.batch)


class ManagerJudge(AsksModel):
    """A judge of episodes by one model (`osler.core.judge.ModelJudge`)."""

    scores = MARKS

    @cached_property
    def equivalence(self) -> DiagnosisJudge:
        """The judge of answers that no rule can decide, by the same model."""
        return DiagnosisJudge(self.client, self.endpoint, repeats=self.repeats, sampling=self.sampling)

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored: one per endpoint and episode."""
        return f"model:{self.endpoint.name}"

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge or its diagnosis matching might decide otherwise."""
        own = self.version_by(VERSION, template(TEMPLATE), top=TOP)
        return f"{own}-{self.equivalence.version.rpartition('-')[2]}"

    def version_of(self, episode: Any) -> str:
        """The version, which is the same for every episode."""
        return self.version

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        """The verdict on an episode. Raises InfrastructureFault, and nothing else."""
        return (await self.judged(episode.seen_case(), trace, episode.settings.options == "shown")).stored

    async def judged(self, case: Case, trace: Trace, options_shown: bool) -> ModelJudgement:
        """Judge one episode. Raises InfrastructureFault, and nothing else."""
        chance = chance_level(case, options_shown)
        try:
            result = await self._judged(case, trace, options_shown)
        except InfrastructureFault:
            raise
        except Exception as fault:
            # Judging is after the fact: an unreadable record leaves the episode as it is, unscored.
            result = _unscored(f"judge_failed: {type(fault).__name__}")
        return ModelJudgement(
            grader=self.grader,
            version=self.version,
            scores=result.scores,
            items=result.items,
            kind=case.task.kind,
            chance=chance,
            model=self.endpoint.model,
            returned=result.models,
            repeats=self.repeats,
            portion=self.portion,
            cost=result.cost,
        )

    async def _judged(self, case: Case, trace: Trace, options_shown: bool) -> _ManagerScores:
        if trace.outcome.status in UNSCORED:
            return _unscored(str(trace.outcome.status))
        items, lines = items_of(case), lines_of(trace, protocol_named(PROTOCOL))
        slots = {"case": case_block(case), "transcript": transcript_block(lines)}
        judged_items = {item.id: JudgedItem(item.part, item.what, proof_of(item, lines)) for item in items}
        verdicts = await self.verdicts(template(TEMPLATE), slots, judged_items, TOP)
        results = tuple(result_of(item, verdicts.items[item.id]) for item in items)
        scores = _scores(results)
        if conclusion_of(trace) is None:
            no_answer = Score(0.0, NO_ANSWER)
            scores |= {name: no_answer for name in _CONCLUDED if any(r.part == name for r in results)}
        right = await self._correct(case, trace, options_shown)
        return _ManagerScores(
            scores | right.scores,
            results + right.items,
            verdicts.cost.plus(right.cost),
            tuple(sorted({*verdicts.models, *right.models})),
        )

    async def _correct(self, case: Case, trace: Trace, options_shown: bool) -> _ManagerScores:
        """Score `correct` by rule if a rule is conclusive, else compare the answer with the reference."""
        final, task = conclusion_of(trace), case.task
        if final is None:
            return _ruled(correct(case, final, options_shown))
        answers = [str(final[name]) for name in ("answer", "diagnosis") if final.get(name)]
        named_option = task.kind == "choice" and any(chosen(task, answer) for answer in answers)
        if named_option or (task.kind == "choice" and options_shown):
            return _ruled(correct(case, final, options_shown))
        given = answers[0] if task.kind == "open" else str(final["diagnosis"])
        reference, accepts = reference_of(case)
        if plain(given) in {plain(text) for text in (reference, *accepts)}:
            return _ruled(Score(1.0, "an accepted wording", (inert(given, QUOTE),)))
        equivalence = await self.equivalence.same(given, reference, accepts, tuple(truth_of(case)))
        value = None if equivalence.same is None else float(equivalence.same)
        why = equivalence.why if equivalence.verdict is None else f"{equivalence.verdict}: {equivalence.why}"
        score = Score(value, why, equivalence.result.quotes)
        item = result_of(_COMPARISON, equivalence.result)
        return _ManagerScores({"correct": score}, (item,), equivalence.cost, equivalence.models)


def _ruled(score: Score) -> _ManagerScores:
    return _ManagerScores({"correct": score})


def _scores(results: Sequence[Result]) -> dict[str, Score]:
    def of(part: str) -> list[Result]:
        return [result for result in results if result.part == part]

    return {part: share(of(part)) for part in _SHARES} | {part: worst(of(part)) for part in _WORST}


def _unscored(reason: str) -> _ManagerScores:
    return _ManagerScores(dict.fromkeys(NAMES, Score(None, reason)))
