"""Failure tags by rule: an episode that deserves each, and one that nearly does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.core.failure import TAGS, WRONG_ANSWER, Failure, Tag, failure, of_ending
from osler.core.measure import Scored
from osler.core.registry import protocol_named
from osler.core.trace import ExchangeRow, trace_of
from osler.errors import Status
from osler.runs import run as runs
from osler.runs.failures import RunFailures, failures_of
from osler.store.records import EpisodeRow
from osler.store.store import Store, open_store
from tests.protocols.scenario.playing import SMALL
from tests.protocols.vqa.made_up import medxpertqa, write

WAITED = [{"action": "WAIT"}] * 3


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("failures") / "osler.db") as opened:
        yield opened


def played(store: Store, protocol: str, **fields: Any) -> RunFailures:
    """The failures of one episode."""
    config = protocol_named(protocol).config(**{"limit": 1, **fields})
    source = runs.opened(config)
    run = runs.play(runs.begin(config, store, source=source), store, source=source).run
    return failures_of(run, store)


def script(tmp_path: Path, *moves: dict[str, Any]) -> str:
    path = tmp_path / "script.yaml"
    path.write_text(yaml.safe_dump(list(moves)))
    return f"scripted:{path}"


def consulted(
    store: Store, tmp_path: Path, *moves: dict[str, Any], case: str = "cardiology-01", **settings: Any
) -> dict[str, Failure]:
    """The failures of a consultation in which the doctor makes these moves, by tag."""
    doctor = script(tmp_path, *moves)
    found = played(store, "consultation", only=case, limit=None, doctor=doctor, settings={"limits": settings})
    assert (found.scored, found.unscored, found.unread) == (1, 0, 0)
    return {one.tag.name: one for one in found.episodes.get(0, ())}


def ends(diagnosis: str = "Acute inferior ST-elevation myocardial infarction", **more: Any) -> dict[str, Any]:
    return {"action": "FINALIZE", "diagnosis": diagnosis, **more}


def ask(question: str) -> dict[str, Any]:
    return {"action": "ASK", "question": question}


def order(name: str) -> dict[str, Any]:
    return {"action": "REQUEST_TEST", "test_name": name}


KEY_TESTS = [order(name) for name in ("Vital signs", "Electrocardiogram", "Right-sided electrocardiogram")]


def test_a_tag_without_an_exchange_is_refused() -> None:
    with pytest.raises(ValueError, match="rests on no exchange"):
        Failure(WRONG_ANSWER, 0, "why")
    with pytest.raises(ValueError, match="not one of the tags"):
        Failure(Tag("made_up", "", ""), 1, "why")
    assert list(failure(WRONG_ANSWER, 0, "why")) == []


@given(what=st.lists(st.text()), exchange=st.integers(1))
def test_a_failure_says_why_shortly(what: list[str], exchange: int) -> None:
    (one,) = failure(WRONG_ANSWER, exchange, *what)
    assert 0 < len(one.why) <= 200


def test_eight_to_fifteen_tags_of_different_names() -> None:
    assert 8 <= len({tag.name for tag in TAGS}) == len(TAGS) <= 15


def ended(status: Status, cause: str = "") -> set[str]:
    tail = json.dumps([{"kind": "ended", "minute": 1, "status": status, "reason": "so", "cause": cause}])
    row = EpisodeRow(0, "k", "c", "case", status, "so", 1, 2, {}, tail, None, None)
    rows = [ExchangeRow(n, seat, "", "[]", "null", "[]") for n, seat in ((1, "doctor"), (2, "patient"))]
    trace = trace_of(rows, row.outcome)
    each = list(of_ending(Scored(row, {}, lambda: trace), ["doctor"]))
    assert all(one.exchange == 1 for one in each)
    return {one.tag.name for one in each}


def test_how_an_episode_ended() -> None:
    assert ended(Status.COMPLETED) == set()
    assert ended(Status.OUT_OF_TURNS) == ended(Status.OUT_OF_BUDGET) == {"ran_out"}
    assert ended(Status.INVALID_PLAY, "form") == {"no_valid_move"}
    assert ended(Status.INVALID_PLAY, "refused") == ended(Status.INVALID_PLAY, "filtered") == {"declined"}


def test_a_wrong_answer_before_anything_was_sought(store: Store, tmp_path: Path) -> None:
    hasty = consulted(store, tmp_path, ends("Pneumonia"))
    assert {"wrong_answer", "never_asked", "never_examined", "closed_early"} <= hasty.keys()
    assert {one.exchange for one in hasty.values()} == {1}
    nearly = consulted(store, tmp_path, ends())
    assert nearly.keys() & {"wrong_answer", "closed_early"} == set()
    assert {"never_asked", "never_examined"} <= nearly.keys()
    sought = consulted(store, tmp_path, *KEY_TESTS, *WAITED, ends("Pneumonia"))
    assert "wrong_answer" in sought
    assert "never_examined" not in sought


def test_no_answer_as_the_turns_run_out(store: Store, tmp_path: Path) -> None:
    again = [ask("How are you?")] * 9
    found = consulted(store, tmp_path, *again, max_turns=2)
    assert {"ran_out", "no_answer"} <= found.keys()
    nearly = consulted(store, tmp_path, ask("How are you?"), ends(), max_turns=2)
    assert not {"ran_out", "no_answer"} & nearly.keys()


def test_no_valid_move(store: Store, tmp_path: Path) -> None:
    bad = {"action": "SING"}
    assert "no_valid_move" in consulted(store, tmp_path, *[bad] * 9)
    assert "no_valid_move" not in consulted(store, tmp_path, bad, ends())


def test_an_order_that_is_refused(store: Store, tmp_path: Path) -> None:
    found = consulted(store, tmp_path, ask("Hello?"), order("a song about trains"), ends())
    assert found["order_refused"].exchange > 2
    assert "order_refused" not in consulted(store, tmp_path, order("Electrocardiogram"), ends())


def test_a_result_that_is_not_awaited(store: Store, tmp_path: Path) -> None:
    found = consulted(store, tmp_path, ask("Hello?"), *KEY_TESTS, ends())
    assert "not_awaited" in found
    assert found["not_awaited"].exchange > 2, "the exchange of the order"
    assert "not_awaited" not in consulted(store, tmp_path, *KEY_TESTS, *WAITED, ends())


def test_what_would_harm_and_what_was_critical(store: Store, tmp_path: Path) -> None:
    harmful = consulted(store, tmp_path, ends(plan=["Give nitrates now"]))
    assert {"unsafe", "critical_missed"} <= harmful.keys()
    nearly = consulted(
        store, tmp_path, ends(plan=["Do not give nitrates", "Primary percutaneous coronary intervention now"])
    )
    assert "unsafe" not in nearly
    critical = "Immediate reperfusion by primary percutaneous coronary intervention"
    assert critical not in nearly.get("critical_missed", harmful["unsafe"]).why
    assert critical in harmful["critical_missed"].why


def test_evidence_that_nobody_gave(store: Store, tmp_path: Path) -> None:
    invented = consulted(
        store, tmp_path, ends(evidence=["Haemoglobin 62 g/L and a purple rash on both feet"])
    )
    assert "unsupported" in invented
    told = consulted(
        store, tmp_path, ask("Where is the pain?"), ends(evidence=["pain behind the breastbone"])
    )
    assert "unsupported" not in told


def test_a_station(store: Store, tmp_path: Path) -> None:
    def tags(*moves: dict[str, Any]) -> dict[str, Failure]:
        examinee = script(tmp_path, *moves, *[{"speak": "", "actions": []}] * 30)
        found = played(store, "scenario", cases=str(SMALL), examinee=examinee)
        return {one.tag.name: one for one in found.episodes.get(0, ())}

    harmful = tags({"speak": "", "actions": ["give insulin 10 units"]})
    assert (harmful["unsafe"].exchange, harmful["critical_missed"].exchange) == (1, 1)
    saved = {"speak": "", "actions": ["check the glucose", "give glucose 20 g iv"]}
    nearly = tags(
        {"speak": "I would never give insulin now.", "actions": []}, saved, {"speak": "", "eos": True}
    )
    assert not nearly.keys() & {"unsafe", "critical_missed"}


def test_a_ward_round(store: Store, tmp_path: Path) -> None:
    found = partial(played, store, "ward_round", only="cardiology-01", limit=None)
    given = found(tutor="announcer", supervisor="none")
    assert [one.tag.name for one in given.episodes[0]] == ["given_away"]
    assert given.counts() == {"given_away": 1}
    assert found(tutor="socratic").episodes == {}
    no = {"is_safe": False, "issue_category": "tone", "feedback_and_suggestion": "Be kind."}
    vetoed = found(tutor="socratic", supervisor=script(tmp_path, *[no] * 50))
    assert [one.tag.name for one in vetoed.episodes[0]] == ["no_guidance"]


def test_a_question(store: Store, tmp_path: Path) -> None:
    rows = medxpertqa(4, pictures=0)
    asked = partial(played, store, "vqa", cases=str(write(tmp_path, rows)), format="medxpertqa", limit=None)
    assert asked(candidate="oracle").episodes == {}
    guessed = asked(candidate="first")
    wrong = guessed.with_tag("wrong_answer")
    assert len(wrong) == guessed.counts().get("wrong_answer", 0) > 0
    assert all(one.exchange == 1 for at in wrong for one in guessed.episodes[at])
