"""The rows of a data set: their number and weights, and that their prompts are those that were given."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from osler.core.factory import always
from osler.errors import BadInput
from osler.models.types import Completion, CompletionRequest
from osler.protocols.ward_round.model.players import ModelTutor
from osler.protocols.ward_round.seats import SafetyCheck
from osler.store.store import Store
from osler.training.samples import Sample
from osler.training.state import chat_of, images_in, text_of
from osler.training.task import Breach, trained_seat
from tests.training.dataset.playing import CASES, Tutor, gathered, library, plain, played, rows

SEAT = trained_seat("ward_round")


@pytest.fixture
def sessions(store: Store) -> list[str]:
    """Sessions of 5, 4, 3 and 1 rounds."""
    names = []
    for case, most in zip(CASES, (5, 4, 3, 1), strict=False):
        played(store, name=f"rounds-{most}", rounds=most, cases=library(case))
        names.append(f"rounds-{most}")
    return names


def test_sessions_of_5_4_3_and_1_rounds_give_13_single_rows_and_4_conversations(
    store: Store, sessions: list[str], tmp_path: Path
) -> None:
    into = gathered(store, sessions, tmp_path)
    assert len(rows(into)) == 13
    assert sorted(len(one.target_spans) for one in rows(into, "multi")) == [1, 3, 4, 5]
    assert dict(into.figures.rejected) == {}
    assert into.figures.sessions == 4


def test_the_published_prefixes_and_their_weights(store: Store, sessions: list[str], tmp_path: Path) -> None:
    into = gathered(store, sessions, tmp_path, prefixes="published")
    by_session = defaultdict[str, list[Sample]](list)
    for one in rows(into, "multi"):
        by_session[one.episode].append(one)
    sizes = {max(len(one.target_spans) for one in each): len(each) for each in by_session.values()}
    assert sizes[1] == 1
    assert sizes[3] == 2
    assert sizes[4] in (2, 3)
    assert sizes[5] in (2, 3)
    for each in by_session.values():
        weights = defaultdict[int, float](float)
        for one in each:
            for at, weight in zip(one.target_spans, one.weights, strict=True):
                weights[at] += weight
        assert all(weight == pytest.approx(1) for weight in weights.values())
    theirs = gathered(store, sessions, tmp_path, prefixes="published", weights="published")
    assert {weight for one in rows(theirs, "multi") for weight in one.weights} == {1.0}


def test_a_fifth_of_the_longer_sessions_has_its_first_three_rounds_as_a_row(
    store: Store, tmp_path: Path
) -> None:
    played(store, rounds=4, repeats=40, students=1)
    into = gathered(store, ["one"], tmp_path, prefixes="published", kinds=("multi",))
    prefixes = [one.prefix for one in rows(into, "multi")]
    whole = prefixes.count(0)
    assert prefixes.count(2) == whole
    assert 0 < prefixes.count(3) < whole / 2


class Fake:
    """A client that notes what it is sent, and answers with a valid turn."""

    def __init__(self) -> None:
        self.sent: dict[str, list[Any]] = defaultdict(list)

    async def complete(self, request: CompletionRequest, *, validate: Any = None) -> Completion:
        system = request.messages[0].text
        self.sent[system].append(request.messages)
        names = [line.split('"')[1] for line in system.splitlines() if line.startswith("<think_student")]
        number = len(request.messages)
        note = system.split("<door_note>")[1].split("<")[0]
        tags = [("<think_history>", "</think_history>"), ("<think_question>", "</think_question>")]
        tags += [(f'<think_student student_id="{name}">', "</think_student>") for name in names]
        tags += [("<think_group>", "</think_group>")]
        if "<think_image>" in system:
            tags.append(("<think_image>", "</think_image>"))
        thought = "\n".join(f"{opens}thought {number} on {note}{closes}" for opens, closes in tags)
        before = f"{thought}\n\n" if "<think_group>" in system else ""
        text = f"{before}All of you, number {number} of {note} what follows from that?"
        return Completion(text=text, parsed=validate(text), finish_reason="stop")


@pytest.mark.parametrize("thinking", [True, False])
def test_a_prompt_is_to_the_letter_what_the_tutor_is_sent_when_it_plays(
    store: Store, tmp_path: Path, thinking: bool
) -> None:
    """The released prompts held no step and named another form than the one that was served."""
    client = Fake()
    tutor = ModelTutor(client, "m", moves="text", eyes=True)  # type: ignore[arg-type]  # complete is enough
    cases = library("paediatrics-01", "cardiology-01", "neurology-01")
    more = {"planted": always(tutor)}
    played(store, more=more, cases=cases, rounds=3, settings={"private_thought": thinking})
    into = gathered(store, ["one"], tmp_path)
    found = rows(into)
    assert len(found) == 9
    sent = {json.dumps(chat_of(one)[0]) for each in client.sent.values() for one in each}
    for one in found:
        assert json.dumps(one.messages) in sent
        system = text_of(one.messages[0])
        steps = one.context["steps"]
        assert isinstance(steps, list)
        assert steps
        assert all(isinstance(step, dict) and str(step["summary"])[:40] in system for step in steps)


def test_every_target_is_read_by_the_one_parser_and_markers_are_images(store: Store, tmp_path: Path) -> None:
    played(store, cases=library("paediatrics-01", "ent-01", "cardiology-01"), tutor=None)
    into = gathered(store, ["one"], tmp_path)
    for one in rows(into):
        assert not isinstance(SEAT.read(one, one.target), Breach)
    for one in (*rows(into), *rows(into, "multi")):
        assert images_in(one.messages) == len(one.images)
    assert {len(one.images) for one in rows(into)} >= {1, 2}


def test_thought_and_words_of_a_revised_turn_are_of_one_draft(store: Store, tmp_path: Path) -> None:
    """The released builder took the thought of draft 1 and the words of the last."""

    def says(view: Any, round_: int, draft: int) -> str:
        return "That was stupid. What else?" if draft == 1 else plain(view, round_, draft)

    played(store, Tutor(says=says), rounds=2)
    found = rows(gathered(store, ["one"], tmp_path))
    assert [one.revised for one in found] == [True, True]
    for one in found:
        assert ".2 on " in one.target
        assert ".1 on " not in one.target
        assert "stupid" not in one.target
    talk = rows(gathered(store, ["one"], tmp_path), "multi")[0]
    assert len(talk.target_spans) == 2
    own = [at for at, message in enumerate(talk.messages) if message["role"] == "assistant"]
    assert len(own) == 4
    learnt = [text_of(talk.messages[at]) for at in talk.target_spans]
    assert not any("stupid" in text for text in learnt)
    assert sum("stupid" in text_of(talk.messages[at]) for at in own) == 2


def test_a_revised_round_is_one_round(store: Store, tmp_path: Path) -> None:
    """The released builder ended a round at each line of a draft."""

    def says(view: Any, round_: int, draft: int) -> str:
        return "Shut up." if draft < 3 else plain(view, round_, draft)

    played(store, Tutor(says=says), rounds=4)
    into = gathered(store, ["one"], tmp_path)
    assert len(rows(into)) == 4
    assert dict(into.figures.rounds) == {4: 1}


class Rejecting:
    """A supervisor that approves no draft of the second round."""

    name = "rejecting"
    durable = False

    async def reply(self, request: Any) -> SafetyCheck:
        draft = next(item.text for item in reversed(request.feed) if getattr(item, "part", "") == "draft")
        if "question 2:" in draft:
            return SafetyCheck(is_safe=False, issue_category="tone", feedback_and_suggestion="Error: no.")
        return SafetyCheck(is_safe=True)


def test_a_round_without_approval_is_no_target_and_is_still_told(store: Store, tmp_path: Path) -> None:
    """The released builder trained on the canned words and the errors of such rounds."""
    played(store, more={"rejecting": always(Rejecting())}, supervisor="rejecting", rounds=3)
    into = gathered(store, ["one"], tmp_path)
    assert dict(into.figures.rejected) == {"unapproved": 1}
    found = {one.about["round"]: one for one in rows(into)}
    assert set(found) == {1, 3}
    assert not any("Error" in one.target or "question 2" in one.target for one in found.values())
    assert "Nothing was said to the students" in text_of(found[3].messages[-1])
    line = next(iter(into.spool.lines()))
    assert json.loads(line)["filter"] == "unapproved"


def test_the_patients_last_answer_is_in_the_next_prompt(store: Store, tmp_path: Path) -> None:
    """The released history left it out."""
    played(store, rounds=3, cases=library("neurology-01"))
    asked = [one for one in rows(gathered(store, ["one"], tmp_path)) if one.turn > 0]
    assert asked
    for one in asked:
        last = text_of(one.messages[-1])
        assert "asked_the_patient" not in last or "<patient_says>" in last.partition("asked_the_patient")[2]
    assert any("<patient_says>" in text_of(one.messages[-1]) for one in asked)


def test_without_thinking_prompt_and_target_hold_no_thought(store: Store, tmp_path: Path) -> None:
    played(store, rounds=3)
    into = gathered(store, ["one"], tmp_path, thinking=False)
    found = rows(into)
    assert len(found) == 3
    for one in found:
        assert "think" not in one.target
        assert all("<think_" not in text_of(message) for message in one.messages)
        assert not isinstance(into.seat.read(one, one.target), Breach)


def test_one_student_names_with_accents_and_ten_of_them(store: Store, tmp_path: Path) -> None:
    for students in (1, 10):
        played(store, name=f"of-{students}", students=students, repeats=3, rounds=1)
        found = rows(gathered(store, [f"of-{students}"], tmp_path))
        assert [len(one.about["students"]) for one in found] == [students] * 3  # type: ignore[arg-type]
        assert all("<think_group>" in one.target for one in found)
        assert students == 1 or any(not one.target.isascii() for one in found)


def test_a_row_that_is_too_long_loses_its_earliest_rounds_and_never_its_instruction(
    store: Store, tmp_path: Path
) -> None:
    played(store, rounds=5, cases=library("paediatrics-01"))
    whole = {one.id: one for one in rows(gathered(store, ["one"], tmp_path))}
    longest = max(sum(one.tokens.values()) for one in whole.values())
    into = gathered(store, ["one"], tmp_path, most_tokens=longest - 100)
    short = rows(into)
    assert len(short) == 5
    assert into.figures.dropped["single"] == sum(one.dropped > 0 for one in short) > 0
    for one in (*short, *rows(into, "multi")):
        assert sum(one.tokens.values()) <= longest - 100
        assert one.messages[0]["role"] == "system"
        assert images_in(one.messages) == len(one.images) == 2
    for one in short:
        assert one.messages[0] == whole[one.id].messages[0]
        assert one.messages[-1]["role"] == "user"
        assert one.target == whole[one.id].target
    for talk in rows(into, "multi"):
        assert all(talk.messages[at]["role"] == "assistant" for at in talk.target_spans)
        assert talk.dropped
    none = gathered(store, ["one"], tmp_path, most_tokens=300)
    assert dict(none.figures.rejected) == {"too_long": 5}


def test_runs_of_several_protocols_are_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing"):
        gathered(store, [], tmp_path)


def test_a_run_played_again_with_other_turns_loses_none(store: Store, tmp_path: Path) -> None:
    """The same moments, since a model answers otherwise each time; each turn is a row of its own."""

    def otherwise(view: Any, round_: int, draft: int) -> str:
        return plain(view, round_, draft).replace("question", "matter")

    for name, says in (("one", plain), ("two", otherwise)):
        played(store, Tutor(says=says), name=name, rounds=1, cases=library("ent-01"))
    into = gathered(store, ["one", "two"], tmp_path)
    found = rows(into)
    assert len({one.episode for one in found}) == 1
    assert len(found) == into.figures.turns == 2
    assert len(rows(into, "multi")) == 2
    assert len({one.target for one in found}) == 2
