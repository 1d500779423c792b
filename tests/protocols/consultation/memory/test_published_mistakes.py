"""What the published systems got wrong, as readers of their code found it: none of it may come back.

Each test fails if the mistake did. Where a whole file of tests guards something, the test here is the
shortest that would notice, and says where the others are.
"""

from __future__ import annotations

import ast
import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.cases.model import Case, Task
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Said, Seat
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.errors import PlayerFault
from osler.memory.buffers import told
from osler.memory.collection import Memory
from osler.memory.sql_memory import SqlKeeper
from osler.players.scripted import Scripted
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.judge.built_in import judge
from osler.protocols.consultation.memory.episodes_to_lessons import lived
from osler.protocols.consultation.memory.memory_config import MemoryUse
from osler.protocols.consultation.memory.retrieval import shelf_of
from osler.protocols.consultation.memory.write_back import Attempted, card_of
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.replies import diagnoses_considered
from osler.protocols.consultation.seats import Ask, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import Settings
from osler.protocols.consultation.wrappers.ensemble import Ensemble
from osler.protocols.consultation.wrappers.memory import Seen
from osler.protocols.shared.players.patient import BaselinePatient
from osler.runs import run as runs
from osler.store.store import open_store
from osler.testing.cases import small_case
from osler.testing.players import Watching
from osler.text.hostile import safe
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


def test_replay_answers_from_what_was_lived_through_and_not_from_one_file(tmp_path: Path) -> None:
    """81 of 81 replayed cases mentioned the same unrelated diagnosis.

    (More: tests/protocols/consultation/longitudinal.)"""
    config = RunConfig(cases="library", limit=8)
    with open_store(tmp_path / "o.db") as store:
        run = runs.begin(config, store)
        runs.play(run, store)
        cards = [card_of(Attempted(one, None, "r", 0)) for one in lived(run, store, "gold")]
        memory = Memory().with_cards(card for card in cards if card)
        snapshot = SqlKeeper(store.engine).save("m", memory)
        shelf = shelf_of(MemoryUse(snapshot=snapshot, k=2), store, open_source("library"))
        found = {}
        for case in list(open_source("library"))[:8]:
            seen = Seen(" ".join(fact.text for fact in case.facts[:6]), "")
            found[case.id] = tuple(one.hint.diagnosis for one in asyncio.run(shelf.find(case, seen)))
    assert len(set(found.values())) > 4
    assert all(named for named in found.values())


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


def test_reflection_is_told_no_more_than_its_feedback_allows() -> None:
    """Reflection was absent or hard-coded. (More: tests/memory/test_buffers.py.)"""
    assert told("gold", False, "gout").answer == "gout"
    assert told("judge", False, "gout").answer is None
    assert told("none", False, "gout").correct is None


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


def test_nothing_of_ours_evaluates_text() -> None:
    """`eval()` on a model's output. (What models answer is read in osler.models.structured.)"""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in ("system", "popen", "getoutput"), path
            assert not (isinstance(node, ast.keyword) and node.arg == "shell"), path


def test_what_a_model_says_is_no_markup() -> None:
    """Model text was inserted as HTML. (More: tests/reports/test_html.py.)"""
    assert "\x1b" not in safe("\x1b[31m<script>")


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


@pytest.mark.parametrize("said", ["yes", "Yes.", " YES ", "yes!"])
def test_a_full_stop_makes_no_answer_wrong(said: str) -> None:
    case = small_case(task=Task(kind="choice", question="Well?", options={"A": "Yes", "B": "No"}, answer="A"))
    trace = consulted(Scripted([Finalize(diagnosis=said)]), case)
    assert score(case, trace).value == 1


def test_no_diagnosis_is_said_to_be_none() -> None:
    """No diagnosis was silently wrong."""
    trace = consulted(
        Scripted([Ask(question="Hm.")] * 50), settings=Settings.model_validate({"limits": {"max_turns": 2}})
    )
    assert trace.outcome.status == "out_of_turns"
    assert "did not conclude" in trace.outcome.reason
    found = score(small_case(), trace)
    assert (found.value, bool(found.reason)) == (0, True)


def test_transcripts_seeds_and_what_was_used_are_kept(tmp_path: Path) -> None:
    """Nothing was saved."""
    with open_store(tmp_path / "o.db") as store:
        run = runs.begin(RunConfig(limit=1, seed=7), store)
        runs.play(run, store)
        assert store.trace(run.id, 0).of(Said)
        assert store.info(run.id).manifest["configuration"]["seed"] == 7


def test_nobody_waits_by_the_clock() -> None:
    """`sleep(1)` a turn: no player and no protocol asks what time it is."""
    for room in ("players", "encounter", "seats"):
        for path in (SOURCE / room).rglob("*.py"):
            assert "time.sleep" not in path.read_text("utf-8"), path


@pytest.mark.parametrize("nonsense", ["quantum aura scan", "zodiac panel", "Pneumonia test", "asdf"])
def test_a_nonsense_test_gives_no_evidence(nonsense: str) -> None:
    """An unavailable test read as normal."""
    trace = consulted(Scripted([RequestTest(test_name=nonsense), Finalize(diagnosis="x")]))
    (result,) = trace.of(Resulted)
    assert not result.returned
    assert "normal" not in result.text.lower()
    assert json.loads(trace.rows[-1].reply)["action"] == "FINALIZE"
