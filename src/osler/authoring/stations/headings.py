"""The parts of a station's papers, and the headings under which teachers write them.

Headings are compared in small letters, without numbers ("Part B:", "3.") and marks around them. A heading is
strong where it can only announce that part, weak where the words are also used for a paragraph inside the
actor's brief or the mark sheet ("History", "Examination", "Background").
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Part = Literal[
    "about",  # title, timing, who the patient is
    "candidate",  # what the examinee reads
    "background",  # the situation, for the examinee unless it speaks to the actor
    "actor",  # what the patient's player knows
    "examiner",  # remarks for the examiner
    "findings",  # what examination and tests show
    "course",  # how the patient changes
    "marks",
    "errors",  # what counts against the examinee
    "equipment",
    "debrief",
    "unplaced",
]


class Heading(NamedTuple):
    """The part that a heading announces; `strong` if its words can mean nothing else."""

    part: Part
    strong: bool


_WHO: Final = (
    r"(?:candidates?|students?|examinees?|learners?|trainees?|participants?|doctors?|residents?|interns?)"
)
_PLAYER: Final = (
    r"(?:actors?|actress|role ?-?players?|(?:simulated|standardi[sz]ed|surrogate|simulation) (?:patients?|relatives?|clients?|mothers?|fathers?|parents?|attendants?)"
    r"|sps?|simulators?|patients?|mothers?|fathers?|mums?|dads?|parents?|wife|husband|sons?|daughters?|relatives?|carers?"
    r"|caregivers?|partners?|family members?|colleagues?)"
)
_TEXT: Final = (
    r"(?:questions?|instructions?|information|briefs?|briefing|notes?|sheets?|scripts?|guidance|details|task|tasks|role|profile|"
    r"training notes?|materials?|story|history|responses?|answers|portrayal|directions?)"
)
_STRONG: Final[tuple[tuple[Part, str], ...]] = (
    (
        "errors",
        r"(?:critical|serious|major|fatal|killer|unsafe|harmful|dangerous) (?:errors?|mistakes?|fails?|failures?|acts?|actions to avoid)"
        r"|(?:critical|automatic|instant) fail(?:s|ure)?(?: criteria| points?)?|(?:unsafe|harmful) (?:practice|behaviou?rs?)"
        r"|red (?:card|flag errors?)|negative (?:marks?|marking|items?)|(?:marks? )?deduct(?:ions?|ed)?(?: marks?)?|penalt(?:y|ies)",
    ),
    (
        "marks",
        r".*\b(?:mark(?:ing)?|score|scoring|assessment|evaluation|grading|rating|assessor'?s?|examiner'?s?) ?-?"
        r"(?:schemes?|sheets?|guides?|forms?|grids?|schedules?|criteria|points|check-? ?lists?|rubrics?|tools?|domains?)\b.*"
        r"|.*\bcheck-? ?lists?\b.*|.*\brubrics?\b.*|mark(?:s|ing)?|scoring|assessment|grading|scores?|domains?|"
        r"(?:critical|key|expected|required|essential) (?:actions?|issues?|steps?|points?|tasks?|behaviou?rs?|competencies|elements)"
        r"|key issues|assessment (?:items?|points?)|(?:expected|model) performance|marking key|marksheet|scoresheet|"
        r"performance (?:items?|criteria)|observable behaviou?rs?|approach to (?:patient|the patient)|domains? assessed",
    ),
    (
        "candidate",
        rf"(?:{_TEXT}|scenario|background|situation|stem) (?:to|for) (?:the |each )?{_WHO}|{_WHO}(?:'?s?'?)? {_TEXT}|{_WHO}|"
        r"door(?:way)?(?: ?-?(?:notes?|information|sheets?|instructions?|card|sign))?|(?:your|the) tasks?|tasks?|stem|"
        rf"outside the (?:room|station)|reading (?:time|material)|{_WHO}'?s? (?:scenario|stem|role)|(?:examinee|student) tasks?"
        r"|opening scenario",
    ),
    (
        "actor",
        rf"(?:{_TEXT}|scenario|background|script|history) (?:to|for|of) (?:the |an? )?{_PLAYER}|{_PLAYER}(?:'?s?'?)? {_TEXT}"
        rf"|(?:actor|role ?-?player|(?:simulated|standardi[sz]ed|surrogate) (?:patient|relative)|sp)s?'?(?: .*)?|"
        rf"{_PLAYER}'?s? (?:background|role|character|perspective|view)|role ?-?play(?:er)?(?: .*)?|(?:patient|actor|role) (?:script|portrayal)"
        r"|how to play (?:the role|this role|the patient)|if (?:you are )?asked|only if asked|patient|presenting history"
        r"|history given by .*",
    ),
    (
        "findings",
        r"(?:[a-z/-]+ ){0,3}"
        r"(?:exam(?:ination)? )?(?:findings|results)(?: .*)?|.*\b(?:test|lab(?:oratory)?|blood|investigation|imaging|examination) results\b.*"
        r"|(?:investigations?|tests?|results?|information|findings|labs?)(?: and \w+)? (?:available|given|provided|on request|if requested|if asked).*"
        r"|(?:vital signs?|vitals|observations?|obs)(?: .{0,20})?|results|lab(?:oratory)?(?: data| values)|data(?: for .*)?",
    ),
    (
        "course",
        r"(?:scenario |clinical |patient )?(?:progress(?:ion)?|deterioration|evolution|changes?|development|course|flow)(?: of .{0,30})?"
        r"|(?:what happens|how it goes|if untreated|if treated).{0,30}|states?|stages?|phases?|(?:operator|controller|technician)'?s? (?:notes?|instructions?)"
        r"|simulation (?:flow|states?)",
    ),
    (
        "examiner",
        rf"(?:{_TEXT}) (?:to|for) (?:the )?(?:examiners?|assessors?|facilitators?|tutors?|faculty|observers?)"
        rf"|(?:examiners?|assessors?|facilitators?|tutors?|faculty|observers?)(?:'?s?'?)?(?: {_TEXT})?|aims?(?: of (?:the )?station)?|"
        r"(?:station )?(?:aims?|objectives?|purpose)(?: and .*)?|learning (?:objectives?|outcomes?)|case summary|summary of (?:the )?case|viva.*"
        r"|questions? (?:from|by|of) (?:the )?examiners?|examiner'?s? questions?",
    ),
    (
        "equipment",
        r"(?:equipment|props?|resources?|materials?|set ?-?up|room set ?-?up|supplies|moulage|staging|manikin(?: set ?-?up)?)"
        r"(?: (?:list|needed|required|and .*))?|station (?:set ?-?up|equipment|requirements?)",
    ),
    (
        "debrief",
        r"debrief(?:ing)?(?: .*)?|(?:learning|teaching|take[- ]?home|discussion|key learning|feedback) (?:points?|messages?|notes?|pearls?)"
        r"|discussion|commentary|model answers?|suggested answers?|references?|further reading|explanation|(?:final |correct |working |likely )?"
        r"diagnos[ie]s|differential(?: diagnos[ie]s)?",
    ),
    (
        "about",
        r"(?:station|case) (?:details?|information|title|overview|number)|title|(?:time|duration)(?: allowed)?|patient (?:details|demographics|data)|demographics|"
        r"(?:setting|specialty|topic|category|level|date|author|version).*",
    ),
)  # fmt: skip
_WEAK: Final[tuple[tuple[Part, str], ...]] = (
    (
        "background",
        r"(?:clinical |case |patient )?(?:scenario|background|context|situation|vignette|introduction|setting the scene|case|presentation)",
    ),
    ("actor", r"(?:the )?(?:patient'?s? )?history|history of (?:the )?present(?:ing)? (?:complaint|illness)"),
    (
        "findings",
        r"(?:physical |clinical |general )?exam(?:ination)?|investigations?|tests?|labs?|imaging|bloods?(?: tests?)?|"
        r"radiology|ecg|ekg|ct|x-?rays?",
    ),
    ("course", r"management|treatment"),
)
_NUMBER: Final = re.compile(
    r"^\W*(?:(?:part|section|page|sheet|annex|appendix)\s+(?:\d+|[a-h]|[ivx]+)\b\s*[:.)–-]*\s*|(?:\d{1,2}|[a-h])[.):]\s+)?",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\s*(?:[:.–-]+|\(\s*(?:\d+|total|max|/|out of|marks?|points?|confidential|not to be|\w+ only)[^)]*\))\s*$|\s+only$",
    re.IGNORECASE,
)


def plain_heading(text: str) -> str:
    """A heading in small letters, without its number, marks and remarks in brackets."""
    low = _NUMBER.sub("", text.replace("’", "'")).strip().lower()
    while (shorter := _AFTER.sub("", low)) != low:
        low = shorter
    return " ".join(low.split())


@lru_cache(maxsize=4096)
def heading(text: str) -> Heading | None:
    """The part that a heading announces, if any."""
    low = plain_heading(text)
    for kinds, strong in ((_STRONG, True), (_WEAK, False)):
        for part, pattern in kinds:
            if re.fullmatch(pattern, low):
                return Heading(part, strong)
    return None
