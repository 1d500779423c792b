"""Codes and wordings that say that something is not there, or that nothing is known of it.

Such a code stands in the place of an allergy, a drug or a problem, and is none: `no-known-allergies` of the
International Patient Summary, SNOMED CT's "No known allergy", "Nil known". What is absent can be told as an
absence; what is unknown is not told at all; what is only suspected is told by nobody as a fact.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from osler.cases.importers.fhir_record import without_kind
from osler.cases.importers.fhir_values import concept_names, listed, mapping
from osler.cases.importers.json_paths import words_of

Presence = Literal["stated", "absent", "unknown", "suspected"]

# absent-unknown-uv-ips: `no-known-food-allergies`, `no-allergy-info`.
_IPS_ABSENT: Final = re.compile(r"no-known-[a-z-]+")
_IPS_UNKNOWN: Final = re.compile(r"no-[a-z-]+-info")
# data-absent-reason, v3-NullFlavor: any code of theirs is no concept.
_NO_VALUE_SYSTEMS: Final = ("data-absent-reason", "v3-nullflavor", "/v3/nullflavor")
_SNOMED_ABSENT: Final = {
    "716186003": "No known allergy",
    "160244002": "No known allergies",
    "409137002": "No known drug allergy",
    "428607008": "No known environmental allergy",
    "429625007": "No known food allergy",
    "428197003": "No known latex allergy",
    "716220001": "No known allergy to eggs",
    "1003774007": "No known allergy to peanut",
    "787481004": "No known medications",
    "1234391000168107": "No known current medicines",
    "160245001": "No current problems or disability",
    "787480003": "No known procedures",
    "787482006": "No known immunizations",
    "787483001": "No known device use",
}
# Drug treatment unknown; no allergy information; unknown; not known.
_SNOMED_UNKNOWN: Final = frozenset(("182904002", "1631000175102", "261665006", "373068000"))
_ABSENT: Final = re.compile(
    r"(?:no|nil|none|not|denies|denied|never|negative for|nothing|without|free of|"
    r"keine?|aucune?|pas d\W\w+|sans|sin|ning[uú]n[ao]?|nessun[ao]?|geen|ingen|inga|nenhum[a]?|"
    r"absence of (?:any )?(?:known|allerg\w*)|patient (?:denies|denied|has no|has never|is not|not))"
    r"(?=[\s:,]|$).*|"
    r"n\.?\s?k\.?\s?[df]?\.?\s?a\.?|nad|[\w ]{1,40}\W{1,3}(?:none|nil|no)(?: known)?|.*\(no allerg\w+\)|"
    r".*\b(?:not detected|not present|not found|ruled out|excluded|absent|denied)",
    re.IGNORECASE | re.DOTALL,
)
# "No information", "None recorded", "N/A" and their like; "Pneumonia, unspecified" is an illness.
_UNKNOWN: Final = re.compile(
    r"(?:no|nil) (?:information|info|data|records?|details)\b.*|unknown\b.*|unk|nav|n\s?/\s?[ak]|[?.-]+|"
    r"unable to (?:obtain|assess)\b.*|un(?:specified|recorded|obtainable|available)|"
    r"(?:none|nil|nothing|not|no\b.*) (?:recorded|documented|on file|on record|entered|available)|"
    r"not (?:known|recorded|asked|assessed|available|applicable|stated|specified|documented|reviewed)\b.*|"
    r".*\b(?:status|information|history|allerg\w+|medication\w*) "
    r"(?:is |are )?(?:unknown|unavailable|not (?:known|available|recorded|asked|assessed))|"
    r"(?:.* )?(?:unbekannt|inconnue?s?|desconocid[ao]s?|sconosciut[aoei]|onbekend)",
    re.IGNORECASE | re.DOTALL,
)
_SUSPECTED: Final = re.compile(
    r"(?:suspected|suspicion of|possible|possibly|probable|probably|presumed|query|rule out|r/o)(?=[\s:]).*|"
    r"\?\s*\w.*|.*\b(?:suspected|not confirmed|unconfirmed)",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST: Final = 300
_SUBJECTS: Final = {
    "AllergyIntolerance": ("No known allergies", "allerg"),
    "Condition": ("No known problems", "problem"),
    "Procedure": ("No known procedures", "procedure"),
    "Immunization": ("No known immunizations", "immuni"),
    "FamilyMemberHistory": ("No known family history", "family"),
}
_DRUGS: Final = ("No known medications", "medic")
# What denies the whole of a kind, so that one thing of the kind contradicts it.
_GENERAL: Final = re.compile(
    r"(?:no|nil|none|nothing|not on any|not taking any)"
    r"(?: (?:known|current|currently|regular|active|significant|relevant|past|previous|any|drug|medication))*"
    r"(?: (?:allerg(?:y|ies)|medications?|medicines?|drugs?|problems?|conditions?|illness(?:es)?|procedures?|"
    r"operations?|immuni[sz]ations?))?(?: known| or disability)?|n\.?\s?k\.?\s?d?\.?\s?a\.?|"
    r"allerg(?:y|ies)\W{1,3}(?:none|nil|no)(?: known)?",
    re.IGNORECASE,
)


class Wording(NamedTuple):
    """The meaning of a concept, and its words; `is_general` if it denies the whole of its kind."""

    presence: Presence
    words: str = ""
    is_general: bool = False


def wording_of(kind: str, value: object) -> Wording:
    """Whether the concept of a resource of this type is stated, absent, unknown or only suspected."""
    names = [without_kind(name[:_LONGEST]).strip(" .") for name in concept_names(value)]
    codings = _codings(value)
    for system, code in codings:
        if any(one in system for one in _NO_VALUE_SYSTEMS) or _IPS_UNKNOWN.fullmatch(code):
            return Wording("unknown")
        if "snomed" in system and code in _SNOMED_UNKNOWN:
            return Wording("unknown")
    for system, code in codings:
        if _IPS_ABSENT.fullmatch(code):
            return _absent(kind, code.replace("-", " ").capitalize())
        if code in _SNOMED_ABSENT and "snomed" in (system or "snomed"):
            return _absent(kind, _SNOMED_ABSENT[code])
    for name in names:
        if _UNKNOWN.fullmatch(name):
            return Wording("unknown")
    for name in names:
        if _ABSENT.fullmatch(name):
            return _absent(kind, name)
    if any(_SUSPECTED.fullmatch(name) for name in names):
        return Wording("suspected")
    return Wording("stated")


def _absent(kind: str, name: str) -> Wording:
    """An absence in words that can be understood alone: "Nil known" of allergies is "No known allergies"."""
    standard, subject = _SUBJECTS.get(kind, _DRUGS if kind.startswith("Medication") else ("", ""))
    is_general = _GENERAL.fullmatch(name) is not None
    bare = is_general and subject not in name.lower() and "allerg" not in name.lower()
    return Wording("absent", standard if standard and bare else name, is_general)


def _codings(value: object) -> list[tuple[str, str]]:
    """The systems and codes of a concept, in lower case."""
    held = mapping(value)
    held = mapping(held.get("concept")) or held
    return [
        (words_of(coding.get("system")).lower(), words_of(coding.get("code")).lower())
        for coding in (held, *listed(held.get("coding")))
        if coding.get("code")
    ]
