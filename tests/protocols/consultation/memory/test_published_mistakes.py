"""What the published systems got wrong, as readers of their code found it: none of it may come back.

Each test fails if the mistake came back. Memories that answer from one file are held off in `longitudinal`;
what reflection is told in `tests/memory/test_buffers.py`; answers that a full stop makes wrong, and no
diagnosis that is silently wrong, in `judge/test_built_in.py`; tests that nobody knows in
`test_consultation.py`; model text as HTML in `tests/reports/test_html.py`.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.cases.model import Case, Task
from osler.cases.personas import persona
from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Said, Seat
from osler.core.trace import Trace
from osler.errors import PlayerFault
from osler.players.scripted import Scripted
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.replies import diagnoses_considered
from osler.protocols.consultation.seats import Ask, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import Settings
from osler.protocols.consultation.wrappers.ensemble import Ensemble
from osler.protocols.shared.players.patient import BaselinePatient
from osler.testing.cases import small_case
from osler.testing.players import Watching
from tests.prompts.seats import messages_of
from tests.protocols.consultation.test_pictures import with_picture

SOURCE = Path(osler.__file__).parent


def consulted(doctor: AnyPlayer, case: Case | None = None, settings: Settings | None = None) -> Trace:
    cast: Mapping[Seat, AnyPlayer] = {
        "doctor": doctor,
        "patient": BaselinePatient(),
        "examination": BaselineExamination(),
    }
    episode = Episode(0, case or small_case(), persona("plain"), settings or Settings(), "0")
    return asyncio.run(episode.play(cast))


def score(case: Case, trace: Trace, name: str = "correct", *, options: bool = False) -> Any:
    return judge(case, trace, options_shown=options).scores[name]


# MedAgentSim


def test_the_true_diagnosis_is_not_among_candidates_unless_a_player_thought_of_it() -> None:
    case = small_case(task=Task(kind="diagnosis", question="What is it?", answer="Zebra fever"))
    watched = Watching(AsAFool())
    consulted(Ensemble(watched, 3), case)
    read = "\n".join(message.text for request in watched.seen for message in messages_of(request))
    assert "Zebra" not in read
    assert diagnoses_considered(watched.seen[0], Finalize(diagnosis="a cold")) == ["a cold"]


class AsAFool:
    """Concludes at once."""

    name, durable = "fool", False

    async def reply(self, request: Request[Any], /) -> Finalize:
        return Finalize(diagnosis="a cold")


def test_a_doctor_who_looks_at_pictures_gets_its_answers_and_results_as_well() -> None:
    """In the visual path the doctor never saw a reply or a result."""
    case, name = with_picture()
    moves = [
        Ask(question="Have you had a fever?"),
        RequestTest(test_name=name),
        Wait(),
        Finalize(diagnosis="x"),
    ]
    doctor = Watching(Scripted(moves))
    consulted(doctor, case, Settings(pictures="shown"))
    read = "\n".join(message.text for message in messages_of(doctor.seen[-1], eyes=True)[1:])
    assert read.count("<patient_says>") == 2, "the opening words and the answer"
    assert "<result>" in read


def test_a_failure_is_never_spoken_as_dialogue() -> None:
    class Failing:
        name, durable = "failing", False

        async def reply(self, request: Request[Any], /) -> Any:
            raise ConnectionError("HTTP 500: token budget exceeded")

    episode = Episode(0, small_case(), persona("plain"), Settings(), "0")
    cast: Mapping[Seat, AnyPlayer] = {
        "doctor": BaselineDoctor(),
        "patient": Failing(),
        "examination": BaselineExamination(),
    }
    with pytest.raises(PlayerFault) as raised:
        asyncio.run(episode.play(cast))
    trace = raised.value.trace
    assert trace.outcome.status == "player_fault"
    assert not any("500" in event.text or "budget" in event.text for event in trace.of(Said))
    assert score(small_case(), trace).value is None, "and it is unscored, not wrong"


EVALUATES = re.compile(
    r"(?<![\w.])(?:eval|exec|compile|__import__)\s*\(|\.\s*(?:system|popen|getoutput)\s*\(|shell\s*="
)
"""Files that may evaluate text; the others need not be parsed."""


def test_nothing_of_ours_evaluates_text() -> None:
    """`eval()` on a model's output. (What models answer is read in osler.models.structured.)"""
    texts = {path: path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
    for path in (path for path, text in texts.items() if EVALUATES.search(text)):
        for node in ast.walk(ast.parse(texts[path])):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("system", "popen", "getoutput"), path
            assert not (isinstance(node, ast.keyword) and node.arg == "shell"), path


def test_no_key_stands_in_what_is_shipped() -> None:
    """Secrets were committed."""
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.yaml"), *SOURCE.rglob("*.jinja")):
        assert "sk-proj-" not in path.read_text("utf-8", errors="ignore"), path


# AgentClinic


def test_a_picture_stays_a_picture_whatever_is_said_afterwards() -> None:
    """An image reply was overwritten by a text-only call, so images never mattered."""
    case, name = with_picture()
    moves = [RequestTest(test_name=name), Wait(), Ask(question="How are you?"), Finalize(diagnosis="x")]
    watched = Watching(Scripted(moves))
    consulted(watched, case, Settings(pictures="shown"))
    sent = messages_of(watched.seen[-1], eyes=True)
    assert sum(len(message.images) for message in sent) == 1


def test_nobody_waits_by_the_clock() -> None:
    """`sleep(1)` a turn: no player and no protocol asks what time it is."""
    for room in ("players", "encounter", "seats"):
        for path in (SOURCE / room).rglob("*.py"):
            assert "time.sleep" not in path.read_text("utf-8"), path
