"""The audit: our library passes, and each fault planted in it fails its own item."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from osler.cases.personas import library
from osler.cases.personas.audit import Audit, audit
from osler.cases.personas.audit_texts import wording
from osler.cases.personas.files import Library, read_library
from osler.cases.personas.people import PatientPersona

SHARED = Path(__file__).parents[4] / "shared" / "data" / "medtutor" / "patient_personas_60.json"
Spoil = Callable[[int, PatientPersona], PatientPersona]


def failed(found: Audit) -> set[str]:
    """The questions of an audit that do not hold."""
    return {item.question for item in found.items if item.holds is False}


def of(patients: tuple[PatientPersona, ...]) -> Audit:
    """The audit of some patients."""
    return audit(Library(patients))[0]


def with_traits(persona: PatientPersona, **changed: str) -> PatientPersona:
    """A persona with other personality traits."""
    traits = persona.personality_traits.model_copy(update=changed)
    return persona.model_copy(update={"personality_traits": traits})


def with_background(persona: PatientPersona, **changed: str) -> PatientPersona:
    """A persona with another background."""
    return persona.model_copy(update={"background": persona.background.model_copy(update=changed)})


def test_our_library_passes_whole() -> None:
    for found in audit(Library(library.patients(), library.students())):
        assert found.holds
        assert all(item.holds for item in found.items), found.kind
        for tie in found.ties:
            assert not tie.judged or (tie.v is not None and tie.v <= 0.1)
            if {tie.first, tie.second} <= {
                "sex",
                "age band",
                "archetype",
                "attitude",
                "year",
                "role",
                "level",
            }:
                # Here even the uncorrected figure is small: it is balanced by design.
                assert not tie.judged or (tie.raw is not None and tie.raw <= 0.1)


def stoic_men(place: int, persona: PatientPersona) -> PatientPersona:
    """Half of the men are stoic, as the stereotype has it."""
    if persona.sex != "male" or place % 2:
        return persona
    return with_traits(persona, core_archetype="The Quiet Bearer", attitude_towards_doctors="Once Burned")


PLANTED: list[tuple[str, Spoil]] = [
    (
        "archetype is spread",
        lambda place, each: with_traits(each, core_archetype="The Optimist") if place < 100 else each,
    ),
    (
        "occupation is spread",
        lambda place, each: with_background(each, occupation="Clerk") if place % 5 == 0 else each,
    ),
    ("no trait is associated with a demographic one", stoic_men),
    (
        "no group is mostly of one kind",
        lambda place, each: (
            with_traits(each, core_archetype="The Doubter") if "teenager" in each.persona_tags else each
        ),
    ),
    (
        "no phrase ties a trait to a group",
        lambda place, each: (
            each.model_copy(
                update={
                    "style_prompt_for_llm": each.style_prompt_for_llm + " You fuss, like most old ladies."
                }
            )
            if place == 7
            else each
        ),
    ),
    (
        "no persona contradicts a rule",
        lambda place, each: with_background(each, description="Has diabetes.") if place == 7 else each,
    ),
    ("no field is empty", lambda place, each: with_background(each, occupation="") if place == 7 else each),
    (
        "no persona is duplicated",
        lambda place, each: each.model_copy(update={"persona_id": "patient-001"}) if place == 7 else each,
    ),
    (
        "no two instructions are near-duplicates",
        lambda place, each: (
            each.model_copy(
                update={"style_prompt_for_llm": library.patients()[8].style_prompt_for_llm + " Be brief."}
            )
            if place == 7
            else each
        ),
    ),
    (
        "instructions do not repeat each other",
        lambda place, each: each.model_copy(
            update={
                "style_prompt_for_llm": " ".join(
                    [
                        "You are kind.",
                        "You listen.",
                        "You wait your turn and answer what you are asked.",
                        "You stay.",
                    ]
                    * 3
                    + [f"Your number is {place}."]
                )
            }
        ),
    ),
]


@pytest.mark.parametrize(("question", "spoil"), PLANTED, ids=[question for question, _ in PLANTED])
def test_a_planted_fault_is_found(question: str, spoil: Spoil) -> None:
    spoilt = tuple(spoil(place, each) for place, each in enumerate(library.patients()))
    assert question in failed(of(spoilt))


def test_few_personas_are_shown_and_not_judged() -> None:
    found = of(library.patients()[:12])
    by_question = {item.question: item for item in found.items}
    assert by_question["archetype is spread"].holds is None
    assert by_question["no trait is associated with a demographic one"].holds is None
    assert found.holds


def test_a_trait_that_is_nowhere_stated_is_said_to_be_open() -> None:
    bare = tuple(each.model_copy(update={"persona_tags": ("adult",)}) for each in library.patients())
    item = next(item for item in of(bare).items if item.question == "knowledge is spread")
    assert item.holds is None
    assert item.found == "nowhere stated"


def test_counts_are_of_every_label_and_shares_have_their_interval() -> None:
    share = next(share for share in of(library.patients()).shares if share.trait == "sex")
    assert share.counts == {"male": 150, "female": 150}
    assert (share.n, share.missing, share.labels, share.effective) == (300, 0, 2, 2.0)
    # Wilson's interval for 150 of 300
    assert (share.low, share.high) == pytest.approx((0.4438, 0.5562), abs=1e-4)


def test_name_age_and_work_do_not_make_a_sentence_new() -> None:
    first, second = (
        library.patients()[0].model_copy(
            update={
                "style_prompt_for_llm": f"As {name}, a {age}-year-old {work}, you hum.",
                "demographics": library.patients()[0].demographics.model_copy(
                    update={"name": name, "age": age}
                ),
                "background": library.patients()[0].background.model_copy(update={"occupation": work}),
            }
        )
        for name, age, work in (("Wren", 40, "Florist"), ("Otto", 51, "Baker"))
    )
    found = wording((first, second))
    assert (found.sentences, found.different, found.most) == (2, 1, 2)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared sample data are not here")
def test_the_known_skew_of_the_published_sample_is_reported() -> None:
    found = of(read_library(SHARED).patients)
    assert not found.holds
    assert {
        "sex is spread",
        "age band is spread",
        "occupation is spread",
        "education is spread",
        "archetype is spread",
        "attitude is spread",
        "no trait is associated with a demographic one",
    } <= failed(found)
    shares = {share.trait: share for share in found.shares}
    assert shares["sex"].counts == {"female": 51, "male": 9}
    assert shares["occupation"].counts["retired teacher"] == 52
    assert shares["archetype"].counts["inquisitive analyst"] == 35
