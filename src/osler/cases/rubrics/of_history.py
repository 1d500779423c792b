"""The rubric of a case's history: what a doctor must ask this patient about, in the published format.

It holds an item for each topic on which the patient has something to tell when asked, and nothing of what
that is, nor of examination, tests, diagnosis or manner: it judges any recorded interview of the same
complaint, whoever the patient was.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from osler.cases.model import Case
from osler.cases.rubrics.model import COMPETENCIES, KNOWN_VERSIONS, Rubric, items_of
from osler.errors import BadInput
from osler.knowledge.vocabulary import Topic

SCENARIO: Final = "history"
_ASKS: Final[Mapping[Topic, str]] = MappingProxyType(
    {
        "course": "Asks when it began and how it went on",
        "character": "Asks about the character, the site and the severity",
        "modifiers": "Asks what makes it better or worse",
        "associated": "Asks about associated symptoms",
        "systems": "Asks about symptoms of other systems",
        "past_medical": "Asks about past medical history",
        "past_surgical": "Asks about operations",
        "medications": "Asks what medicines they take",
        "allergies": "Asks about allergies",
        "family": "Asks about illness in the family",
        "tobacco": "Asks about smoking",
        "alcohol": "Asks about alcohol",
        "drugs": "Asks about recreational drugs",
        "occupation": "Asks about work",
        "home": "Asks who they live with",
        "travel": "Asks about travel",
        "exposure": "Asks about exposure to sick contacts",
        "sexual": "Asks about sexual history",
        "gynaecological": "Asks about periods",
        "birth": "Asks about birth and development",
        "immunization": "Asks about vaccinations",
        "diet": "Asks about diet and exercise",
        "mood": "Asks about mood",
        "ideas": "Asks what they think it is",
        "concerns": "Asks what worries them",
        "expectations": "Asks what they hope for",
    }
)


def history_rubric(case: Case) -> Rubric:
    """The rubric of a case's history. Raises BadInput where there is nothing to ask for."""
    topics = {fact.topic for fact in case.facts if fact.told != "volunteered"}
    texts = [words for topic, words in _ASKS.items() if topic in topics]
    if not texts:
        raise BadInput("its patient has nothing to tell when asked", where=case.id, hint="name another case")
    layout = ("case_id", "scenario", "rubric_version", *COMPETENCIES)
    return Rubric(
        case_id=case.id,
        scenario=SCENARIO,
        version=KNOWN_VERSIONS[-1],
        items=items_of([("PC", text) for text in texts]),
        layout=layout,
    )
