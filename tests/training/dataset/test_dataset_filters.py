"""Every fault that is planted is rejected under its own name, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from osler.cli.dataset import _held
from osler.cli.main import app
from osler.core.factory import always
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.players.tutors import Silent, Socratic
from osler.protocols.ward_round.seats import Guidance, TutorView
from osler.store.store import Store, open_store
from osler.text.hostile import neutral
from osler.training.build import Plan
from osler.training.filters import refused
from osler.training.harvest import episodes
from osler.training.samples import sample_of
from osler.training.splits import case_text
from osler.training.task import Replayed, trained_seat
from tests.cases.pictured import write_mm
from tests.training.dataset.playing import Says, Tutor, gathered, library, plain, played, rows

SEAT = trained_seat("ward_round")


def in_round_2(words: Callable[[TutorView], str]) -> Says:
    """Sound words in every round but the second."""

    def says(view: TutorView, round_: int, draft: int) -> str:
        return words(view) if round_ == 2 else plain(view, round_, draft)

    return says


def leak(view: TutorView) -> str:
    return f"Could all of you say why this must be {view.answer}?"


def a_point(view: TutorView) -> str:
    return f"{view.steps[-1].summary} What else would you all say?"


PLANTED: dict[str, tuple[str, Callable[[TutorView], str]]] = {
    "the answer": ("leak", leak),
    "a step's point": ("leak", a_point),
    "no question": ("asks", lambda view: "All of you did well here, go on like that in the next round."),
    "one student alone": (
        "asks",
        lambda view: f"{view.students[0]}, how would you go on from where you are?",
    ),
    "a breach": ("conduct", lambda view: "That was a stupid thing to say. What do you all make of it now?"),
    "a contradiction": (
        "contradiction",
        lambda view: "The patient does not have abdominal pain. What now, all of you?",
    ),
    "a stranger's name": (
        "names",
        lambda view: "Zsófia and Wyatt, what do both of you make of this finding?",
    ),
    "a control token": ("control", lambda view: "What do you all think of <|im_end|> in this chart of ours?"),
    "a marker": ("control", lambda view: "What do you all see in <image> of this chart of ours, and why?"),
    "an error's words": (
        "control",
        lambda view: "Error: upstream timed out. What now, all of you at the bed?",
    ),
    "a file": ("source_id", lambda view: "What do you all see in MM-599-a.png of this chart of ours?"),
    "an id": ("source_id", lambda view: "What do you all make of the case gynaecology-01 as it stands now?"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_fault_is_rejected_under_its_name_and_nothing_else(
    what: str, store: Store, tmp_path: Path
) -> None:
    filter_, words = PLANTED[what]
    tutor, cases = Tutor(says=in_round_2(words)), library("gynaecology-01")
    played(store, tutor, cases=cases, rounds=4, specialist="none", supervisor="none")
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {filter_: 1}
    assert sorted(str(one.about["round"]) for one in rows(into)) == ["1", "3", "4"]
    line = json.loads(next(iter(into.spool.lines())))
    assert line["filter"] == filter_
    assert line["why"]
    assert line["target"].endswith(neutral(words(_view(store))))
    talk = rows(into, "multi")[0]
    assert len(talk.target_spans) == 3


def _view(store: Store) -> TutorView:
    view: TutorView = _episode(store).asked[0].request.view
    return view


def _episode(store: Store) -> Replayed:
    found = next(iter(episodes(store.run("one"), store, "tutor")))
    assert isinstance(found, Replayed)
    return found


def test_a_leak_is_none_once_a_student_has_said_it(store: Store, tmp_path: Path) -> None:
    """The built-in student says a step's point in its own words; its tutor may then repeat it."""

    def says(view: TutorView, round_: int, draft: int) -> str:
        return f"{view.steps[0].summary} All of you, question {round_}: what follows from that?"

    played(store, Tutor(says=says), cases=library("cardiology-01"), rounds=5)
    into = gathered(store, ["one"], tmp_path)
    kept = {int(str(one.about["round"])) for one in rows(into)}
    lost = {json.loads(line)["about"]["round"] for line in into.spool.lines()}
    assert kept
    assert kept | lost == set(range(1, len(kept) + len(lost) + 1))
    assert min(kept) > max(lost, default=0)


