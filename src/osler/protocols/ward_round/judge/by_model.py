"""The blinded model judge of teaching: it marks a session on ETS, MSM and MPS, with quotes.

Every session counts, revised or not. One that a judge cannot mark gets `None` and a reason; a network or
quota fault is raised, so that judging can be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from statistics import fmean
from typing import Annotated, Any, Final, NamedTuple

import yaml
from pydantic import Field, TypeAdapter

from osler.core.events import Frozen
from osler.core.judge import ModelJudge, Verdict, verdict, version_of
from osler.core.measure import Measure
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.lines import JudgedLine, quoted
from osler.judging.model.engine import INCOMPLETE, AsksModel, spent
from osler.judging.model.template import Messages, template
from osler.judging.model.verdicts import LONGEST, Quoted
from osler.judging.opening import JudgeModel
from osler.judging.scores import QUOTE, UNSCORED, Cost, Score
from osler.models.config import Endpoint
from osler.models.types import ModelClient, Output
from osler.players.model.messages import drawn
from osler.protocols.ward_round.judge.session import Session, blocks_of, lines_of
from osler.protocols.ward_round.judge.transcripts import session_of_trace
from osler.protocols.ward_round.measures import MARKS
from osler.text.hostile import inert

TEMPLATE: Final = "osler.protocols.ward_round:prompts/judge_teaching.jinja"
VERSION: Final = "5"
"""Increment it with every change to how this judge asks or decides."""
LOWEST, HIGHEST = 1, 10
_MOST_QUOTES: Final = 3
_WHY: Final = 600
_MOST_MISSED: Final = 5
_ITEM: Final = 160


class Scale(Frozen):
    """One rating scale of teaching sessions (ClinEdu, Appendix E). `critical` is a question that, if answered
    "yes", makes the mark the lowest one."""

    name: str
    looks_at: str
    levels: dict[int, str] = Field(min_length=HIGHEST, max_length=HIGHEST)
    critical: str | None = None

    @property
    def text(self) -> str:
        """The scale as shown to a judge or a rater, the highest level first."""
        lines = [f"{self.name}. {self.looks_at}"]
        lines += [f"{mark}: {what}" for mark, what in sorted(self.levels.items(), reverse=True)]
        if self.critical:
            lines.append(f"Critical failure: {self.critical}")
        return "\n".join(lines)


@lru_cache(maxsize=1)
def scales() -> dict[str, Scale]:
    """The packaged scales by short name: `ets`, `msm` and `mps`."""
    text = files("osler.protocols.ward_round.judge").joinpath("scales.yaml").read_text("utf-8")
    return TypeAdapter(dict[str, Scale]).validate_python(yaml.safe_load(text))


class Mark(Frozen):
    """One answer of a judge. A `critical` failure makes the mark the lowest one, whatever `score` says."""

    quotes: tuple[Quoted, ...] = Field(min_length=1, max_length=_MOST_QUOTES)
    justification: str
    missed: tuple[Annotated[str, Field(max_length=_ITEM)], ...] = Field(max_length=_MOST_MISSED)
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


def teaching(model: JudgeModel) -> ModelJudge:
    """Open the judge of teaching: a model marks a ward round on ETS, MSM and MPS."""
    return TeachingJudge(model.client, model.endpoint, repeats=model.repeats)


class TeachingJudge(AsksModel):
    """A judge of sessions by one model (`osler.core.judge.ModelJudge`)."""

    def __init__(self, client: ModelClient, endpoint: Endpoint, *, repeats: int = 1) -> None:
        super().__init__(client, endpoint, repeats=repeats)

    @property
    def grader(self) -> str:
        """The name under which its marks are stored."""
        return f"model:{self.endpoint.name}"

    @property
    def scores(self) -> tuple[Measure, ...]:
        """The measures of this judge's verdicts, one for each scale."""
        return MARKS

    @cached_property
    def version(self) -> str:
        """The version, which changes whenever this judge might mark differently."""
        return version_of(
            VERSION,
            template=template(TEMPLATE),
            scales={name: scale.text for name, scale in scales().items()},
            serving=self.endpoint.serving.decode(),
            repeats=self.repeats,
            eyes=self.endpoint.capabilities.images,
        )

    def version_of(self, episode: Any) -> str:
        """The version, which is the same for every episode."""
        return self.version

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        """The verdict on an episode. Raises InfrastructureFault, and nothing else."""
        marked = await self._marked_trace(episode, trace)
        return verdict(
            self.grader,
            self.version,
            {name: one.score for name, one in marked.items()},
            marks={name: [mark.model_dump() for mark in one.marks] for name, one in marked.items()},
            agreement={name: one.agreement for name, one in marked.items()},
            cost=Cost(*map(sum, zip(*(one.cost for one in marked.values()), strict=True)))._asdict(),
            returned=sorted({model for one in marked.values() for model in one.models}),
        )

    async def marked(self, session: Session) -> dict[str, Marked]:
        """Mark a session on every scale. Raises InfrastructureFault, and BadInput for a judge with eyes if an
        image file of the case is not at hand."""
        return {name: await self._on(scale, session) for name, scale in scales().items()}

    async def _marked_trace(self, episode: Any, trace: Trace) -> dict[str, Marked]:
        if trace.outcome.status in UNSCORED:
            return _unmarked(str(trace.outcome.status))
        try:
            return await self.marked(session_of_trace(episode.case, trace, episode.plan))
        except BadInput as error:  # an unreadable record, or an image file that is not at hand
            return _unmarked(f"judge_failed: {type(error).__name__}")

    async def _on(self, scale: Scale, session: Session) -> Marked:
        read = _reader(scale, lines_of(session))
        messages = messages_of(session, scale, eyes=self.endpoint.capabilities.images)
        samples = await self.samples(messages, _output(), read)
        marks = tuple(sample.answer for sample in samples if sample.answer is not None)
        why = next((sample.reason for sample in samples if sample.answer is None), "")
        return Marked(_score(marks, why), marks, _agreement(marks), *spent(samples))


