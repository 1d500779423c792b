"""Two or three sentences about a consultation: by rule, or by a model. And what a corrected mistake
taught."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from osler.memory.record import Record
from osler.models.types import CompletionRequest, Message, ModelClient, Output, Sampling
from osler.prompts import block, prompt

PROMPT: Final = "memory_summary"
MOST_LETTERS: Final = 800
_SENTENCES: Final = 3
_END: Final = re.compile(r"(?<=[.!?。！？])(?:\s+|(?<=[。！？]))")
_NORMAL: Final = re.compile(
    r"\b(?:normal|unremarkable|negative|nil|none|not raised|soft)\b|^(?:no|not|neither)\b", re.IGNORECASE
)
_PIECE: Final = 200
_RESULT: Final = 70


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    summary: str


_ADAPTER: Final = TypeAdapter(_Answer)
_OUTPUT: Final = Output.of(_ADAPTER, "memory_summary")


def summary_of(record: Record, diagnosis: str | None) -> str:
    """Complaint, telling results, conclusion: the built-in summary, which quotes and does not understand."""
    parts = [f"Complaint: {_short(record.complaint)}"]
    if telling := _telling(record.results):
        parts.append(f"Telling results: {telling}")
    parts.append(f"Diagnosis: {_short(diagnosis)}" if diagnosis else "No diagnosis was made")
    return ". ".join(part.rstrip(".!? ") for part in parts) + "."


def insight_of(first: Record, second: Record) -> str:
    """What told the second, right conclusion from the first, wrong one: results and words that only the
    second consultation had, else the results of both."""
    before = set(first.results)
    new = [each for each in second.results if each not in before] or list(second.results)
    telling = _telling(new)
    seen = f" Telling: {telling}." if telling else ""
    complaint = _short(second.complaint).rstrip(".")
    wrong = first.diagnosis or "no diagnosis"
    return f'Complaint: "{complaint}". Thought of first: {wrong}. Right was: {second.diagnosis}.{seen}'


async def summary_by_model(record: Record, diagnosis: str | None, client: ModelClient) -> str:
    """The same by a model. Raises ModelAnswerError and InfrastructureFault as `ModelClient.complete` does."""
    told = "\n".join(
        [
            block("dialogue", "\n".join(f"{by}: {text}" for by, text in record.dialogue)),
            block("results", "\n".join(f"{name}: {text}" for name, text in record.results)),
            block("diagnosis", diagnosis or "none was made"),
        ]
    )
    request = CompletionRequest(
        messages=(Message(role="system", text=prompt(PROMPT).render({})), Message(role="user", text=told)),
        sampling=Sampling(),
        output=_OUTPUT,
        seat="memory",
    )
    answer = await client.complete(request, validate=_checked)
    return str(answer.parsed)


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
    """The first sentence of each result that does not read as normal, as many as find room."""
    firsts = [(name, _END.split(text.strip(), maxsplit=1)[0].rstrip(".")) for name, text in results]
    return _short(
        "; ".join(_short(f"{n}: {text}", _RESULT) for n, text in firsts if not _NORMAL.search(text))
    )


def _short(text: str, most: int = _PIECE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rsplit(' ', 1)[0]}…"
