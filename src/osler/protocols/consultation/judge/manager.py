"""The manager judge: a model scores diagnosis, evidence, plan and follow-up, and flags unsafe acts.

It also flags unsupported statements. An episode in which the simulation failed is not judged. A model that
gives no complete set of verdicts results in `None` and a reason; a network or quota fault is raised, so that
the run pauses and can be resumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from osler.cases.answers import reference_of
from osler.cases.model import Case
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.errors import InfrastructureFault
from osler.judging.correctness import chance_level, chosen, correct, plain
from osler.judging.model.cost import Cost
from osler.judging.model.diagnosis import DiagnosisJudge, spent
from osler.judging.model.items import TOP, Item
from osler.judging.model.majority import QUOTE, Result, settle, share, unproven, worst
from osler.judging.model.sampling import Prompt, ask
from osler.judging.model.template import template
from osler.judging.model.transcript import Line, lines_of
from osler.judging.scores import NO_ANSWER, UNSCORED, Score
from osler.judging.version import model_version
from osler.models.config import Endpoint
from osler.models.types import Message, ModelClient, Sampling
from osler.protocols.consultation.judge.manager_items import (
    case_block,
    items_block,
    items_of,
    transcript_block,
)
from osler.protocols.consultation.judge.manager_judgement import (
    MODEL_NAMES,
    ModelJudgement,
    grader_of,
)
from osler.protocols.consultation.story import PROTOCOL, conclusion_of
from osler.text.hostile import inert

TEMPLATE: Final = "osler.protocols.consultation:prompts/judge_manager.jinja"
VERSION: Final = "2"
"""Increment it with every change to how this judge asks or decides."""
_SHARES: Final = ("diagnosis", "supporting_evidence", "plan", "follow_up")
_WORST: Final = ("unsafe", "unsupported")
_COMPARISON: Final = "e1"
_CONCLUDED: Final = ("diagnosis", "supporting_evidence")


class _Found(NamedTuple):
    """Scores, with the items, cost and model names behind them."""

    scores: dict[str, Score]
    items: tuple[Result, ...]
    cost: Cost
    models: tuple[str, ...]


class ManagerJudge:
    """A judge of episodes by one model. `endpoint` identifies it in the store and in the version."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        repeats: int = 1,
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        self.equivalence = DiagnosisJudge(client, endpoint, repeats=repeats, sampling=sampling)
        self._client, self._endpoint = client, endpoint
        self._repeats, self._sampling = repeats, sampling

    @property
    def grader(self) -> str:
        """The name under which its judgements are stored."""
        return grader_of(self._endpoint.name)

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge or its diagnosis matching might decide otherwise."""
        own = model_version(
            VERSION, template(TEMPLATE), self._endpoint, self._sampling, repeats=self._repeats, top=TOP
        )
        return f"{own}-{self.equivalence.version.rpartition('-')[2]}"

    async def judge(self, case: Case, trace: Trace, options_shown: bool) -> ModelJudgement:
        """Judge one episode. Raises InfrastructureFault, and nothing else."""
        chance = chance_level(case, options_shown)
        try:
            found = await self._judged(case, trace, options_shown)
        except InfrastructureFault:
            raise
        except Exception as fault:
            # Judging is after the fact: an unreadable record leaves the episode as it is, unscored.
            found = _unscored(f"judge_failed: {type(fault).__name__}")
        return ModelJudgement(
            grader=self.grader,
            version=self.version,
            scores=found.scores,
            items=found.items,
            kind=case.task.kind,
            chance=chance,
            model=self._endpoint.model,
            returned=found.models,
            repeats=self._repeats,
            cost=found.cost,
        )

    async def _judged(self, case: Case, trace: Trace, options_shown: bool) -> _Found:
        if trace.outcome.status in UNSCORED:
            return _unscored(str(trace.outcome.status))
        items, lines = items_of(case), lines_of(trace, protocol_named(PROTOCOL))
        messages = manager_messages(case, items, lines)
        mending = template(TEMPLATE).mending
        prompt = Prompt(messages, len(items), TOP, unproven(items, lines), mending)
        samples = await ask(self._client, prompt, self._repeats, self._sampling)
        results = tuple(settle(item, samples, lines) for item in items)
        scores = _scores(results)
        if conclusion_of(trace) is None:
            no_answer = Score(0.0, NO_ANSWER)
            scores |= {name: no_answer for name in _CONCLUDED if any(r.part == name for r in results)}
        right = await self._correct(case, trace, options_shown)
        cost, models = spent(samples)
        return _Found(
            scores | right.scores,
            results + right.items,
            cost.plus(right.cost),
            tuple(sorted({*models, *right.models})),
        )

    async def _correct(self, case: Case, trace: Trace, options_shown: bool) -> _Found:
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
        found = await self.equivalence.same(given, reference, accepts)
        value = None if found.same is None else float(found.same)
        score = Score(value, found.why, found.result.quotes)
        item = found.result._replace(id=_COMPARISON)
        return _Found({"correct": score}, (item,), found.cost, found.models)


def _ruled(score: Score) -> _Found:
    return _Found({"correct": score}, (), Cost(), ())


def manager_messages(case: Case, items: tuple[Item, ...], lines: tuple[Line, ...]) -> tuple[Message, Message]:
    """The prompt, with the part that all episodes of a case share first, for prefix caching."""
    slots = {
        "case": case_block(case),
        "items": items_block(items),
        "transcript": transcript_block(lines),
        "ids": ", ".join(item.id for item in items),
    }
    return template(TEMPLATE).render(slots)


def _scores(results: Sequence[Result]) -> dict[str, Score]:
    def of(part: str) -> list[Result]:
        return [result for result in results if result.part == part]

    return {part: share(of(part)) for part in _SHARES} | {part: worst(of(part)) for part in _WORST}


def _unscored(reason: str) -> _Found:
    return _Found(dict.fromkeys(MODEL_NAMES, Score(None, reason)), (), Cost(), ())
