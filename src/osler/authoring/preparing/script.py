"""The patient's script in the published form: the patient's knowledge, in lay first-person words.

It holds demographics only where the case has them, and nothing of the answer, the results or the steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from osler.cases.answers import names_the_answer
from osler.cases.importers.vignette.roles import measured
from osler.cases.model import Case, Fact
from osler.core.events import Frozen
from osler.knowledge.vocabulary import Topic

_ILLNESS: Final[frozenset[Topic]] = frozenset({"complaint", "course", "associated", "systems"})
_DETAILS: Final[frozenset[Topic]] = frozenset({"character", "modifiers"})
_CONCERNS: Final[frozenset[Topic]] = frozenset({"ideas", "concerns", "expectations", "mood"})

_BANDS: Final = (
    (1, "Infant"),
    (12, "Child"),
    (18, "Adolescent"),
    (40, "Young adult"),
    (65, "Middle-aged"),
    (200, "Older adult"),
)


class Perception(Frozen):
    """A picture as it looks to the patient, who cannot read it."""

    image_id: str
    patient_perception: str


class FactBase(Frozen):
    """The patient's knowledge, in the patient's words."""

    chief_complaint: str
    history_of_present_illness: str = ""
    symptom_details: str = ""
    patient_concerns: str = ""
    related_images: tuple[Perception, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that the patient may say."""
        told = (
            self.chief_complaint,
            self.history_of_present_illness,
            self.symptom_details,
            self.patient_concerns,
            *(perception.patient_perception for perception in self.related_images),
        )
        return tuple(text for text in told if text)


class Script(Frozen):
    """A patient's script. `tags` say which persona it suits."""

    case_id: str
    age_years: float | None = None
    sex: str | None = None
    tags: tuple[str, ...] = ()
    facts: FactBase


def script_of(case: Case) -> Script:
    """The script derived from a structured case: what its speaker knows and would tell. Pure."""
    # A wife or an ambulance crew knows what carers know.
    known = {"patient", case.speaker, *(() if case.speaker in ("patient", "parent") else ("carer",))}
    facts = [fact for fact in case.facts if fact.known_by in known and _may(fact, case)]
    placed = _ILLNESS | _DETAILS | _CONCERNS
    return Script(
        case_id=f"{case.id}_fact_base",
        age_years=case.age_years,
        sex=case.sex,
        tags=tuple(_tags(case)),
        facts=FactBase(
            chief_complaint=case.opening.words,
            history_of_present_illness=_words(f for f in facts if f.topic in _ILLNESS),
            symptom_details=_words(f for f in facts if f.topic in _DETAILS or f.topic not in placed),
            patient_concerns=_words(f for f in facts if f.topic in _CONCERNS),
        ),
    )


def published(script: Script) -> dict[str, Any]:
    """The script as a published record; demographics only where they are known."""
    about = {"age": script.age_years, "gender": script.sex.capitalize() if script.sex else None}
    known = {name: value for name, value in about.items() if value is not None}
    attributes = {"modality": None, "body_part": None, "compatible_persona_tags": list(script.tags)}
    return {
        "case_id": script.case_id,
        "metadata": {**({"demographics": known} if known else {}), "case_attributes": attributes},
        "patient_fact_base": script.facts.model_dump(mode="json"),
    }


def _may(fact: Fact, case: Case) -> bool:
    """Whether a patient may say this: imported facts occasionally recite a value or name the answer."""
    said = fact.spoken or fact.text
    return not measured(said) and not names_the_answer(case, said)


def _words(facts: Iterable[Fact]) -> str:
    return " ".join(dict.fromkeys((fact.spoken or fact.text).strip() for fact in facts))


def _tags(case: Case) -> list[str]:
    """Tags for the kind of patient the case suits, by age and sex."""
    if case.age_years is None:
        return []
    years = case.age_years
    band = next(name for under, name in _BANDS if years < under)
    return [band, *([case.sex.capitalize()] if case.sex else [])]
