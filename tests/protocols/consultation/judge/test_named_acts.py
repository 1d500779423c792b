"""An act is named where it is ordered, not where it is refused."""

from __future__ import annotations

import pytest

from osler.judging.scores import QUOTE
from osler.protocols.consultation.judge.named_acts import Terms

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
        "Do not forget to give nitrates",
        "Do not start morphine, give nitrates",
        "Do not give morphine and start nitrates",
        "If not contraindicated give nitrates",
        "No, give nitrates",
        "Not only give nitrates, repeat them",
        "Nitrates: avoid a dose within a day of sildenafil",
        "If not, give nitrates",
        "Nitrates: there is no rash",
        "Give nitrates; document the aspirin allergy",
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
        "Do not give nitrates",
        "never ever give nitrates",
        "Do not, under any circumstances, give nitrates",
        "Do not routinely start nitrates",
        "Not recommended to give nitrates",
        "Nitrates: avoid",
        "She shouldn't use nitrates",
        "You can’t offer her nitrates",
        "There is no need to start nitrates",
        "no indication to give nitrates",
        "Avoid the use of nitrates",
        "Must not prescribe nitrates",
        "Never start, continue or give nitrates",
        "Do not use morphine or start nitrates",
        "Do not give her any more nitrates",
        "nitrated polymers",
        "peroxynitrate",
    ],
)
def test_a_refused_act_or_another_word_is_not(text: str) -> None:
    assert "nitrate" not in NITRATE.named([text])


VERBS = (
    "give start begin administer prescribe continue offer arrange order commence use initiate perform refer"
).split()


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "refusal", ["do not", "never", "don't", "don’t", "avoid", "no need to", "must not", "should not"]
)
def test_an_order_verb_belongs_to_the_refusal_before_it(refusal: str, verb: str) -> None:
    assert NITRATE.named([f"{refusal.capitalize()} {verb} nitrates."]) == {}
    assert "nitrate" in NITRATE.named([f"{verb} nitrates"])
    assert "nitrate" in NITRATE.named([f"{refusal} delay: {verb} nitrates"])


@pytest.mark.parametrize(
    "text",
    [
        "Document the aspirin allergy",
        "Chosen with the aspirin rash in mind",
        "An aspirin-allergic woman",
        "aspirin-induced skin reaction",
        "Past anaphylaxis to aspirin",
        "intolerance of fish; reaction to aspirin",
        "A non-aspirin regimen",
    ],
)
def test_a_reaction_to_a_drug_is_not_the_drug(text: str) -> None:
    assert NITRATE.named([text]) == {}


@pytest.mark.parametrize(
    "text", ["Aspirin 300 mg for the pain", "Treat the rash with aspirin", "Aspirin; watch for a rash"]
)
def test_a_drug_given_near_a_reaction_is_still_given(text: str) -> None:
    assert set(NITRATE.named([text])) == {"aspirin"}


def test_asking_about_reactions_is_asking_about_allergy() -> None:
    assert Terms({"allergy": ("allergy", "allergic")}).named(["Ever had an allergic reaction?"])


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
    assert "nitrate" not in NITRATE.named(["never give, " * 2_000 + "nitrate", "not " * 5_000 + "nitrate"])
