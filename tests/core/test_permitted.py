"""The rules of permission, as properties: nothing is permitted that nobody granted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.permitted import (
    PRACTICE,
    READERS,
    USES,
    Permission,
    consent_version,
    end_of,
    kept_people,
    people_in,
    permission,
    together,
)
from osler.errors import BadInput

NOW = 1_000_000.0
uses = st.frozensets(st.sampled_from(USES))
ends = st.none() | st.floats(NOW + 1, NOW + 1e6)
moments = st.floats(NOW, NOW + 2e6)


@st.composite
def permissions(draw: st.DrawFn) -> Permission:
    wanted, end = draw(uses), draw(ends)
    if "share" in wanted and end is None:
        end = NOW + 10
    return permission(wanted, now=NOW, expires=end)


@given(permissions(), moments)
def test_practice_is_always_permitted_and_nothing_that_was_not_granted(one: Permission, now: float) -> None:
    assert one.at(now) >= PRACTICE
    assert one.at(now) <= one.uses


@given(permissions(), moments, moments)
def test_time_only_takes_away(one: Permission, first: float, second: float) -> None:
    earlier, later = sorted((first, second))
    assert one.at(later) <= one.at(earlier)


@given(permissions())
def test_after_its_end_only_practice_is_left(one: Permission) -> None:
    if one.expires is not None:
        assert one.at(one.expires) == PRACTICE


@given(st.lists(permissions(), max_size=4), moments)
def test_together_they_permit_what_each_permits(given_: list[Permission], now: float) -> None:
    found = together(given_, now)
    assert all((use in found) == all(one.allows(use, now) for one in given_) for use in USES)


@given(st.lists(permissions(), min_size=1, max_size=4), permissions(), moments)
def test_one_more_person_never_permits_more(given_: list[Permission], other: Permission, now: float) -> None:
    assert together([*given_, other], now) <= together(given_, now)


@given(uses)
def test_words_are_never_shared_without_an_end(wanted: frozenset[Any]) -> None:
    if "share" in wanted:
        with pytest.raises(BadInput, match="only until a date"):
            permission(wanted, now=NOW)
    else:
        assert permission(wanted, now=NOW).uses == wanted | PRACTICE


@given(st.text(), st.text())
def test_a_changed_text_is_another_consent(one: str, other: str) -> None:
    assert (consent_version(one) == consent_version(other)) == (one == other)


def test_no_reader_gets_by_on_practice() -> None:
    assert set(READERS.values()) <= set(USES) - PRACTICE


@pytest.mark.parametrize(
    ("configuration", "manifest", "seats"),
    [
        ({"doctor": "person", "patient": "baseline"}, {}, ("doctor",)),
        ({"doctor": "person+memory", "patient": "model:person"}, {}, ("doctor",)),
        ({"tutor": "baseline", "student": ["person", "baseline"]}, {}, ("student",)),
        ({"tutor": "baseline", "student": ["person", "baseline"]}, {"people": ["student_1"]}, ("student_1",)),
        ({"doctor": "external"}, {}, ("doctor",)),
        ({"doctor": "external"}, {"people": []}, ()),
        ({"doctor": "external", "patient": "person"}, {"people": []}, ("patient",)),
        ({"doctor": "python:room:Player"}, {"people": ["doctor"]}, ("doctor",)),
        ({"doctor": "baseline", "cases": "person", "only": "person", "say": "person"}, {}, ()),
        ({"doctor": "baseline", "settings": {"options": "person"}}, {}, ()),
        ({}, {}, ()),
    ],
)
def test_where_people_sit_is_read_from_the_manifest(
    configuration: dict[str, Any], manifest: dict[str, Any], seats: tuple[str, ...]
) -> None:
    assert people_in({"configuration": configuration, **manifest}) == seats


def test_the_people_of_a_kept_part_are_read_from_the_branch() -> None:
    branch = {"at": 4, "kept_by": ["doctor=person", "patient=model:m", "tutor=external"]}
    assert kept_people({"configuration": {"doctor": "baseline", "branch": branch}}) == ("doctor", "tutor")
    assert kept_people({"configuration": {"doctor": "person"}}) == ()


def test_a_day_ends_at_midnight() -> None:
    assert end_of("1970-01-01") == 86_400
    for wrong in ("", "31-01-2030", "2030-02-30", "tomorrow", "2030-01-01T10:00"):
        with pytest.raises(BadInput, match="is not a date"):
            end_of(wrong)


@pytest.mark.parametrize("wrong", [{"expires": NOW}, {"pseudonym": "a\nb"}, {"pseudonym": "x" * 61}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        permission(["research"], now=NOW, **wrong)
