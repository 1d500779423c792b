"""Summaries of consultations in two or three sentences, by rule or by a model, and insights from corrected
mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from osler.memory.record import DOCTORS, Record
from osler.models.types import CompletionRequest, Message, ModelClient, Output, Sampling
from osler.prompts import prompt
from osler.text.hostile import block

PROMPT: Final = "osler.memory:prompts/memory_summary.jinja"
MOST_LETTERS: Final = 800
_SENTENCES: Final = 3
_END: Final = re.compile(r"(?<=[.!?。！？])(?:\s+|(?<=[。！？]))")
_NORMAL: Final = re.compile(
    r"\b(?:normal|unremarkable|negative|nil|none|not raised|soft)\b|^(?:no|not|neither)\b", re.IGNORECASE
)
_PIECE: Final = 200
_RESULT: Final = 70
_STORY: Final = 400
_REASON: Final = 600
TOLD: Final = "Told: "
TELLING: Final = "Telling results:"


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    summary: str


_ADAPTER: Final = TypeAdapter(_Answer)
_OUTPUT: Final = Output.of(_ADAPTER, "memory_summary")


def summary_of(record: Record, diagnosis: str | None) -> str:
    """The built-in, extractive summary: complaint, abnormal results, conclusion."""
    parts = [f"Complaint: {_short(record.complaint)}"]
    if telling := _telling(record.results):
        parts.append(f"Telling results: {telling}")
    parts.append(f"Diagnosis: {_short(diagnosis)}" if diagnosis else "No diagnosis was made")
    return ". ".join(part.rstrip(".!? ") for part in parts) + "."


def insight_of(first: Record, second: Record, reason: str = "") -> str:
    """The insight from a corrected mistake: the complaint, what the patient told, both conclusions, the
    doctor's own `reason`, and the results only the second consultation had, else all of its results. One line
    each."""
    before = set(first.results)
    new = [each for each in second.results if each not in before] or list(second.results)
    wrong = first.diagnosis or "no diagnosis"
    return "\n".join(
        [
            f'Complaint: "{_short(second.complaint).rstrip(".")}".',
            *([f"{TOLD}{told}"] if (told := _said(second)) else []),
            f"Thought of first: {wrong}. Right was: {second.diagnosis}.",
            *([f"Why: {_short(reason, _REASON)}"] if reason.strip() else []),
            *([TELLING, *telling] if (telling := _telling_lines(new)) else []),
        ]
    )


async def summary_by_model(record: Record, diagnosis: str | None, client: ModelClient) -> str:
    """Summarize with a model. Raises ModelAnswerError and InfrastructureFault as `ModelClient.complete`."""
    answer = await client.complete(summary_request(record, diagnosis), validate=_checked)
    return str(answer.parsed)


def summary_request(record: Record, diagnosis: str | None) -> CompletionRequest:
    """The request to a model to summarize a consultation."""
    told = "\n".join(
        [
            block("dialogue", "\n".join(f"{by}: {text}" for by, text in record.dialogue)),
            block("results", "\n".join(f"{name}: {text}" for name, text in record.results)),
            block("diagnosis", diagnosis or "none was made"),
        ]
    )
    return CompletionRequest(
        messages=(Message(role="system", text=prompt(PROMPT).render({})), Message(role="user", text=told)),
        sampling=Sampling(),
        output=_OUTPUT,
        seat="memory",
    )


def _checked(value: object) -> str:
    text = " ".join(_ADAPTER.validate_python(value).summary.split())
    if not text:
        raise ValueError("the summary is empty")
    if len(text) > MOST_LETTERS:
        raise ValueError(f"the summary is longer than {MOST_LETTERS} letters")
    if len([s for s in _END.split(text) if s]) > _SENTENCES:
        raise ValueError(f"the summary has more than {_SENTENCES} sentences")
    return text


def _telling(results: Sequence[tuple[str, str]]) -> str:
    """The abnormal results on one line, truncated to fit."""
    return _short("; ".join(_telling_lines(results)))


def _telling_lines(results: Sequence[tuple[str, str]]) -> list[str]:
    """The first sentence of each result that does not read as normal."""
    result = []
    for name, text in results:
        said = next((s for s in _END.split(text.strip()) if s and not _NORMAL.search(s)), None)
        if said:
            result.append(_short(f"{name}: {said.rstrip('.')}", _RESULT))
    return result


def _said(record: Record) -> str:
    """The patient's words after the complaint, without denials, truncated to fit."""
    sentences = (
        sentence
        for by, text in record.dialogue[1:]
        if by not in DOCTORS
        for sentence in _END.split(text.strip())
    )
    return _short(" ".join(s for s in sentences if s and not _NORMAL.search(s)), _STORY)


def _short(text: str, most: int = _PIECE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rsplit(' ', 1)[0]}…"
