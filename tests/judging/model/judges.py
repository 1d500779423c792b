"""Judges for tests: one answers by script, one reads its prompt as strictly as a parser would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from osler.cases.model import Case
from osler.core.events import Said
from osler.core.trace import Trace
from osler.models.config import Endpoint
from osler.models.faults import ModelAnswerError
from osler.models.structured import read_answer
from osler.models.types import Attempt, Completion, CompletionRequest, Message, Usage, Validate, another
from osler.protocols.consultation.seats import Finalize
from tests.judging.episodes import asked, case_of, ordered, trace_with

ENDPOINT = Endpoint(name="judge", base_url="http://127.0.0.1:1/v1", model="tiny-judge")
GOOD = Finalize(
    diagnosis="Acute pulmonary embolism",
    confidence=0.875,
    rationale=("private-note",),
    evidence=("She flew for eleven hours last week", "Heart rate is 118 a minute"),
    plan=("Start apixaban 10 mg twice a day", "Oxygen if she is hypoxic"),
    followup="Admit; come back at once if there is more breathlessness",
)
Script = Callable[[int, CompletionRequest], object]

_BLOCK = re.compile(r"<<<BEGIN ([a-z]+)>>>\n((?:.*\n)*?)<<<END \1>>>")
_LINE = re.compile(r'\| ([A-Za-z0-9_ ]+): "([^"]*)"')


@dataclass
class Scripted:
    """Answers what `script` makes of the number of the call (from 0) and its request: an object, a text, or
    an error to raise. Mends like a real client: an answer that is not valid is asked for again twice, each
    time with another seed."""

    script: Script
    repairs: int = 2
    asked: list[CompletionRequest] = field(default_factory=list)

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        attempts: list[Attempt] = []
        for time in range(self.repairs + 1):
            sent = another(request, time)
            said = self.script(len(self.asked), sent)
            self.asked.append(sent)
            if isinstance(said, Exception):
                raise said
            text = said if isinstance(said, str) else json.dumps(said)
            value, fault = read_answer(text, "stop", request.output, validate)
            usage = Usage(prompt_tokens=100, completion_tokens=10)
            attempts.append(Attempt(outcome=fault.kind if fault else "ok", text=text, usage=usage))
            if fault is None:
                return Completion(text=text, parsed=value, attempts=tuple(attempts), model="tiny-judge-1")
        assert fault is not None
        raise ModelAnswerError(fault, tuple(attempts))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


class Read(NamedTuple):
    """A prompt taken apart: its blocks in order, each a list of (label, text), and what stands outside."""

    blocks: dict[str, list[tuple[str, str]]]
    outside: str


def strictly_read(messages: Sequence[Message]) -> Read:
    """Take a prompt apart. A line in a block that is not of the one form allowed fails the test."""
    text = shown(messages)
    blocks: dict[str, list[tuple[str, str]]] = {}
    for found in _BLOCK.finditer(text):
        assert found[1] not in blocks, f"two blocks are called {found[1]}"
        blocks[found[1]] = lines = []
        for line in found[2].splitlines():
            match = _LINE.fullmatch(line)
            assert match, f"no line of a block: {line[:80]!r}"
            lines.append((match[1], match[2]))
    return Read(blocks, _BLOCK.sub(lambda found: f"({found[1]})", text))


def marks_of(messages: Sequence[Message]) -> list[str]:
    """Every mark anywhere in what a judge is shown and asked, in order."""
    return re.findall(r"<<<(?:BEGIN|END) [^>\n]*>>>", shown(messages))


def shown(messages: Sequence[Message]) -> str:
    """What a judge is shown, and what it is asked of it."""
    _, judged, read, asked = messages[:4]
    assert [judged.role, read.role, asked.role] == ["user", "assistant", "user"]
    return f"{judged.text}\n{asked.text}"


def careful(number: int, request: CompletionRequest) -> object:
    """Gives 2 where a line of the right kind shares two long words with the beginning of an item; else 0."""
    read = strictly_read(request.messages)
    if "answer" in read.blocks:
        text = " ".join(text for _, text in read.blocks["answer"])
        reference = read.blocks["reference"][0][1]
        return verdicts({"I01": int(reference.casefold() in text.casefold())}, {"I01": reference})
    found: dict[str, int] = {}
    quotes: dict[str, str] = {}
    for label, what in read.blocks["items"]:
        key, part = label.split()
        kinds = _KINDS[part]
        for source, text in ((name.split()[1], text) for name, text in read.blocks["transcript"]):
            if source in kinds and len(_long_words(" ".join(what.split()[:5])) & _long_words(text)) >= 2:
                found[key], quotes[key] = 2, text[:900]
                break
        else:
            found[key] = 0
    return verdicts(found, quotes)


_KINDS = {
    "diagnosis": {"diagnosis"},
    "supporting_evidence": {"evidence"},
    "plan": {"plan"},
    "follow_up": {"follow_up"},
    "unsafe": {"plan"},
    "unsupported": set[str](),
}


def _long_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{3,}", text.casefold())) - {"the", "and", "for", "she", "watch"}


def verdicts(found: dict[str, int], quotes: dict[str, str] | None = None) -> dict[str, Any]:
    """An answer of these verdicts, each positive one with its quote."""
    return {
        "verdicts": [
            {
                "id": key,
                "quotes": [(quotes or {}).get(key, "apixaban")] if verdict else [],
                "why": "because",
                "verdict": verdict,
            }
            for key, verdict in found.items()
        ]
    }


def ids_in(request: CompletionRequest) -> list[str]:
    """The ids a prompt asks for, as its schema lists them."""
    assert request.output is not None
    ids: list[str] = request.output.json_schema["properties"]["verdicts"]["items"]["properties"]["id"]["enum"]
    return ids


def episode(
    doctor: str = "Have you travelled lately?",
    patient: str = "Yes, quite far.",
    final: Finalize = GOOD,
) -> Trace:
    """A short consultation in which the doctor and the patient say these words."""
    told, seat, reply = asked(doctor, "flight")
    told.append(Said(minute=1, by="patient", text=patient))
    return trace_with((told, seat, reply), ordered("ECG", "ecg"), final=final)


def case_with(text: str) -> Case:
    """The case with a text in every place that a judge is shown."""
    plain = case_of()
    assert plain.management is not None
    assert plain.diagnosis is not None
    facts = tuple(fact.model_copy(update={"text": f"{fact.text} {text}"}) for fact in plain.facts)
    findings = tuple(f.model_copy(update={"result": f"{f.result} {text}"}) for f in plain.findings)
    features = tuple(f.model_copy(update={"what": f"{f.what} {text}"}) for f in plain.management.key_features)
    management = plain.management.model_copy(update={"key_features": features, "safety_net": (text,)})
    opening = plain.opening.model_copy(update={"words": text})
    diagnosis = plain.diagnosis.model_copy(update={"synonyms": (text,)})
    return case_of(
        facts=facts, findings=findings, management=management, opening=opening, diagnosis=diagnosis
    )
