"""The grounding check in figures: `python -m tests.players.model.figures`.

Hit rate on planted fabrications and false-alarm rate on honest answers, each with its Wilson interval (95 %).
The answers are ours, so the figures are of the check on them and say nothing about any model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from osler.cases.model import Case
from osler.cases.personas import PERSONAS, persona
from osler.cases.sources import open_source
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said
from osler.knowledge.vocabulary import TOPICS
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.players.patient import answer
from osler.protocols.shared.views import patient_view
from osler.stats.intervals import wilson
from osler.text.topics import canonical_question
from tests.players.model.answers import HONEST, HONEST_LATER, PLANTED, PLANTED_LATER, Answer

AGENTCLINIC = Path("../shared/data/agentclinic/agentclinic_medqa.jsonl")
LIBRARY = {case.id: case for case in open_source("library")}
ASSURING = "Many people have this, and it stays confidential. May we speak in private? Do you drink?"
QUESTIONS = ("What brings you in?", *map(canonical_question, TOPICS), ASSURING, "Anything else?")


def is_flagged(row: Answer) -> bool:
    """Whether the check finds anything in one answer about a case of the library."""
    case, question, said = row
    view = patient_view(LIBRARY[case], persona=persona("plain"), unknown="standard")
    return bool(ungrounded(said, view, question))


def honest_answers(cases: Iterable[Case]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the built-in patient says in every persona, and what the check makes of it."""
    for case in cases:
        for manner in PERSONAS.values():
            view = patient_view(case, persona=manner, unknown="standard")
            feed: tuple[Event | OwnReply, ...] = ()
            said: list[str] = []
            for question in QUESTIONS:
                feed = (*feed, Said(minute=0, by="doctor", text=question))
                said.append(question)
                reply = answer(Request(view, feed, "world"))
                feed = (*feed, OwnReply(reply))
                yield reply.answer, ungrounded(reply.answer, view, question, said=said)


def line(what: str, flagged: Iterable[bool]) -> str:
    """One line: the share flagged, of how many, with its interval."""
    found = list(flagged)
    rate = wilson(sum(found), len(found))
    return f"{what}: {sum(found)} of {len(found)} = {rate.value:.3f} ({rate.low:.3f}-{rate.high:.3f})"


def main() -> None:
    """Print the figures."""
    for what, rows in {
        "fabrications caught": PLANTED,
        "fabrications caught, never tuned on": PLANTED_LATER,
        "honest free words, false alarms": HONEST,
        "honest free words, false alarms, never tuned on": HONEST_LATER,
    }.items():
        print(line(what, map(is_flagged, rows)))
    sources = {"library": LIBRARY.values()}
    if AGENTCLINIC.exists():
        sources["AgentClinic, 50 cases"] = islice(open_source(str(AGENTCLINIC)), 50)  # type: ignore[assignment]  # both are iterables of cases
    for source, cases in sources.items():
        answers = honest_answers(cases)
        print(line(f"built-in patient, {source}, false alarms", (bool(wrong) for _, wrong in answers)))


if __name__ == "__main__":
    main()
