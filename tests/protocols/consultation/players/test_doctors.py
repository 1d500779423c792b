"""The doctors: how the built-in one reasons, and what the trivial, privileged and scripted ones do."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.core.contract import OwnReply, Player, Request
from osler.core.events import Event, Noticed, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.errors import BadInput
from osler.knowledge.conditions import AgeBand, knowledge
from osler.knowledge.findings import Finding
from osler.knowledge.first_orders import first_steps
from osler.knowledge.formulary import formulary
from osler.players.scripted import Scripted, from_file
from osler.protocols.consultation.events import Advised, ConsultAsked
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.consultant_question import asked_of_consultant
from osler.protocols.consultation.players.doctor import LOST, OPENERS, BaselineDoctor
from osler.protocols.consultation.players.doctor_belief import tables
from osler.protocols.consultation.players.doctor_notes import read_answer
from osler.protocols.consultation.players.oracle import Oracle, OraclePlan
from osler.protocols.consultation.players.trivial import AlwaysConclude, NullDoctor
from osler.protocols.consultation.seats import (
    DOCTOR,
    Ask,
    CallMdt,
    ConsultantView,
    DoctorTurn,
    DoctorView,
    Finalize,
    RequestTest,
    TaskView,
    Wait,
)

DIAGNOSE = TaskView(kind="diagnosis", question="What is the diagnosis?")


def view(**changed: Any) -> DoctorView:
    usual = {
        "door_note": "Chest ache.",
        "patient_opening": "I've got this ache in my chest.",
        "age_years": 58,
        "sex": "female",
        "task": DIAGNOSE,
        "max_total_turns": 20,
        "max_tests_per_visit": 10,
        "max_visits": 3,
        "has_consultant": False,
    }
    return DoctorView.model_validate(usual | changed)


def turn(number: int = 1, *, left: int = 19, last_chance: bool = False, tests_left: int = 10) -> TurnBegan:
    return TurnBegan(
        minute=number,
        turn=number,
        turns_left=left,
        tests_left=tests_left,
        minutes_left=200,
        cost_left=None,
        last_chance=last_chance,
    )


def said(text: str) -> Said:
    return Said(minute=0, by="patient", text=text)


def answered(*pairs: tuple[BaseModel, Event]) -> list[Event | OwnReply]:
    return [item for reply, event in pairs for item in (OwnReply(reply), event)]


def result(order: int, name: str, text: str, *, returned: bool = True) -> Resulted:
    return Resulted(minute=order, order=order, name=name, returned=returned, text=text)


def reply(player: Player, seen: BaseModel, feed: Iterable[Event | OwnReply]) -> Any:
    return asyncio.run(player.reply(Request(seen, tuple(feed), "world")))


class Bedside:
    """A patient and a service made of what somebody knows; plays a doctor to the end."""

    def __init__(self, present: Iterable[str], **changed: Any) -> None:
        self.present, self.view = set(present), view(**changed)
        self.known = {item.id: item for item in knowledge().findings}
        self.moves: list[Any] = []
        self._told = 0

    def play(self, doctor: Player) -> Finalize:
        feed: list[Event | OwnReply] = [said(self.view.patient_opening)]
        for number in range(1, self.view.max_total_turns + 2):
            left = self.view.max_total_turns - number
            feed.append(turn(min(number, 20), left=max(0, left), last_chance=left < 0))
            move = reply(doctor, self.view, feed)
            self.moves.append(move)
            if isinstance(move, Finalize):
                return move
            feed += [OwnReply(move), *self._answer(move)]
        raise AssertionError("the doctor never concluded")

    def _answer(self, move: Ask | RequestTest | CallMdt | Wait) -> Sequence[Event]:
        if isinstance(move, Ask):
            return [said(self._say(move.question))]
        assert isinstance(move, RequestTest), f"nothing was pending: {move}"
        of = tables(knowledge())
        shown = [knowledge().findings[i] for i in of.actions[of.at[move.test_name]].columns]
        abnormal = "; ".join(_words(item) for item in shown if item.id in self.present)
        orders = sum(isinstance(earlier, RequestTest) for earlier in self.moves)
        return [result(orders, move.test_name, abnormal or "Normal.")]

    def _say(self, question: str) -> str:
        if question in OPENERS:
            symptoms = [i for i in sorted(self.present) if self.known[i].kind == "symptom"]
            self._told += 2
            return ". ".join(f"I have {_words(self.known[i])}" for i in symptoms[self._told - 2 : self._told])
        asked = next((item for item in self.known.values() if item.ask == question), None)
        return f"Yes, {_words(asked)}." if asked and asked.id in self.present else "No."


def _words(item: Finding) -> str:
    named = (*item.forms, *item.positive)
    return named[0] if named else f"{item.analytes[0]} {'raised' if item.direction == 'high' else 'low'}"


STEMI = [
    "chest_pain",
    "chest_pressure",
    "sweating",
    "nausea",
    "smoker",
    "st_inferior",
    "st_elevation",
    "troponin",
]
MALARIA = [
    "fever",
    "chills",
    "headache",
    "travel_malarial",
    "no_malaria_tablets",
    "malaria_film",
    "platelets_low",
]


@pytest.mark.parametrize(
    ("present", "seen", "diagnosis"),
    [
        (STEMI, {}, "Inferior ST-elevation myocardial infarction"),
        (MALARIA, {"door_note": "Fever.", "patient_opening": "I have a fever.", "age_years": 35}, "Malaria"),
        (
            ["headache", "scalp_tenderness", "jaw_claudication", "esr_high", "crp_high", "temporal_artery"],
            {"door_note": "Headache.", "patient_opening": "I have a headache.", "age_years": 70},
            "Giant cell arteritis",
        ),
    ],
)
def test_the_baseline_finds_what_it_knows(present: list[str], seen: dict[str, Any], diagnosis: str) -> None:
    bedside = Bedside(present, **seen)
    final = bedside.play(BaselineDoctor())
    assert final.diagnosis == diagnosis
    assert final.working_diagnoses[0].name == diagnosis
    assert final.evidence
    assert final.plan
    assert "Seek help" in final.followup
    assert len(bedside.moves) <= 14


def test_the_baseline_is_mostly_right_on_patients_drawn_from_its_own_knowledge() -> None:
    known, rng, right = knowledge(), Random(7), 0
    drawn = [rng.randrange(len(known.conditions)) for _ in range(40)]
    for row in drawn:
        item = known.conditions[row]
        present = {f.id for f, p in zip(known.findings, known.present[row], strict=True) if rng.random() < p}
        complaint = next((i for i in item.findings if i in present), "fatigue")
        ages = [band for band in item.ages if band.factor >= 0.5] or [AgeBand(30, 60, 1)]
        sex = max(item.sex, key=lambda which: item.sex[which]) if item.sex else "male"
        words = _words(next(f for f in known.findings if f.id == complaint))
        opening = f"I have {words}."
        bedside = Bedside(present, door_note="", patient_opening=opening, age_years=ages[0][0] + 1, sex=sex)
        right += bedside.play(BaselineDoctor()).diagnosis == item.name
    assert right >= 30


def test_broad_questions_come_before_narrow_ones() -> None:
    bedside = Bedside(STEMI)
    bedside.play(BaselineDoctor())
    assert [move.question for move in bedside.moves[: len(OPENERS)]] == list(OPENERS)


def test_every_move_before_the_end_says_what_the_doctor_thinks() -> None:
    bedside = Bedside(STEMI)
    bedside.play(BaselineDoctor())
    for move in bedside.moves:
        chances = [line.confidence for line in move.working_diagnoses]
        assert len(chances) == 5
        assert chances == sorted(chances, reverse=True)


def test_nothing_is_asked_or_ordered_twice() -> None:
    bedside = Bedside([], door_note="", patient_opening="I don't feel right.")
    bedside.play(BaselineDoctor())
    said_or_ordered = [
        getattr(m, "question", None) or getattr(m, "test_name", None) for m in bedside.moves[:-1]
    ]
    assert len(said_or_ordered) == len(set(said_or_ordered))


def _story(*more: Event | OwnReply) -> list[Event | OwnReply]:
    """A classic heart attack, told in full by the openers."""
    told = [
        "Two hours ago.",
        "A crushing chest pain.",
        "I'm sweating and I feel sick.",
        "I smoke. No medicines.",
    ]
    pairs = [(Ask(question=q), said(a)) for q, a in zip(OPENERS, told, strict=True)]
    return [said("I've got this ache in my chest."), *answered(*pairs), *more]


def test_the_leading_diagnosis_is_put_to_its_test() -> None:
    move = reply(BaselineDoctor(), view(), [*_story(), turn(5)])
    assert isinstance(move, RequestTest)
    assert move.test_name == "Electrocardiogram"


def test_a_bare_answer_answers_the_question_asked() -> None:
    asked = Ask(question="Do you smoke, or have you ever?")
    chance = {}
    for answer in ("Yes.", "I don't remember.", "No, never."):
        feed = [said("A cough with phlegm for years."), *answered((asked, said(answer))), turn(6, left=0)]
        final = reply(BaselineDoctor(), view(door_note="Breathless.", age_years=66, sex="male"), feed)
        lines = {line.name: line.confidence for line in final.working_diagnoses}
        chance[answer] = lines.get("Chronic obstructive pulmonary disease", 0)
    assert chance["Yes."] > chance["I don't remember."] > chance["No, never."]


def test_a_pending_result_is_waited_for() -> None:
    orders = [
        "Electrocardiogram",
        "Troponin",
        "General examination",
        "Vital signs",
        "Cardiovascular examination",
    ]
    feed = _story(*(item for n, name in enumerate(orders, 1) for item in _ordered(n, name)), turn(12))
    moves = []
    while not isinstance(move := reply(BaselineDoctor(), view(), feed), Wait | Finalize):
        moves.append(move)
        event = (
            said("No.") if isinstance(move, Ask) else result(9, "other", "Could not be done", returned=False)
        )
        feed += [OwnReply(move), event, turn(12)]
        assert len(moves) < 15
    assert isinstance(move, Wait)


def test_who_is_short_of_turns_waits_for_what_is_due() -> None:
    vague = answered(*((Ask(question=question), said("No.")) for question in (*OPENERS, LOST)))
    feed = [*vague, *_ordered(1, "Skin biopsy")]
    assert isinstance(reply(BaselineDoctor(), view(), [*feed, turn(6, left=14)]), Ask | RequestTest)
    assert isinstance(reply(BaselineDoctor(), view(), [*feed, turn(17, left=3)]), Wait)


def _ordered(number: int, name: str) -> list[Event | OwnReply]:
    taken = Taken(minute=0, order=number, name=name, ready_minute=60)
    return [OwnReply(RequestTest(test_name=name)), taken]


def test_an_unclear_order_is_placed_once_more_by_its_full_name() -> None:
    refused = result(1, "ESR", "Please order it by its full name.", returned=False)
    feed = _story(OwnReply(RequestTest(test_name="ESR")), refused)
    again = reply(BaselineDoctor(), view(), [*feed, turn(6)])
    assert isinstance(again, RequestTest)
    assert again.test_name == "Erythrocyte sedimentation rate"
    once_more = result(2, again.test_name, "Please order it by its full name.", returned=False)
    third = reply(BaselineDoctor(), view(), [*feed, turn(6), OwnReply(again), once_more, turn(7)])
    assert getattr(third, "test_name", "") not in ("ESR", again.test_name)


@pytest.mark.parametrize(
    "ending",
    [
        [turn(20, left=0)],
        [turn(20, left=0, last_chance=True)],
        [turn(5), Noticed(minute=5, text="Not a valid move: there is nothing to wait for.")],
    ],
    ids=["last turn", "last chance", "after a refused move"],
)
def test_the_baseline_concludes_when_it_must(ending: list[Event]) -> None:
    assert isinstance(reply(BaselineDoctor(), view(), [said("Ache."), *ending]), Finalize)


def test_only_examinations_are_ordered_once_the_tests_are_used_up() -> None:
    of = tables(knowledge())
    feed = _story()
    for number in range(5, 15):
        move = reply(BaselineDoctor(), view(), [*feed, turn(number, tests_left=0)])
        if isinstance(move, Finalize):
            break
        if isinstance(move, RequestTest):
            assert of.actions[of.at[move.test_name]].kind == "examination"
        feed += [turn(number, tests_left=0), OwnReply(move)]
        feed.append(said("No.") if isinstance(move, Ask) else result(number, "it", "Normal."))


OPTIONS = {
    "A": "Pulmonary embolism",
    "B": "Acute myocardial infarction",
    "C": "Panic attack",
    "D": "Unheard of",
}


def test_shown_options_are_answered_by_key() -> None:
    choice = TaskView(kind="choice", question="?", options=OPTIONS)
    result_seen = result(1, "Electrocardiogram", "ST elevation in II, III and aVF")
    feed = _story(OwnReply(RequestTest(test_name="Electrocardiogram")), result_seen, turn(20, left=0))
    final = reply(BaselineDoctor(), view(task=choice), feed)
    assert (final.answer, final.diagnosis) == ("B", OPTIONS["B"])


def test_options_that_are_no_diagnoses_still_get_an_answer() -> None:
    choice = TaskView(kind="choice", question="?", options={"x": "Wait and see", "y": "Treat the chest ache"})
    final = reply(BaselineDoctor(), view(task=choice), [said("An ache in my chest."), turn(20, left=0)])
    assert final.answer == "y"


def test_the_consultant_is_called_at_most_once_and_only_if_there_is_one() -> None:
    for present in (True, False):
        seen = view(
            has_consultant=present, door_note="", patient_opening="I don't feel right.", max_total_turns=60
        )
        feed: list[Event | OwnReply] = [said("I don't feel right.")]
        calls = 0
        for number in range(1, 60):
            feed.append(turn(number, left=60 - number))
            move = reply(BaselineDoctor(), seen, feed)
            if isinstance(move, Finalize):
                break
            calls += isinstance(move, CallMdt)
            event: Event = said("No.")
            if isinstance(move, CallMdt):
                event = Advised(minute=1, note="Think.", next_question="Have you been to the sea?")
            elif isinstance(move, RequestTest):
                orders = 1 + sum(isinstance(i, OwnReply) and isinstance(i.reply, RequestTest) for i in feed)
                event = result(orders, move.test_name, "Normal.")
            feed += [OwnReply(move), event]
        asked = [i.reply.question for i in feed if isinstance(i, OwnReply) and isinstance(i.reply, Ask)]
        assert calls == (1 if present else 0)
        assert ("Have you been to the sea?" in asked) is present


@given(st.lists(st.text(max_size=80), max_size=5), st.booleans(), st.sampled_from([None, 0.1, 40, 90]))
def test_whatever_is_said_the_move_is_valid(texts: list[str], last: bool, age: float | None) -> None:
    feed: list[Event | OwnReply] = [said(text) for text in texts]
    feed += [result(1, text, text) for text in texts]
    feed.append(turn(3, left=5, last_chance=last))
    move = reply(BaselineDoctor(), view(age_years=age, sex=None), feed)
    assert DOCTOR.reply.validate_json(move.model_dump_json()) == move


def test_a_rebuilt_doctor_makes_the_same_move() -> None:
    feed = [*_story(), turn(5)]
    assert reply(BaselineDoctor(), view(), feed) == reply(BaselineDoctor(), view(), feed)


# The consultant


def _consult(feed: Iterable[Event]) -> Any:
    seen = ConsultantView(
        door_note="Chest ache.", patient_opening="An ache.", age_years=58, sex="male", task=DIAGNOSE
    )
    return reply(BaselineConsultant(), seen, feed)


def test_the_consultant_names_three_and_asks_one_question_while_unsure() -> None:
    advice = _consult([said("I've got an ache in my chest.")])
    assert advice.note.count(";") >= 2
    assert advice.next_question
    assert not advice.recommend_finalize


def test_the_consultant_advises_to_conclude_when_the_findings_are_plain() -> None:
    seen: list[Event] = [
        said("A crushing chest pain and I'm sweating."),
        result(1, "Electrocardiogram", "ST elevation in II, III and aVF."),
        result(2, "Troponin", "Troponin raised."),
    ]
    advice = _consult(seen)
    assert advice.recommend_finalize
    assert advice.next_question is None
    assert advice.diagnosis_suggestion == "Inferior ST-elevation myocardial infarction"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you have any allergies?", "Amoxicillin brought me out in an itchy rash when I was six."),
        ("Have you had any illnesses in the past?", "I had a cough and a fever with pneumonia once."),
        ("Do any illnesses run in your family?", "Diabetes, and headaches, all of us."),
    ],
)
def test_what_is_told_of_the_past_is_no_symptom_of_today(question: str, answer: str) -> None:
    def conditions(asked: str, told: str) -> str:
        doctor = Said(minute=0, by="doctor", text=asked)
        return str(_consult([said("A pain low in my tummy."), doctor, said(told)]).note)

    assert conditions(question, answer) == conditions(question, "Nothing that I know of.")
    assert conditions("What else have you noticed?", answer) != conditions(question, answer)


def test_a_history_and_what_was_asked_for_count_in_an_answer_on_the_past() -> None:
    assert dict(read_answer("I had gallstones.", None, "Any illnesses in the past?"))["gallstones_history"]
    assert dict(read_answer("Yes, mouth ulcers.", "mouth_ulcers", "Have you had mouth ulcers?"))[
        "mouth_ulcers"
    ]


# Trivial doctors


def test_null_never_concludes() -> None:
    for ending in (turn(), turn(20, left=0, last_chance=True)):
        assert isinstance(reply(NullDoctor(), view(), [ending]), Ask)


def test_always_conclude_knows_only_age_and_sex() -> None:
    one = reply(AlwaysConclude(), view(), [turn()])
    other = reply(AlwaysConclude(), view(door_note="Rash.", patient_opening="A rash."), [turn()])
    man = reply(AlwaysConclude(), view(sex="male"), [turn()])
    assert isinstance(one, Finalize)
    assert one == other
    assert man.diagnosis != one.diagnosis


def test_always_conclude_picks_an_option_by_a_fixed_rule() -> None:
    choice = TaskView(kind="choice", question="?", options={"B": "b", "A": "a"})
    assert reply(AlwaysConclude(), view(task=choice), [turn()]).answer == "A"


# The oracle

PLAN = OraclePlan(
    asks=(("When did it start?", "two hours ago"), ("When did it start?", "while resting")),
    orders=(("Electrocardiogram", "Electrocardiogram"),),
    final=Finalize(diagnosis="Inferior STEMI"),
)


def _oracle(feed: Iterable[Event | OwnReply]) -> Any:
    return reply(Oracle(PLAN), view(), feed)


def test_the_oracle_is_marked_as_privileged() -> None:
    assert Oracle.privileged


def test_the_oracle_orders_asks_until_told_waits_and_concludes() -> None:
    feed: list[Event | OwnReply] = [said("An ache."), turn(1)]
    order = _oracle(feed)
    assert order == RequestTest(test_name="Electrocardiogram")
    feed += [OwnReply(order), Taken(minute=1, order=1, name="ECG", ready_minute=9), turn(2)]
    first = _oracle(feed)
    assert first == Ask(question="When did it start?")
    feed += [OwnReply(first), said("TWO hours ago, doctor."), turn(3)]
    second = _oracle(feed)
    assert second == Ask(question="When did it start?"), "the second fact is still missing"
    feed += [OwnReply(second), said("It came while resting."), turn(4)]
    wait = _oracle(feed)
    assert wait == Wait()
    feed += [OwnReply(wait), result(1, "ECG", "ST elevation"), turn(5)]
    assert _oracle(feed) == PLAN.final


def test_the_oracle_gives_up_on_a_question_that_is_not_answered() -> None:
    feed: list[Event | OwnReply] = [said("An ache.")]
    feed += [OwnReply(RequestTest(test_name="Electrocardiogram")), result(1, "ECG", "ST elevation")]
    asked = 0
    while isinstance(move := _oracle([*feed, turn(2)]), Ask):
        asked += 1
        assert asked < 6
        feed += [OwnReply(move), said("I don't remember.")]
    assert asked >= 2
    assert move == PLAN.final


@pytest.mark.parametrize("ending", [turn(20, left=0), turn(20, left=5, last_chance=True)])
def test_the_oracle_leaves_room_to_conclude(ending: TurnBegan) -> None:
    assert _oracle([said("An ache."), ending]) == PLAN.final


# The scripted player


def test_a_script_is_told_reply_by_reply_and_counts_refused_attempts() -> None:
    script = Scripted([Ask(question="One?"), {"action": "WAIT"}, RuntimeError("no"), Ask(question="Four?")])
    feed: list[Event | OwnReply] = [turn()]
    assert reply(script, view(), feed) == Ask(question="One?")
    feed.append(OwnReply(Ask(question="One?")))
    assert reply(script, view(), feed) == {"action": "WAIT"}
    feed.append(Noticed(minute=1, text="Not a valid move: nothing to wait for."))
    with pytest.raises(RuntimeError, match="no"):
        reply(script, view(), feed)
    feed.append(Noticed(minute=1, text="Not a valid move: it raised."))
    assert reply(script, view(), feed) == Ask(question="Four?")


def test_an_exhausted_script_says_how_many_replies_it_held() -> None:
    request: DoctorTurn = Request(view(), (OwnReply(Ask(question="One?")),), "world")
    with pytest.raises(ValueError, match=r"1 replies .* number 2"):
        asyncio.run(Scripted([Ask(question="One?")]).reply(request))


def test_a_scripts_fingerprint_depends_on_its_replies_and_their_order_alone() -> None:
    ask, wait = Ask(question="Where?"), Wait()
    made = Scripted([ask, wait]).fingerprint
    assert re.fullmatch("[0-9a-f]{16}", made)
    assert made == Scripted([Ask(question="Where?"), Wait()], name="another").fingerprint
    others = [Scripted([wait, ask]), Scripted([ask]), Scripted([ask, {"action": "WAIT"}])]
    assert len({made, *(other.fingerprint for other in others)}) == 4


def test_a_script_is_read_from_yaml_and_json(tmp_path: Path) -> None:
    for name, text in (
        ("s.yaml", "- {action: ASK, question: 'Why?'}\n"),
        ("s.json", '[{"action": "ASK", "question": "Why?"}]'),
    ):
        (tmp_path / name).write_text(text)
        assert reply(from_file(tmp_path / name), view(), [turn()]) == {"action": "ASK", "question": "Why?"}


@pytest.mark.parametrize(
    "text", ["- [", "action: ASK", "- just words", "!!python/object:os.system {}", "\x00"]
)
def test_a_broken_script_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match="script"):
        from_file(path)


def test_a_missing_script_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        from_file(tmp_path / "none.yaml")


# First steps for a complaint, and what the consultant is asked


def _orders(opening: str, **patient: Any) -> list[Any]:
    bedside = Bedside([], door_note=opening, patient_opening=opening, **patient)
    bedside.play(BaselineDoctor())
    return [getattr(m, "test_name", None) or getattr(m, "question", None) for m in bedside.moves]


@pytest.mark.parametrize(
    ("opening", "patient", "wanted"),
    [
        ("I have a pain low down on the right.", {"age_years": 22, "sex": "female"}, "Pregnancy test"),
        ("I have tummy pain.", {"age_years": 35, "sex": "female"}, "When was your last period?"),
        ("I have chest pain.", {"age_years": 50, "sex": "male"}, "Electrocardiogram"),
        ("I passed out.", {"age_years": 30, "sex": "male"}, "Blood glucose"),
        ("I have tummy pain.", {"age_years": 15, "sex": "male"}, "Genital examination"),
    ],
)
def test_a_complaint_calls_for_its_first_steps(opening: str, patient: dict[str, Any], wanted: str) -> None:
    assert wanted in _orders(opening, **patient)


def test_who_cannot_be_pregnant_is_not_tested_for_it() -> None:
    for patient in ({"age_years": 8, "sex": "female"}, {"age_years": 70, "sex": "female"}):
        assert "Pregnancy test" not in _orders("I have tummy pain.", **patient)
    assert "When was your last period?" not in _orders("I have tummy pain.", age_years=30, sex="male")


def test_every_first_step_is_of_known_findings_and_orders() -> None:
    known = {item.id for item in knowledge().findings}
    for step in first_steps():
        assert step.seen <= known
        assert all(formulary().find(name) for name in step.order)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Should I call gynae now?", "refer"),
        ("Should he be admitted?", "admit"),
        ("can she go home", "admit"),
        ("What dose of morphine?", "treat"),
        ("Should I give antibiotics?", "treat"),
        ("Do I need a CT head?", "test"),
        ("Is it appendicitis?", "diagnosis"),
        ("Shall I tell her husband?", "other"),
        ("What would you ask or do next?", "opinion"),
        ("What do you think?", "opinion"),
        ("", "opinion"),
    ],
)
def test_the_consultant_answers_what_it_is_asked(question: str, kind: str) -> None:
    assert asked_of_consultant(question, knowledge()).kind == kind
    feed = [said("A crushing chest pain, down my left arm."), ConsultAsked(minute=1, question=question)]
    advice = _consult(feed)
    gives_away = advice.diagnosis_suggestion or "infarction" in advice.note.lower()
    assert bool(gives_away) == (kind == "opinion")
