"""Which test a name means: one name, one test."""

from __future__ import annotations

import pytest

from osler.knowledge.body_regions import overlap, regions_in
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import corrected, meant_test, named_test, parts_of
from osler.knowledge.order_names import words


def named(name: str) -> str | None:
    test = meant_test(name)
    return test.name if test else None


def test_every_entry_of_the_formulary_keeps_its_own_name() -> None:
    strange = {entry.name for entry in formulary() if named(entry.name) != entry.name}
    assert strange == set()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("renin", "aldosterone"),
        ("factor VIII", "factor IX"),
        ("anti-Ro", "anti-La"),
        ("AChR antibodies", "MuSK antibodies"),
        ("hepatitis C antibody", "HCV RNA"),
        ("thyroglobulin", "thyroglobulin antibodies"),
        ("urine sodium", "sodium"),
        ("hepatitis B core IgM", "hepatitis B core IgG"),
        ("metanephrines", "catecholamines"),
    ],
)
def test_tests_of_one_price_are_told_apart(one: str, other: str) -> None:
    assert named(one) is not None
    assert named(one) != named(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AChR-Ab serology", "Acetylcholine receptor antibodies"),
        ("anti-tTG IgA", "tissue transglutaminase antibody"),
        ("plasma renin activity", "renin"),
        ("urgent fasting lipid profile", "lipids"),
        ("EKG", "12-lead electrocardiogram"),
    ],
)
def test_one_test_has_many_names(one: str, other: str) -> None:
    assert named(one) == named(other) is not None


@pytest.mark.parametrize(
    "name", ["flurbin IgG", "zonulin protein", "quantum aura scan", "sodium of the urine sediment X"]
)
def test_an_unknown_test_is_not_taken_for_a_known_one(name: str) -> None:
    assert named(name) not in ("Immunoglobulin G", "Total protein", "Sodium")


def test_panels_hold_their_parts() -> None:
    assert "Haemoglobin" in parts_of("Full blood count")
    assert "Renin" in parts_of("Aldosterone and renin")
    assert "MuSK antibodies" not in parts_of("Acetylcholine receptor antibodies")


def test_a_misspelt_word_is_corrected_and_a_known_one_left() -> None:
    assert corrected("echocardigram") == "echocardiogram"
    assert corrected("thyroid") == "thyroid"
    assert named_test("echocardigram") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("lumbar spine", "cervical spine", False),
        ("whole spine", "lumbar spine", True),
        ("abdomen", "liver", True),
        ("brain", "head", True),
        ("left leg", "right arm", False),
        ("chest", "abdomen", False),
    ],
)
def test_regions_overlap_if_one_lies_within_the_other(one: str, other: str, same: bool) -> None:
    assert overlap(regions_in(words(one)), regions_in(words(other))) is same
