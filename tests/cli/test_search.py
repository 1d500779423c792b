"""`osler search`: its filters."""

from __future__ import annotations

import pytest

from tests.cli.commands import Osler, value


def test_a_filter_takes_a_role_a_seat_and_what_was_reported(osler: Osler) -> None:
    value(osler("consult", "library", "--limit=1", "--json"))
    everything = value(osler("search", "the", "--limit=500", "--json"))["hits"]
    assert {one["seat"] for one in everything} >= {"doctor", "patient", "result"}
    for seat in ("doctor", "result"):
        hits = value(osler("search", "the", "--seat", seat, "--limit=500", "--json"))["hits"]
        assert hits == [one for one in everything if one["seat"] == seat]
    assert osler("search", "the", "--seat=student_2", "--protocol=ward_round").exit_code == 0


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("--seat=docter",), "doctor"),
        (("--seat=doctor", "--protocol=ward_round"), "tutor"),
        (("--seat=student_x",), "student"),
        (("--seat=docter",), "result"),
        (("--protocol=consultations",), "consultation"),
    ],
)
def test_a_filter_that_is_none_is_refused_with_the_known_ones(
    osler: Osler, words: tuple[str, ...], known: str
) -> None:
    value(osler("consult", "library", "--limit=1", "--json"))
    refused = osler("search", "pain", *words)
    assert refused.exit_code == 1
    said = " ".join(refused.output.split())
    assert "there is no" in said
    assert known in said.partition("known: ")[2]
