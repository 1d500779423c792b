"""The blinded model judge of teaching: it marks a session on ETS, MSM and MPS, with quotes.

Every session counts, revised or not. One that a judge cannot mark gets `None` and a reason; a network or
quota fault is raised, so that judging can be resumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import Final, NamedTuple

from pydantic import Field
from pydantic_core import to_json

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.judging.model.cost import Cost
from osler.judging.model.sampling import INCOMPLETE, cost_of
from osler.judging.model.template import template
from osler.judging.model.transcript import Line, stands_in
from osler.judging.scores import Score
from osler.judging.version import version_of
from osler.models.config import Endpoint
from osler.models.faults import Kind, ModelAnswerError
from osler.models.types import CompletionRequest, Message, ModelClient, Output, Validate
from osler.protocols.ward_round.judge.scales import HIGHEST, LOWEST, Scale, scales
from osler.protocols.ward_round.judge.session import Session, blocks_of, lines_of
from osler.text.hostile import inert

TEMPLATE: Final = "osler.protocols.ward_round:prompts/judge_teaching.jinja"
VERSION: Final = "1"
"""Increment it with every change to how this judge asks or decides."""
_SPEAKERS: Final = ("patient", "student", "tutor")
_MOST_QUOTES: Final = 5
_SHOWN: Final = 200
_WHY: Final = 2000
_NO_SET: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID, Kind.LENGTH})


class Mark(Frozen):
    """One answer of a judge. A `critical` failure makes the mark the lowest one, whatever `score` says."""

    quotes: tuple[str, ...] = Field(min_length=1, max_length=_MOST_QUOTES)
    justification: str
    critical: bool
    score: int = Field(strict=True, ge=LOWEST, le=HIGHEST)

    @property
    def counted(self) -> int:
        """The mark after applying the critical failure."""
        return LOWEST if self.critical else self.score


class Marked(NamedTuple):
    """The result on one scale. `marks` are the valid answers, one per repeat; `score` is their mean, or
    `None` with a reason if one is missing. `agreement` is the share of answers with the modal mark, `None`
    below two."""

    score: Score
    marks: tuple[Mark, ...]
    agreement: float | None
    cost: Cost
    models: tuple[str, ...]


def teaching_judgement_json(grader: str, version: str, marked: Mapping[str, Marked]) -> str:
    """A judge's marks of one session as JSON text, with the outer fields that every judgement has."""
    scores = {
        name: {"value": one.score.value, "reason": one.score.reason, "evidence": one.score.evidence}
        for name, one in marked.items()
    }
    marks = {name: [mark.model_dump() for mark in one.marks] for name, one in marked.items()}
    asked = {
        "agreement": {name: one.agreement for name, one in marked.items()},
        "cost": Cost(*map(sum, zip(*(one.cost for one in marked.values()), strict=True)))._asdict(),
        "returned": sorted({model for one in marked.values() for model in one.models}),
    }
    body = {"grader": grader, "version": version, "scores": scores, "marks": marks, **asked}
    return to_json(body).decode()


class TeachingJudge:
    """A judge of sessions by one model. `endpoint` identifies it in the store and in the version."""

    def __init__(self, client: ModelClient, endpoint: Endpoint, *, repeats: int = 1) -> None:
        if repeats < 1:
            raise BadInput("a judge is asked at least once", where="repeats")
        self._client, self._endpoint, self._repeats = client, endpoint, repeats

    @property
    def grader(self) -> str:
        """The name under which its marks are stored."""
        return f"model:{self._endpoint.name}"

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge might mark differently."""
        return version_of(
            VERSION,
            template=template(TEMPLATE),
            scales={name: scale.text for name, scale in scales().items()},
            serving=self._endpoint.serving.decode(),
            repeats=self._repeats,
        )

    async def judge(self, session: Session) -> dict[str, Marked]:
        """Mark a session on every scale. Raises InfrastructureFault, and nothing else."""
        return {name: await self._marked(session, scale) for name, scale in scales().items()}

    async def _marked(self, session: Session, scale: Scale) -> Marked:
        lines, messages = lines_of(session), messages_of(session, scale)
        marks: list[Mark] = []
        cost, models, why = Cost(), set[str](), ""
        for number in range(self._repeats):
            request = CompletionRequest(
                messages=messages, seed=number, sample=number, output=_output(), seat="judge"
            )
            try:
                answer = await self._client.complete(request, validate=_reader(scale, lines))
            except ModelAnswerError as error:
                cost = cost.plus(cost_of(error.attempts))
                why = why or (INCOMPLETE if error.kind in _NO_SET else f"judge_{error.kind}")
                continue
            cost = cost if answer.from_cache else cost.plus(cost_of(answer.attempts))
            marks.append(answer.parsed)  # type: ignore[arg-type]  # what `_reader` returned
            if answer.model:
                models.add(inert(answer.model, _SHOWN))
        return Marked(_score(marks, why), tuple(marks), _agreement(marks), cost, tuple(sorted(models)))


def messages_of(session: Session, scale: Scale) -> tuple[Message, Message]:
    """The prompt; for the scales of one session, it differs only at its end, for prefix caching."""
    return template(TEMPLATE).render({**blocks_of(session), "scale": scale.text})


def _output() -> Output:
    fields = {
        "quotes": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": _MOST_QUOTES},
        "justification": {"type": "string"},
        "critical": {"type": "boolean"},
        "score": {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))},
    }
    schema = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return Output(name="mark", json_schema=schema)


def _reader(scale: Scale, lines: Sequence[Line]) -> Validate:
    """A validator that requires every quote to occur in the dialogue, and makes the answer's text inert."""

    def read(value: object) -> Mark:
        mark = Mark.model_validate(value)
        strange = [quote for quote in mark.quotes if not stands_in(quote, lines, _SPEAKERS)]
        if strange:
            raise ValueError(f"quotes: {inert(strange[0], 80)!r} does not stand, word for word, in one line")
        if mark.critical and scale.critical is None:
            raise ValueError("critical: this scale names no critical failure")
        quotes = tuple(inert(quote, _SHOWN) for quote in mark.quotes)
        return mark.model_copy(update={"quotes": quotes, "justification": inert(mark.justification, _WHY)})

    return read


def _score(marks: Sequence[Mark], why: str) -> Score:
    if why or not marks:
        return Score(None, why or INCOMPLETE)
    quotes = tuple(dict.fromkeys(quote for mark in marks for quote in mark.quotes))
    critical = "critical failure" if any(mark.critical for mark in marks) else ""
    return Score(fmean(mark.counted for mark in marks), critical, quotes)


def _agreement(marks: Sequence[Mark]) -> float | None:
    given = [mark.counted for mark in marks]
    return max(map(given.count, given)) / len(given) if len(given) > 1 else None
