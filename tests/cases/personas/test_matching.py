"""Who plays a case: by what the case says, then by wishes, then by lot; and what the case says stands."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Case
from osler.cases.personas import PERSONAS, library, persona
from osler.cases.personas.matching import Requirements, as_seat, cohort, match, wanted_by
from osler.cases.personas.people import ADULT_FROM_YEARS, band_of
from osler.cases.sources import open_source
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said
from osler.errors import BadInput
from osler.protocols.shared.patient import PatientReply
from osler.protocols.shared.players.patient import answer
from osler.protocols.shared.views import patient_view
from tests.cases.personas.people import patient

CASES = tuple(open_source("library"))
QUESTIONS = (
    "What brings you in today?",
    "When did it start?",
    "Where does it hurt, and does it go anywhere?",
    "Any other symptoms?",
    "Have you had a fever?",
    "What medicines do you take, and do you have any allergies?",
    "Any illnesses or operations in the past?",
    "Does anything run in the family?",
    "Do you smoke or drink?",
    "What do you do for a living, and who is at home?",
    "What worries you most?",
    "What you tell me stays between us. Do you use drugs?",
    "Many people find this hard to say. How is your mood?",
    "What did the scan show?",
    "Thank you.",
)
wanted_people = st.builds(
    Requirements,
    age_years=st.floats(0, 100),
    sex=st.sampled_from(["female", "male"]),
    tags=st.lists(
        st.sampled_from(["stoic", "Senior Female", "Smoker", "anxious", "retired"]), max_size=3
    ).map(tuple),
)


@given(wanted=wanted_people, seed=st.text(max_size=8))
def test_the_case_says_who_somebody_is(wanted: Requirements, seed: str) -> None:
    chosen = match(wanted, library.patients(), seed)
    assert (chosen.demographics.age, chosen.sex) == (wanted.age_years, wanted.sex)
    own = library.patient(chosen.persona_id)
    assert own is not None
    assert own.sex == wanted.sex
    assert own.demographics.age is not None
    assert wanted.age_years is not None
    assert band_of(own.demographics.age) == band_of(wanted.age_years)
    assert own.instruction == chosen.instruction


@given(wanted=wanted_people, seed=st.text(max_size=8), order=st.integers())
def test_the_order_of_a_library_decides_nothing(wanted: Requirements, seed: str, order: int) -> None:
    shuffled = Random(order).sample(library.patients(), len(library.patients()))
    assert match(wanted, shuffled, seed) == match(wanted, library.patients(), seed)


def test_wishes_choose_among_those_of_the_right_age_and_sex() -> None:
    for seed in "abcdef":
        chosen = match(Requirements(age_years=50, sex="male", tags=("Stoic",)), library.patients(), seed)
        assert "stoic" in chosen.persona_tags
        chosen = match(Requirements(tags=("Elderly Woman",)), library.patients(), seed)
        assert chosen.sex == "female"
        assert (chosen.demographics.age or 0) >= 60
        chosen = match(Requirements(age_years=6, sex="female", speaker="father"), library.patients(), seed)
        assert (chosen.demographics.age, chosen.sex) == (6, "female")


def test_the_lot_falls_by_the_seed_and_on_many() -> None:
    wanted = Requirements(age_years=50, sex="male")
    chosen = {match(wanted, library.patients(), str(seed)).persona_id for seed in range(60)}
    assert len(chosen) > 10


def test_a_child_is_played_by_a_grown_up_only_where_there_is_no_child() -> None:
    grown, child = patient(age=70, persona_id="grown"), patient(age=15, gender="Male", persona_id="child")
    wanted = Requirements(age_years=5, sex="female")
    assert match(wanted, [grown, child], "s").persona_id == "child"
    assert match(wanted, [grown], "s").demographics.age == 5
    with pytest.raises(BadInput):
        match(wanted, [], "s")


def test_a_seat_is_told_that_the_case_stands_and_who_speaks() -> None:
    seat = as_seat(patient(archetype="The Anxious Worrier"), Requirements(age_years=0.5, speaker="father"))
    assert seat.name == "anxious"
    assert "patient's father" in seat.manner
    assert "the case stands" in seat.manner
    assert "too young" in as_seat(patient(), Requirements(age_years=1)).manner
    for each in library.patients():
        assert as_seat(each).name in PERSONAS


def test_a_cohort_is_of_different_students_and_by_the_seed() -> None:
    first = cohort(library.students(), 10, "world")
    assert len({each.student_id for each in first}) == 10
    assert first == cohort(library.students()[::-1], 10, "world")
    assert first[:3] == cohort(library.students(), 3, "world")
    assert first != cohort(library.students(), 10, "another")
    with pytest.raises(BadInput):
        cohort(first, 11, "world")


@pytest.mark.parametrize("name", ["patient-000", "patient-301", "patient-", "patient-1", "Patient-001"])
def test_a_persona_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="patient-001 to patient-300"):
        persona(name)


def replies(case_number: int, name: str, questions: list[str]) -> list[PatientReply]:
    """What the built-in patient answers in a persona, one question after the other."""
    view = patient_view(CASES[case_number], persona=persona(name), unknown="standard")
    feed: list[Event | OwnReply] = [Said(minute=0, by="patient", text=view.opening)]
    found = []
    for question in questions:
        feed.append(Said(minute=1, by="doctor", text=question))
        reply = answer(Request(view, tuple(feed), "world"))
        feed += [OwnReply(reply), Said(minute=1, by="patient", text=reply.answer)]
        found.append(reply)
    return found


names = st.integers(1, 300).map(lambda number: f"patient-{number:03}") | st.sampled_from(list(PERSONAS))


@given(
    case=st.integers(0, len(CASES) - 1),
    first=names,
    second=names,
    questions=st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=6),
)
def test_swapping_the_persona_changes_no_fact(
    case: int, first: str, second: str, questions: list[str]
) -> None:
    plain = replies(case, "plain", questions)
    for one, other, bare in zip(
        replies(case, first, questions), replies(case, second, questions), plain, strict=True
    ):
        assert one.revealed_facts == other.revealed_facts == bare.revealed_facts
        assert one.unanswered_reason == other.unanswered_reason
        if bare.revealed_facts:
            assert bare.answer in one.answer
            assert bare.answer in other.answer


@given(case=st.sampled_from(CASES), first=names, second=names)
def test_swapping_the_persona_changes_nothing_else_of_the_view(case: Case, first: str, second: str) -> None:
    one, other = (patient_view(case, persona=persona(name), unknown="standard") for name in (first, second))
    assert one.model_dump(exclude={"persona"}) == other.model_dump(exclude={"persona"})


def test_a_case_of_ours_is_matched_by_its_own_facts() -> None:
    for case in CASES:
        chosen = match(wanted_by(case), library.patients(), "1")
        assert (chosen.demographics.age, chosen.sex) == (case.age_years, case.sex)
        own = library.patient(chosen.persona_id)
        assert own is not None
        assert ((own.demographics.age or 0) < ADULT_FROM_YEARS) == ((case.age_years or 0) < ADULT_FROM_YEARS)
