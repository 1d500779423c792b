"""Transcripts and judges for the tests of rubrics, written by us."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from osler.cases.rubrics.model import Rubric
from osler.judging.lines import JudgedLine
from osler.judging.rubric.by_model import ModelRubricJudge
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.lexical import LexicalJudge
from osler.judging.rubric.scores import Verdict
from osler.models.types import CompletionRequest
from tests.judging.model.judges import ENDPOINT, Script, Scripted, strictly_read

LINES = (
    JudgedLine(0, "patient", "It hurts here, doctor. I took aspirin."),
    JudgedLine(1, "examinee", "Hello, I am Dr Vale. When did the pain begin?"),
    JudgedLine(1, "patient", "This morning. I washed my hands of smoking years ago."),
    JudgedLine(2, "action", "Electrocardiogram"),
    JudgedLine(2, "environment", "Electrocardiogram: ST elevation in II, III and aVF"),
    JudgedLine(3, "examinee", "We will not give you any nitrates. Do you have any allergies?"),
    JudgedLine(4, "conclusion", "diagnosis: inferior myocardial infarction"),
)


def verdicts(rubric: Rubric, *holds: bool | None) -> dict[str, Verdict]:
    """These verdicts on a rubric's items, in order."""
    pairs = zip(rubric.items, holds, strict=True)
    return {item.id: Verdict(item.id, held, "" if held is not None else "unclear") for item, held in pairs}


def judgement(rubric: Rubric, *holds: bool | None) -> RubricJudgement:
    """A judgement with these verdicts."""
    return RubricJudgement("rubric:test", "1", rubric, tuple(verdicts(rubric, *holds).values()))


def lexical(rubric: Rubric, *lines: JudgedLine) -> RubricJudgement:
    """What the built-in judge says."""
    return asyncio.run(LexicalJudge().judge(rubric, lines))


def by_model(
    rubric: Rubric, script: Script, lines: tuple[JudgedLine, ...] = LINES, **settings: Any
) -> tuple[RubricJudgement, Scripted]:
    """What a scripted model says, and the client that was asked."""
    client = Scripted(script)
    judge = ModelRubricJudge(client, ENDPOINT, **settings)
    return asyncio.run(judge.judge(rubric, lines)), client


def answer(*entries: tuple[int, list[str]]) -> dict[str, Any]:
    """A complete answer: (verdict, quotes) for I01, I02 ..."""
    return {
        "verdicts": [
            {"id": f"I{n:02}", "quotes": quotes, "why": "because", "verdict": verdict}
            for n, (verdict, quotes) in enumerate(entries, start=1)
        ]
    }


def careful(number: int, request: CompletionRequest) -> object:
    """Gives 1 where a line of the examinee's shares two long words with the item, quoting it; else 0."""
    read = strictly_read(request.messages)
    found = []
    for label, what in read.blocks["items"]:
        mark = label.split()[1]
        mine = [
            text
            for source, text in read.blocks["transcript"]
            if source.split()[3] in ("examinee", "action", "conclusion")
        ]
        quote = next((text for text in mine if len(_long(what) & _long(text)) >= 2), None)
        holds = (quote is None) if mark == "absence" else (quote is not None)
        found.append((int(holds), [quote[:900]] if holds and quote else []))
    return answer(*found)


def _long(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]{4,}", text.casefold()))