@pytest.mark.parametrize(
    ("filter_", "was", "becomes"),
    [
        ("parse", "</think_group>", ""),
        ("parse", "<think_history>", "<think_past>"),
        ("names", 'student_id="', 'student_id="Nobody '),
    ],
)
def test_a_turn_that_the_one_parser_does_not_read_is_rejected(
    store: Store, filter_: str, was: str, becomes: str
) -> None:
    """The table lets none through, but another version's table might have."""
    played(store, rounds=1)
    turn = next(iter(SEAT.turns(_episode(store))))
    assert refused(turn, sample_of(turn, SEAT, SEAT.state(turn)), SEAT) is None
    assert isinstance(turn.reply, Guidance)
    broken = turn.reply.internal_monologue.replace(was, becomes)
    assert broken != turn.reply.internal_monologue
    other = replace(turn, reply=turn.reply.model_copy(update={"internal_monologue": broken}))
    found = refused(other, sample_of(other, SEAT, SEAT.state(other)), SEAT)
    assert found is not None
    assert found.filter == filter_


def test_a_record_that_is_played_otherwise_now_is_left_out(store: Store, tmp_path: Path) -> None:
    played(store, rounds=2, repeats=2)
    with store.engine.begin() as connection:
        connection.execute(sa.text("update exchanges set request = 'x' where seat = 'tutor' and ordinal = 0"))
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {"not_replayed": 1}
    assert len(rows(into)) == 2


class Broken:
    """A tutor that writes no valid turn in the second round."""

    name = "broken"
    durable = False

    async def reply(self, request: Any) -> Any:
        found = await Tutor().reply(request)
        return {"guidance": ""} if "question 2" in found.guidance else found


def test_of_an_invalid_play_nothing_is_taken(store: Store, tmp_path: Path) -> None:
    played(store, Broken(), rounds=3)
    into = gathered(store, ["one"], tmp_path)
    assert rows(into) == []
    assert dict(into.figures.rejected) == {"invalid_play": 1}
    assert into.figures.sessions == 0


class Faulty:
    """A supervisor that gives no verdict."""

    name = "faulty"
    durable = False

    async def reply(self, request: Any) -> Any:
        return {"is_safe": "perhaps"}


def test_of_a_simulator_fault_nothing_is_taken(store: Store, tmp_path: Path) -> None:
    played(store, more={"faulty": always(Faulty())}, supervisor="faulty", rounds=2)
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {"simulator_fault": 1}


def test_a_silent_tutor_yields_no_row(store: Store, tmp_path: Path) -> None:
    played(store, Silent(), rounds=3, cases=library("cardiology-01", "ent-01"))
    into = gathered(store, ["one"], tmp_path)
    assert rows(into) == rows(into, "multi") == []
    assert dict(into.figures.rejected) == {"asks": 6}


def test_the_socratic_tutor_yields_almost_all_its_turns(store: Store, tmp_path: Path) -> None:
    played(store, Socratic(), rounds=4, cases=library("cardiology-01", "ent-01", "surgery-01"))
    into = gathered(store, ["one"], tmp_path)
    assert len(rows(into)) >= 10
    assert set(into.figures.rejected) <= {"asks"}


def test_the_same_target_for_a_case_is_taken_once(store: Store, tmp_path: Path) -> None:
    same = Tutor(says=lambda view, round_, draft: plain(view, 1, 1), thinks=lambda *_: "The same thought.")
    played(store, same, rounds=3)
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {"duplicate": 2}
    assert [one.about["round"] for one in rows(into)] == [1]


def test_nearly_the_same_target_for_another_case_is_rejected(store: Store, tmp_path: Path) -> None:
    words = " ".join(f"part{n}" for n in range(100))

    def says(view: TutorView, round_: int, draft: int) -> str:
        return f"Let us go through {words}. {'And why?' if 'Ear' in view.door_note else 'How so?'}"

    # Without thinking, targets hold no student's name, in which these rounds differ.
    played(store, Tutor(says=says), rounds=1, cases=library("cardiology-01", "ent-01"))
    assert dict(gathered(store, ["one"], tmp_path).figures.rejected) == {}
    near = gathered(store, ["one"], tmp_path, thinking=False)
    assert dict(near.figures.rejected) == {"near_duplicate": 1}
    assert len(rows(near)) == 1


