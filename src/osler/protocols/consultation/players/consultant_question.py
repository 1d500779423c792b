"""The kinds of question to a consultant: an opinion, whether to refer, admit, treat or test, a diagnosis."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from osler.knowledge.conditions import Knowledge
from osler.text.tokens import folded

Kind = Literal["opinion", "refer", "admit", "treat", "test", "diagnosis", "other"]


class ConsultantQuestion(NamedTuple):
    """A question to the consultant: its kind, and the specialty or the condition's name that it is about."""

    kind: Kind
    about: str = ""


_TEAMS: Final = {
    "gynaecology": r"gyna?e\w*|gyno|o ?& ?g|obs and gyna?e",
    "obstetrics": r"obstetric\w*|maternity|midwi\w+",
    "surgery": r"surg(?:eons?|ery|ical)(?: team| reg\w*)?|general surgery",
    "cardiology": r"cardio\w*|cath(?:eter)? lab|heart (?:team|attack team)|pci team",
    "neurology": r"neurolog\w*|stroke team",
    "psychiatry": r"psych\w*|crisis team|mental health",
    "urology": r"urolog\w*",
    "respiratory": r"respiratory|chest (?:team|physicians?)|pulmonolog\w*",
    "gastroenterology": r"gastro\w*|endoscop\w*",
    "nephrology": r"renal|nephrolog\w*",
    "endocrinology": r"endocrin\w*|diabetes team",
    "infectious disease": r"infectious diseases?|microbiolog\w*",
    "haematology": r"ha?ematolog\w*",
    "orthopaedics": r"ortho\w*",
    "paediatrics": r"p(?:a)?ediatric\w*",
    "ophthalmology": r"ophthalm\w*|eye (?:team|casualty|surgeons?)",
    "ent": r"ent|ear,? nose and throat",
    "dermatology": r"dermatolog\w*|skin clinic",
    "toxicology": r"poisons?(?: service| centre| center)?|toxicolog\w*",
    "rheumatology": r"rheumatolog\w*",
    "emergency medicine": r"icu|itu|intensive care|critical care|anaesthet\w*|outreach|resus team",
}
"""Teams by the specialty of their conditions, with the words that name them."""
_CALL: Final = (
    r"(?:call|ring|bleep|page|phone|refer|consult|involve|speak (?:to|with)|talk to|get|ask"
    r"|contact|send (?:\w+ ){0,2}to|alert|need)"
)
_REFERS: Final = {
    team: re.compile(rf"\b{_CALL}\b[^.?!]{{0,40}}\b(?:{words})\b") for team, words in _TEAMS.items()
}
_ADMITS: Final = re.compile(
    r"\b(?:admit\w*|admission|keep (?:\w+ )?in|stay in|go(?:ing)? home|send (?:\w+ ){0,2}home|discharg\w+"
    r"|safe to (?:go|leave)"
    r"|out-?patient|hospital|a bed|the ward)\b"
)
_TREATS: Final = re.compile(
    r"\b(?:give|giving|start|starting|treat\w*|prescrib\w+|dose|doses|dosage|how much|antibiotics?|fluids"
    r"|mg|thrombolys\w+|operate)\b"
)
_TESTS: Final = re.compile(
    r"\b(?:should|shall|do|would|can|must|need|worth|is)\b[^.?!]{0,40}\b(?:ct|mri|scan|x-?ray|ecg|ekg"
    r"|bloods?|blood tests?|troponin"
    r"|ultrasound|uss|d-?dimer|lumbar puncture|lp|test(?:s|ing)?|imaging|urine|swab)\b"
)
_IS_IT: Final = re.compile(
    r"\b(?:is (?:it|this)|could (?:it|this) be|might (?:it|this) be|do you think (?:it's|it is|this is)"
    r"|does (?:he|she|it) have"
    r"|have i missed|rule out|likely to be)\b(?P<what>[^?.!]{3,80})"
)
_OPINION: Final = re.compile(
    r"\b(?:what (?:do|would|else|could|should|might|is|are|next|now|am)|which|your (?:opinion|thoughts?"
    r"|view|advice|impression)|differential"
    r"|any (?:ideas?|thoughts|advice|suggestions)|help|how would you|what's)\b"
)
_WHETHER: Final = re.compile(
    r"^\W*(?:and |so |ok |well )?(?:should|shall|can|could|may|do|does|must|is|are"
    r"|am|would|will|has|have)\b"
)


def asked_of_consultant(question: str, knowing: Knowledge) -> ConsultantQuestion:
    """Read what is asked. An open request, or none, asks for an opinion."""
    low = folded(question)
    for team, pattern in _REFERS.items():
        if pattern.search(low):
            return ConsultantQuestion("refer", team)
    if _ADMITS.search(low):
        return ConsultantQuestion("admit")
    if _OPINION.search(low) and not _WHETHER.match(low):
        return (
            ConsultantQuestion("treat")
            if _TREATS.search(low) and "dose" in low
            else ConsultantQuestion("opinion")
        )
    if (hit := _IS_IT.search(low)) and (row := _named(hit["what"], knowing)) is not None:
        return ConsultantQuestion("diagnosis", knowing.conditions[row].name)
    if _TREATS.search(low):
        return ConsultantQuestion("treat")
    if _TESTS.search(low):
        return ConsultantQuestion("test")
    return ConsultantQuestion("other") if _WHETHER.match(low) else ConsultantQuestion("opinion")


def _named(text: str, knowing: Knowledge) -> int | None:
    words = re.sub(r"^\W*(?:an?|the|just|maybe|possibly|really)\s+", "", text.strip()).strip(" ,'\"")
    return knowing.find(words)
