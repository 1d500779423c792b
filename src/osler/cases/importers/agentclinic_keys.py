"""The meaning of an AgentClinic key: the holder of its value and the topic of its statements.

Keys vary from record to record, so they are compared in lower case without spaces and underscores, and a few
words decide. A key that no rule knows is withheld.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, get_args

from osler.knowledge.vocabulary import Topic

Part = Literal[
    "objective", "demographics", "symptoms", "patient", "examination", "tests", "diagnosis", "hidden"
]


class Field(NamedTuple):
    """The part of the case a key belongs to, and the default topic of its statements."""

    part: Part
    topic: Topic = "other"
    listed: bool = False
    """Whether commas separate unlike things, as in a social history."""


# The first match wins; each pattern is searched for in the bare key.
_RULES: Final[tuple[tuple[str, Field], ...]] = (
    (r"^correctdiagnosis$|^(final|true|gold|principal|primary|main)?diagnos[ei]s$", Field("diagnosis")),
    (
        r"diagnos[ei]s|differential$|manag|treatment|therap(y|ies)|prognosis|followup|disposition|plan$|answer|"
        r"explanation|rationale|teaching|learning|recommendation|discussion|nextstep|intervention|outcome|solution",
        Field("hidden"),
    ),
    (r"^objective|^task|doctorinstruction|instructionsfordoctor", Field("objective")),
    (r"^demograph|^patientinfo|^patientdemograph|^age$|^sex$|^gender$", Field("demographics")),
    (r"^(presenting|associated)?symptoms?$", Field("symptoms", "associated")),
    (r"physicalexam|^examinations?(findings)?$|^vitalsigns?$|^vitals$|examfindings", Field("examination")),
    (
        r"^test|testresults|testfindings|^lab|laborator|imaging|investigations?$|^diagnostic(test|stud)|radiolog|"
        r"^bloodwork|^bloodtest",
        Field("tests"),
    ),
    (r"allerg", Field("patient", "allergies")),
    (r"medication|drughistory|drugs?$|^meds|prescri", Field("patient", "medications")),
    (r"surg|operation", Field("patient", "past_surgical")),
    (r"family|hereditary", Field("patient", "family")),
    (r"obstetric|gyn|menstr|pregnan|contracep", Field("patient", "gynaecological")),
    (r"sexual", Field("patient", "sexual")),
    (r"birth|develop|perinatal|neonatal|growth|feeding", Field("patient", "birth")),
    (r"immuni[sz]|vaccin", Field("patient", "immunization")),
    (r"travel", Field("patient", "travel")),
    (r"expos|animal|pet|contact", Field("patient", "exposure")),
    (r"smok|tobacco|cigar", Field("patient", "tobacco")),
    (r"alcohol|drinking", Field("patient", "alcohol")),
    (r"illicit|recreational|substance", Field("patient", "drugs", listed=True)),
    (r"occupation|^job|^work|employ", Field("patient", "occupation")),
    (r"diet|exercise|nutrition", Field("patient", "diet")),
    (r"mood|psychosocial", Field("patient", "mood")),
    (
        r"social|lifestyle|living|home|habits|hobb|interest|education|marital",
        Field("patient", "home", listed=True),
    ),
    (r"reviewof|^ros$|systemsreview|systemreview", Field("patient", "systems")),
    (
        r"pastmedical|medicalhistory|pasthistory|psychiatrichistory|^pmh|comorbid|medicalconditions",
        Field("patient", "past_medical", listed=True),
    ),
    (r"chiefcomplaint|presentingcomplaint|reasonforvisit|primarysymptom", Field("patient", "complaint")),
    (
        r"^history|presentillness|^hpi$|historyof|onset|duration|timing|course|progress",
        Field("patient", "course"),
    ),
    (r"quality|severity|location|character|radiat", Field("patient", "character")),
    (r"aggravat|reliev|alleviat|worsen|modif|trigger", Field("patient", "modifiers")),
    (r"symptom", Field("patient", "associated")),
    (r"concern|worr", Field("patient", "concerns")),
    (r"idea|belief", Field("patient", "ideas")),
    (r"expect", Field("patient", "expectations")),
)
_COMPILED: Final = tuple((re.compile(pattern), field) for pattern, field in _RULES)
# A diagnosis or a plan written among the results is not a result. A key that only mentions one, such as
# "Diagnostic laparoscopy" or "Response to treatment", is a result.
_NOT_A_RESULT: Final = re.compile(
    r"^(?:\w{0,14})?diagnos[ei]s$|^management|^treatment(?:plan)?$|^plan$|^followup|^prognosis$|"
    r"^differential(?:diagnos[ei]s)?$|^suggest|^recommend|^nextstep"
)
# Under a heading, the topic suggested by the words alone is believed only so far: a list of symptoms that
# mentions stairs is not about the home.
_KEPT_UNDER: Final[dict[Topic, frozenset[Topic]]] = {
    "complaint": frozenset(("past_medical", "past_surgical", "birth")),
    "associated": frozenset(("course", "character", "modifiers")),
    "past_medical": frozenset(
        ("past_surgical", "medications", "allergies", "family", "tobacco", "alcohol", "drugs", "sexual",
         "gynaecological", "birth", "immunization", "home", "occupation", "travel")
    ),
    "systems": frozenset(get_args(Topic))
    - {"complaint", "ideas", "concerns", "expectations", "identity", "other", "character", "family"},
    "home": frozenset(get_args(Topic))
    - {"complaint", "course", "character", "modifiers", "associated", "systems", "past_medical", "identity"},
}  # fmt: skip
PATIENT_UNKNOWN: Final = Field("patient", "other")
UNKNOWN: Final = Field("hidden")


def bare(key: str) -> str:
    """A key reduced to its letters and digits in lower case."""
    return re.sub(r"[\W_]+", "", key).lower()


def field_of(key: str, *, within_patient: bool) -> Field:
    """The meaning of a key of the record, or of the patient's section."""
    name = bare(key)
    for pattern, field in _COMPILED:
        if pattern.search(name):
            return field
    return PATIENT_UNKNOWN if within_patient else UNKNOWN


def topic_under(heading: Topic, suggested: Topic) -> Topic:
    """The topic of a statement under a heading, given what its words suggest."""
    return suggested if suggested in _KEPT_UNDER.get(heading, (suggested,)) else heading


def is_result(key: str) -> bool:
    """Whether a key of an examination or test section names a result, not a diagnosis or a plan."""
    return not _NOT_A_RESULT.search(bare(key))