def _unmarked(reason: str) -> dict[str, Marked]:
    return dict.fromkeys(scales(), Marked(Score(None, reason), (), None, Cost(), ()))


def messages_of(session: Session, scale: Scale, *, eyes: bool = False) -> Messages:
    """The prompt; for the scales of one session, only its last message differs, for prefix caching. With
    `eyes`, the case's pictures are attached."""
    text = template(TEMPLATE)
    rules, judged, read = text.shared(blocks_of(session, eyes=eyes))
    images = tuple(map(drawn, session.pictures)) if eyes else ()
    return rules, judged._replace(images=images), read, text.asking({"scale": scale.text})


def _output() -> Output:
    quote = {"type": "string", "maxLength": LONGEST}
    fields = {
        "quotes": {"type": "array", "items": quote, "minItems": 1, "maxItems": _MOST_QUOTES},
        "justification": {"type": "string", "maxLength": _WHY},
        "missed": {
            "type": "array",
            "items": {"type": "string", "maxLength": _ITEM},
            "minItems": 0,
            "maxItems": _MOST_MISSED,
        },
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


def _reader(scale: Scale, lines: Sequence[JudgedLine]) -> Callable[[object], Mark]:
    """A validator that requires every quote to occur in the dialogue, and makes the answer's text inert."""

    def read(value: object) -> Mark:
        mark = Mark.model_validate(value)
        strange = [quote for quote in mark.quotes if quoted(quote, lines) is None]
        if strange:
            raise ValueError(f"quotes: {inert(strange[0], 80)!r} does not stand, word for word, in one line")
        if mark.critical and scale.critical is None:
            raise ValueError("critical: this scale names no critical failure")
        missed = tuple(filter(None, (inert(one, _ITEM).strip() for one in mark.missed)))
        if mark.counted < HIGHEST and not missed:
            raise ValueError(f"missed: a mark below {HIGHEST} names what was missing for a higher one")
        quotes = tuple(inert(quote, QUOTE) for quote in mark.quotes)
        why = inert(mark.justification, _WHY)
        return mark.model_copy(update={"quotes": quotes, "justification": why, "missed": missed})

    return read


def _score(marks: Sequence[Mark], why: str) -> Score:
    if why or not marks:
        return Score(None, why or INCOMPLETE)
    quotes = tuple(dict.fromkeys(quote for mark in marks for quote in mark.quotes))
    critical = ("critical failure",) if any(mark.critical for mark in marks) else ()
    reason = "; ".join((*critical, *dict.fromkeys(mark.justification for mark in marks)))
    missed = tuple(dict.fromkeys(one for mark in marks for one in mark.missed))
    return Score(fmean(mark.counted for mark in marks), reason, quotes, missed)


def _agreement(marks: Sequence[Mark]) -> float | None:
    given = [mark.counted for mark in marks]
    return max(map(given.count, given)) / len(given) if len(given) > 1 else None