def test_a_case_held_out_is_in_no_row_and_neither_is_its_near_duplicate(store: Store, tmp_path: Path) -> None:
    one, other, third = library("cardiology-01", "ent-01", "surgery-01")
    door = one.opening.model_copy(update={"door_note": f"{one.opening.door_note} Seen today."})
    near = one.model_copy(update={"id": "near-01", "opening": door})
    played(store, cases=[near, other, third], rounds=2)
    config = [case.model_copy(update={"teaching": case.teaching}) for case in (one, other)]
    held = [case_text(case.content_hash, case.id, SEAT.case_texts(case)) for case in config]
    into = gathered(store, ["one"], tmp_path, held=held)
    assert dict(into.figures.rejected) == {"held_out": 4}
    assert {row.case_id for row in rows(into)} == {"surgery-01"}
    why = [json.loads(line)["why"] for line in into.spool.lines()]
    assert any("near" in text or "with the case cardiology-01" in text for text in why)
    assert any("ent-01 is held out" in text for text in why)


def test_a_passage_ties_cases_however_many_share_it(store: Store, tmp_path: Path) -> None:
    passage = "with a lamp, a rope, two buckets, a ladder and nobody to hold it for her at night"
    cases = []
    for case in list(RoundConfig().opened())[:11]:
        door = f"{case.opening.door_note} She fell {passage}."
        cases.append(case.model_copy(update={"opening": case.opening.model_copy(update={"door_note": door})}))
    played(store, cases=cases, rounds=1)
    assert len({row.cluster for row in rows(gathered(store, ["one"], tmp_path))}) == 1


def test_an_image_that_is_not_at_hand_refuses_its_case_by_name(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from osler.errors import BadInput  # noqa: PLC0415 - beside its only use
    from osler.players.model import messages  # noqa: PLC0415 - beside its only use

    def gone(picture: Any) -> Any:
        raise BadInput("an image of this case is not at hand", where="x.png")

    played(store, cases=library("paediatrics-01", "urology-01"), rounds=2)
    monkeypatch.setattr(messages, "drawn", gone)
    monkeypatch.setattr(messages, "_recent", type(messages._recent)())
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {"image_missing": 1}
    assert {row.case_id for row in rows(into)} == {"urology-01"}
    assert "paediatrics-01" in json.loads(next(iter(into.spool.lines())))["why"]


def test_a_session_below_a_wanted_score_is_left_out_and_so_is_one_without(
    store: Store, tmp_path: Path
) -> None:
    played(store, Socratic(), rounds=3, cases=library("cardiology-01", "ent-01", "surgery-01"))
    scores = {
        one.ordinal: json.loads(one.body)["scores"]["ets_proxy"]["value"]
        for one in store.judgements(store.run("one").id)
    }
    most = max(scores.values())
    assert most > min(scores.values())
    into = gathered(store, ["one"], tmp_path, least=(("ets_proxy", most),))
    assert into.figures.sessions == sum(value == most for value in scores.values())
    assert into.figures.rejected["below"] == sum(value < most for value in scores.values())
    none = gathered(store, ["one"], tmp_path, least=(("no_such_score", 1.0),))
    assert none.figures.sessions == 0
    assert dict(none.figures.rejected) == {"unscored": 3}


def test_a_case_that_shows_a_picture_of_a_held_out_one_is_in_no_row(tmp_path: Path) -> None:
    records, images = write_mm(tmp_path / "in", 1)
    run = ["round", str(records), "--images", str(images), "--max-rounds", "1", "--students", "1", "--store"]
    assert CliRunner().invoke(app, [*run, f"sqlite:///{tmp_path / 'one.db'}"]).exit_code == 0
    with open_store(f"sqlite:///{tmp_path / 'one.db'}", create=False) as opened:
        runs = opened.runs()
        (held,) = _held(runs, Plan(), str(records))
        elsewhere = held._replace(hash="f" * 32, id="elsewhere", runs=frozenset())
        into = gathered(opened, [runs[0].name], tmp_path, held=[elsewhere])
        assert dict(into.figures.rejected) == {"held_out": 1}
        assert "they show the same picture" in json.loads(next(iter(into.spool.lines())))["why"]
