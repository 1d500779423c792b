"""One order gives one test: over the whole catalogue, a name brings what it means and nothing else."""

from __future__ import annotations

from typing import Final

import pytest

from osler.knowledge.catalogue import Listed, catalogue, listed
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import (
    WITHIN_LIMITS,
    meant_test,
    named_test,
    normal_result,
    parts_of,
    priced_name,
)
from osler.protocols.consultation.players.examination import match_order
from osler.protocols.consultation.seats import FindingView

GROUPS: Final = tuple(entry for entry in formulary() if entry.grouped and entry.kind == "test")


def of_entry(name: str) -> tuple[Listed, ...]:
    """The names of the catalogue that are charged as one entry of the formulary."""
    return tuple(one for one in listed() if one.entry.name == name)


def held(*names: str) -> tuple[FindingView, ...]:
    """A case that holds each of these results by itself."""
    return tuple(FindingView(id=name, kind="test", name=name, result="Abnormal.") for name in names)


def test_every_name_of_the_catalogue_means_itself() -> None:
    names = {one.name for one in listed()}
    assert {one: (test := named_test(one)) and test.name for one in names} == {one: one for one in names}


def test_the_catalogue_has_both_a_group_and_its_members() -> None:
    assert {"Aldosterone and renin", "Aldosterone", "Renin"} <= set(catalogue())
    assert len(set(catalogue())) == len(catalogue())
    for one in listed():
        if one.entry.kind == "test":
            assert all((test := meant_test(name)) and test.name == one.name for name in one.also), one


@pytest.mark.parametrize("group", [entry.name for entry in GROUPS])
def test_a_member_of_a_group_brings_no_other_member(group: str) -> None:
    members = of_entry(group)
    case = held(*(one.name for one in members))
    for one in members:
        if parts_of(one.name):
            continue  # a panel brings its parts
        for name in (one.name, *one.also):
            brought = match_order(name, case).findings
            strange = [other for other in brought if other != one.name and one.name not in parts_of(other)]
            # Tissue is matched by the part of the body, and a part lies within a larger one.
            assert not strange or "biopsy" in name or "mediastinoscopy" in name, (name, strange)


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ("Renin", ("Aldosterone", "Plasma aldosterone concentration")),
        ("aldosterone", ("Plasma renin activity", "Aldosterone renin ratio")),
        ("insulin", ("C-peptide", "Proinsulin")),
        ("Insulin and C-peptide", ("Proinsulin",)),
        ("5-HIAA", ("Chromogranin A",)),
        ("metanephrines", ("Catecholamines", "Vanillylmandelic acid")),
        ("DHEA sulphate", ("Androstenedione",)),
        ("homocysteine", ("Methylmalonic acid",)),
        ("vitamin A", ("Vitamin E", "Vitamin C")),
        ("caeruloplasmin", ("Urine copper", "Serum copper")),
        ("C3", ("Complement C4", "Total haemolytic complement")),
        ("IgG", ("Immunoglobulin A", "Immunoglobulin M")),
        ("urine sodium", ("Urine potassium", "Sodium")),
        ("MCHC", ("Mean corpuscular haemoglobin", "Mean corpuscular volume")),
        ("mean corpuscular haemoglobin", ("Mean corpuscular haemoglobin concentration",)),
        ("hepatitis E IgM", ("Hepatitis D antibodies",)),
        ("EBV serology", ("Monospot",)),
        ("gene panel", ("Anti-double-stranded DNA antibodies",)),
        ("salivary gland biopsy", ("Schirmer test",)),
        ("group and screen", ("Crossmatch", "Maternal blood group")),
    ],
)
def test_a_single_analyte_brings_nothing_of_another(said: str, others: tuple[str, ...]) -> None:
    assert match_order(said, held(*others)).findings == ()


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("FBC", ("Haemoglobin", "Platelets", "White cell count")),
        ("U&Es", ("Sodium", "Potassium", "Creatinine")),
        ("LFTs", ("Alanine aminotransferase", "Bilirubin")),
        ("Aldosterone and renin", ("Aldosterone", "Renin")),
        ("ARR", ("Plasma aldosterone", "Plasma renin activity")),
        ("aldosterone to renin ratio", ("Aldosterone and renin",)),
        ("complement levels", ("Complement C3", "Complement C4")),
        ("white cell differential", ("Neutrophils", "Eosinophils")),
        ("islet autoantibodies", ("GAD antibodies", "Islet cell antibodies")),
    ],
)
def test_a_panel_that_is_one_order_brings_its_parts(said: str, parts: tuple[str, ...]) -> None:
    assert set(match_order(said, held(*parts)).findings) == set(parts)


def test_a_single_test_is_found_in_the_report_that_contains_it() -> None:
    report = FindingView(
        id="both", kind="test", name="Aldosterone and renin", result="Aldosterone: 900 pmol/L; Renin: 2 mU/L"
    )
    assert match_order("Renin", (report,)).findings == ("both",)


@pytest.mark.parametrize("group", [entry.name for entry in GROUPS])
def test_a_test_that_a_case_does_not_hold_is_answered_under_its_own_name(group: str) -> None:
    entry = next(one for one in GROUPS if one.name == group)
    for one in of_entry(group):
        test = named_test(one.name)
        assert test is not None
        assert priced_name(test, one.name) == one.name
        reply = match_order(one.name, ())
        assert reply.unheld == (one.name,)
        if one.name != entry.name:
            text = normal_result(one.name, entry, 40, "female")
            assert text in (WITHIN_LIMITS, entry.normal)


def test_the_normal_result_of_one_says_nothing_of_the_others() -> None:
    entry = formulary().find("renin")
    assert entry is not None
    assert "ldosterone" not in normal_result("Renin", entry, 40, None)
    assert "ldosterone" in normal_result("Aldosterone and renin", entry, 40, None)
