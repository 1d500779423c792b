"""An act is named where it is ordered, not where it is refused."""

from __future__ import annotations

import pytest

from osler.judging.terms import QUOTE, Terms

NITRATE = Terms({"nitrate": ("nitrate", "glyceryl trinitrate"), "aspirin": ("aspirin",)})


@pytest.mark.parametrize(
    "text",
    [
        "Give nitrates under the tongue",
        "Start glyceryl-trinitrate at once.",
        "No fever; nitrate now",
        "Avoid morphine, give nitrate",
        "Not sure, but nitrate may help",
        "NITRATE spray",
    ],
)
def test_an_ordered_act_is_named(text: str) -> None:
    assert NITRATE.named([text]) == {"nitrate": text}


@pytest.mark.parametrize(
    "text",
    [
        "Avoid nitrates",
        "no morphine or nitrates",
        "Do not give: it is late. Nitrates are contraindicated",
        "Nitrates should be avoided",
        "stop the nitrate",
        "Nitrates must not be given",
        "withhold aspirin and nitrates",
        "nitrated polymers",
        "peroxynitrate",
    ],
)
def test_a_refused_act_or_another_word_is_not(text: str) -> None:
    assert "nitrate" not in NITRATE.named([text])


def test_a_longer_term_also_names_the_shorter_one_in_it() -> None:
    terms = Terms({"any oxygen": ("oxygen",), "high flow": ("high flow oxygen",)})
    assert set(terms.named(["High-flow oxygen"])) == {"any oxygen", "high flow"}


def test_quotes_are_short_and_no_terms_name_nothing() -> None:
    [quote] = NITRATE.named(["x " * 2000 + "aspirin" + " y" * 2000]).values()
    assert "aspirin" in quote
    assert len(quote) <= QUOTE
    assert Terms({}).named(["aspirin"]) == {}


def test_hostile_text_is_read_quickly_as_text() -> None:
    assert NITRATE.named(["avoid " * 20_000, "(.*)+$" * 5_000, "\x00" * 10_000]) == {}
