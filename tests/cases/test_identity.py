"""Identities: every patient has a name, a date of birth and a number, which agree with the case."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.identity import identity_of, made_up, sex_told_by
from osler.cases.model import Case
from osler.cases.personas.traits import names, surnames
from osler.cases.sources import open_source
from osler.knowledge.vocabulary import Identity

CASES = list(open_source("library"))


def age_on(born: date, day: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_library_patient_has_an_identity_of_their_age_and_sex(case: Case) -> None:
    found = identity_of(case)
    assert found == identity_of(case)
    assert found.born
    assert found.number
    assert bool(found.speaker) == (case.speaker != "patient")


@given(key=st.text(max_size=20), age=st.integers(2, 110), sex=st.sampled_from(["female", "male", None]))
def test_a_birth_date_agrees_with_the_age(key: str, age: int, sex: str | None) -> None:
    day = date(2026, 11, 1)
    found = made_up(key, age, sex, on=day)  # type: ignore[arg-type]
    assert found.born
    assert age_on(found.born, day) == age
    assert found.number.startswith("SIM-")
    first = found.name.split()[0]
    lists = [each for place in names().values() for each in ([place[sex]] if sex else place.values())]
    assert any(first in each for each in lists)


@given(months=st.integers(0, 23))
def test_a_baby_is_as_old_as_the_case_says(months: int) -> None:
    day = date(2026, 11, 1)
    born = made_up("x", months / 12, "female", on=day).born
    assert born
    assert round((day - born).days / 365.25 * 12) == months


def test_a_name_that_is_known_is_kept() -> None:
    assert made_up("k", 34, "female", known_as="Ms Rowe").name.endswith(" Rowe")
    assert made_up("k", 3, "male", known_as="Milo").name.startswith("Milo ")
    assert made_up("k", 40, "female", known_as="Ruth Alder").name == "Ruth Alder"


def test_without_an_age_no_birth_date_is_made_up() -> None:
    assert made_up("k", None, None).born is None


def test_a_carer_of_the_family_shares_its_name() -> None:
    found = made_up("k", 3, "male", speaker="mother")
    assert found.speaker
    assert found.speaker.split()[-1] == found.name.split()[-1]
    assert sex_told_by("his mother") == "female"
    assert sex_told_by("a neighbour") is None


def test_every_region_has_family_names() -> None:
    assert surnames().keys() == names().keys()


def test_a_written_identity_is_kept_and_one_that_is_not_leaves_the_hash_alone() -> None:
    case = CASES[0]
    assert "identity" not in case.model_copy(update={"identity": None}).model_dump(mode="json")
    own = Identity(name="Ada Byron", born=date(1968, 1, 2), number="SIM-1")
    written = Case.model_validate(case.model_dump() | {"identity": own.model_dump()})
    assert identity_of(written) == own
    assert own.in_words == "Ada Byron, born 2 January 1968, hospital number SIM-1"
