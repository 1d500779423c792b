"""Role cards: prose that tells an actor which patient to play, read as what that patient can say.

A card addresses the actor ("For your role as a patient, you are a 55-year-old woman who ..."). Its role
line, its stage directions and what it says the patient does not know are nobody's words. Each statement that
is left is turned into the first person for the patient, and into plain words for the record; one that cannot
be turned safely, or that recites an examination or a result, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.importers.agentclinic_keys import field_of
from osler.cases.importers.sentences import MAX_STATEMENT, ended, is_negative, sentences
from osler.cases.importers.vignette.roles import measured
from osler.knowledge.vocabulary import Topic
from osler.text.carers_words import in_carers_words
from osler.text.findings_in_text import mentions
from osler.text.first_person import in_first_person
from osler.text.jargon import unexplained
from osler.text.second_person import addresses_you, as_child, as_i, as_they
from osler.text.topics import topic_of_statement

_IS_CARD: Final = re.compile(r"\b(?:patient actor|actor portraying|for (?:your|the) role)\b", re.IGNORECASE)
# Points of a list within one line: "- **Symptoms**: - Blurry vision", "1. You recently ...".
_POINT: Final = re.compile(
    r"(?:^|(?<=[\s:.;]))[-*•–]\s+(?=\*\*|[A-Z])|(?:^|(?<=[:.;]\s))\d{1,2}[.)]\s+(?=\*\*|[A-Z])|\n+"
    r"|(?<=[a-z)])\s+(?=(?:You|Your|Remember|Additionally)\b)"
)
_LABEL: Final = re.compile(
    r"^\*\*(?P<bold>[^*]{1,80}?):?\*\*:?\s*|^(?P<bare>[A-Z][A-Za-z/ ]{2,40}):(?:\s+|$)"
)
_PERSON_LABEL: Final = re.compile(r"\b(?:age|gender|sex)\b", re.IGNORECASE)
# What the actor is told about acting, and no patient knows.
_NO_LABEL_OF_A_PATIENT: Final = re.compile(
    r"\b(?:tests?|results?|findings?|observations?|behavio\w+|not to|portray|instrument|examination|"
    r"diagnosis)\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(
    r"^\W*(?:remember,\s*)?(?:(?:for|in) (?:your|the) (?:role(?: as (?:the|an?))?\s*)?(?:as\s+)?(?:the |"
    r"an? )?"
    r"(?:patient)?\s*(?:actor|role)?|as (?:a|the) patient(?: actor)?)\s*[,:]\s*(?!.*\bportraying\b)",
    re.IGNORECASE,
)
_PLAYS: Final = re.compile(
    r"^You (?:are playing|need to portray|are portraying)(?: the role of)?\s+(?=an? )", re.I
)
_STAGE: Final = re.compile(
    r"\b(?:actor|actress|portray\w*|your (?:role|character|portrayal)|convey\w*|act as though|should "
    r"act|pretend|"
    r"remember,|caregivers?|mention(?:ing)? |clarify|make sure|you might (?:mention|not)|to report|be "
    r"aware of|need "
    r"to know|"
    r"information you|you (?:should|need to)\b|note that|exhibit|wince|scenario|case report)\b|^you are "
    r"aware(?: that)? |"
    r"^walk |^(?:(?:please|also|only|always),? )?(?:(?:do not|don['’]t|never|avoid) "
    r"(?:reveal|mention|say|tell|stat|disclos|volunteer|break|discuss|offer|answer|admit|nam|shar|describ|"
    r"giv|mak|us)(?:e|ing)?\b|(?:answer|respond|reply|act|stay in|speak|play|describe|provide)\b)|"
    r"these symptoms include\b|following (?:symptoms|information)\b|\bsymptoms including:",
    re.IGNORECASE,
)
_UNKNOWN: Final = re.compile(
    r"\b(?:not|n['’]t|unaware|without|nor|never)\b[^.;]{0,40}?\b(?:aware|informed|told|know|seen?|given|"
    r"keeping track|"
    r"understand|known?ing|tests? done)\b|\bunaware\b|\b(?:your|the|any|of) (?:specific )?diagnos[ie]s\b|"
    r"\bknowledge is limited\b|\btest (?:readings|results)\b|\bwouldn['’]t necessarily\b|\bprimary "
    r"concern is\b",
    re.IGNORECASE,
)
_TESTED: Final = re.compile(
    r"\b(?:CTs?|MRIs?|PET|X-?rays?|scans?|ultraso\w+|urogram|biops(?:y|ies)|radiograph\w*|ECG|EKG|"
    r"electrocardiogram|"
    r"echocardiogram|cultures?|tests?|labs?|samples?|specimen|microscope|smear)\b",
    re.IGNORECASE,
)
_TOLD_OF_IT: Final = re.compile(
    r"\b(?:show\w*|results?|normal\w*|abnormal\w*|unusual|information|await\w*|waiting|seen|reveal\w*|signs?|"
    r"findings?|look(?:ed|ing)? fine|working fine|positive|negative|found|something|very fatty)\b",
    re.IGNORECASE,
)
# What somebody else found in the patient: the examination's to tell.
_FOUND: Final = re.compile(
    r"\b(?:showed|shown|revealed|discovered|was noted|were noted|noted (?:that|yellow|an?)|found "
    r"(?:that|something|"
    r"fluid|some|white|you)|the doctors? found|they found|indicated|recorded|mentioned|diagnosed as|"
    r"found to (?:be|have)|medically identified|identified as|(?:during|upon|on) (?:a |an |the |any "
    r")?(?:physical |recent "
    r")?(?:examination|"
    r"check-?up|intra-?oral|palpation)|examination|tests? (?:came|were|did)|scan \(|biops(?:y|ies) was|"
    r"blood test|"
    r"urine test|blood work|platelet|crystals|shine[ds]? |shone|per cubic|respiratory rate|rate of about)\b",
    re.IGNORECASE,
)
_MAN: Final = (
    r"(?:man|woman|boy|girl|male|female|person|patient|infant|baby|child|gentleman|lady|individual|"
    r"teenager|adolescent|student|landscaper|worker|farmer|teacher)"
)
_WHO: Final = re.compile(
    rf"^(?:You(?: are|['’]re)|As) an? (?P<who>(?:[\w-]+,? ){{0,6}}?{_MAN})\b(?P<rest>[^.]*\.?)$",
    re.IGNORECASE,
)
_AGED: Final = re.compile(
    r"\b\d{1,3}[- ](?:year|month|week|day)s?[- ]old\b|\b\d{1,3} years old\b", re.IGNORECASE
)
_RELATIVE: Final = re.compile(
    r"^,?\s*(?:(?:and )?who(?:['’]s)?|with|and|,)\s+(?P<what>.+)$", re.IGNORECASE | re.DOTALL
)
_WHO_DOES: Final[dict[str, str]] = {
    "has": "have", "is": "are", "was": "were", "does": "do", "lives": "live", "smokes": "smoke",
    "works": "work", "takes": "take", "feels": "feel", "uses": "use", "enjoys": "enjoy", "drinks": "drink",
    "suffers": "suffer", "experiences": "experience",
}  # fmt: skip
_PAST: Final = re.compile(
    r"^(?:(?:\w+ly|first|just|also)\s+)?(?:\w+ed|had|went|came|began|lost|fell|underwent|got)\b", re.I
)
_BRACKET: Final = re.compile(r"(?P<before>[\w-]+) \((?P<within>[^()]{2,80})\)")
_MEDICAL: Final = re.compile(
    r"\w+(?:osis|itis|aemia|emia|uria|ectasi[as]s?|algias?|opathy|plasia|megaly|cyanosis|plegia|opia|"
    r"phagia|opsia|"
    r"oedema|edema|icterus|stroke volume|syncope|umbilical|mandibular|occipital|auricular|conjunctival|"
    r"pharyngeal|"
    r"genesis|anopsia|tropia|tonia|cephaly|cutaneous|orbital|gluteal|guinal)\b|"
    r"\b(?:erythema\w*|papul\w+|plaques?|nodules|macul\w+|petechia\w*|purpura|eschar|pruritic|livedoid|"
    r"verrucous|"
    r"friable|pedunculated|hyperpigment\w+|hypopigment\w+|pallor|exudates?|mucosa|perineum|anorexia|"
    r"papules?)\b",
    re.IGNORECASE,
)
_MEANS_YOU: Final = re.compile(r"^[^()]{3,80} \((?P<you>you[^()]{3,120})\)\.?$", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b([Aa])n?(?= (\w))")
_LEFT_OVER: Final = re.compile(r"[*_#`]{1,3}")
_REMEMBER: Final = re.compile(r"^remember,\s*", re.IGNORECASE)
_PARENT: Final = re.compile(
    r"\b(?:you are|role of) the (?:mother|father|parent|guardian|carer|caregiver) of\b", re.IGNORECASE
)
_DOING: Final = re.compile(r"(?:experiencing|feeling|having|noticing|losing|suffering)\b", re.IGNORECASE)
# What is no complaint of its own: the symptoms without their names, or why somebody came.
_CAME_BECAUSE: Final = re.compile(r"\b(?:come|came|brought)\b.*\bbecause\b", re.IGNORECASE)
_FELT: Final = re.compile(
    r"\b(?:notic\w+|experienc\w+|develop\w+|feel\w*|felt|pain\w*|observ\w+)\b", re.IGNORECASE
)
_NO_COMPLAINT: Final = re.compile(
    r"\b(?:doctors?|exam|treated for|treatment|surgery|diagnosed|condition known|living with|dealing "
    r"with|managing)\b|^they\b|"
    r"\b(?:my|her|his|their|these|current|a variety of) symptoms\b|\bhistory of\b|^(?:I|My "
    r"child)(?:['’]ve| have| has)? (?:also |recently "
    r"|initially )?(?:moved|liv\w+|work\w*|decided|sought|come in|underwent|undergone|went|am aware|was "
    r"born)\b",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(
    r"(?:However, |Also, |Otherwise, )?(?:I|my child|he|she|they)(?:['’]ve| have| has| do| does| "
    r"did)?\s*(?:(?:have|has|do|does|"
    r"did)n['’]t|not|never|no)\b",
    re.IGNORECASE,
)
_STORY: Final[frozenset[Topic]] = frozenset(("complaint", "course", "character", "associated", "systems"))
_LEAST_WORDS: Final = 2


class CardStatement(NamedTuple):
    """A statement of a card: as the speaker says it, and plainly."""

    spoken: str
    text: str
    topic: Topic
    absent: bool


class Card(NamedTuple):
    """A role card as read. `left_out` are the sentences that nobody says."""

    lines: tuple[CardStatement, ...]
    left_out: tuple[str, ...]

    @property
    def complaint(self) -> CardStatement | None:
        """The first trouble that the card tells of; `None` where it tells of none."""
        troubles = [line for line in self.lines if not (line.absent or _NO_COMPLAINT.search(line.spoken))]
        came = [line for line in troubles if _CAME_BECAUSE.search(line.spoken)]
        story = [line for line in troubles if line.topic in _STORY]
        felt = [line for line in troubles if _FELT.search(line.spoken)]
        return next(iter(came or story or felt), None)


class _CardText(NamedTuple):
    text: str
    heading: str


class _Speaks(NamedTuple):
    who: str
    sex: str | None


def is_role_card(text: str) -> bool:
    """Whether a text tells somebody which patient to play."""
    return addresses_you(text) or _IS_CARD.search(text) is not None


def read_card(text: str, speaker: str, sex: str | None = None) -> Card:
    """Read a role card for the one who speaks: the patient, or the parent of a patient of this sex."""
    # A card may address the parent, who then is "you".
    speaks = _Speaks("patient", sex) if _PARENT.search(text) else _Speaks(speaker, sex)
    lines: list[CardStatement] = []
    left_out: list[str] = []
    for statement in _statements(text):
        line = _line(statement, speaks)
        if line:
            lines.append(line)
        elif statement.text:
            left_out.append(statement.text)
    return Card(tuple(dict.fromkeys(lines)), tuple(left_out))


def _statements(text: str) -> Iterator[_CardText]:
    """The sentences of each point without its label; a label by itself heads the points after it."""
    above = ""
    for part in _POINT.split(text):
        point, heading = part.strip(), above
        if label := _LABEL.match(point):
            heading = (label["bold"] or label["bare"]).strip(" :")
            point = point[label.end() :].strip(" :")
        elif point.endswith(":"):
            heading, point = (heading if _ROLE.match(point) else point.strip(" :")), ""
        above = heading if not point else above if above != heading else heading
        for one in sentences(point):
            yield _CardText(_LEFT_OVER.sub("", one).strip(" :-"), heading)


def _line(card_text: _CardText, speaks: _Speaks) -> CardStatement | None:
    unsaid = _NO_LABEL_OF_A_PATIENT.search(card_text.heading) and "symptom" not in card_text.heading.lower()
    if unsaid:
        return None
    text = _plain_person(_PLAYS.sub("You are ", _ROLE.sub("", _REMEMBER.sub("", card_text.text))))
    if text is None or (len(text.split()) < _LEAST_WORDS and not mentions(text)):
        return None
    addressed = addresses_you(text)
    if _PERSON_LABEL.search(card_text.heading) and not addressed:
        return None
    if any(cue.search(text) for cue in (_STAGE, _UNKNOWN, _FOUND)) or measured(text):
        return None
    if _TESTED.search(text) and _TOLD_OF_IT.search(text):
        return None
    text = _lay(text)
    spoken, plain = (_own(text, speaks), as_they(text)) if addressed else (_bare(text, speaks), text)
    if spoken is None or plain is None or len(spoken) > MAX_STATEMENT or addresses_you(spoken):
        return None
    return CardStatement(
        _begun(spoken), _begun(plain), _topic(plain, card_text.heading), is_negative(plain) or _denies(spoken)
    )


def _own(text: str, speaks: _Speaks) -> str | None:
    """A sentence addressed to "you", as the speaker says it."""
    whole = f"You've been {text[:1].lower()}{text[1:]}" if _DOING.match(text) else text
    return as_child(whole, speaks.sex) if speaks.who == "parent" else as_i(whole)


def _bare(text: str, speaks: _Speaks) -> str | None:
    """A point that addresses nobody ("Blurry vision"), as the speaker says it."""
    doing = _DOING.match(text)
    if speaks.who == "parent":
        return f"My child has been {text[:1].lower()}{text[1:]}" if doing else in_carers_words(text)
    return f"I've been {text[:1].lower()}{text[1:]}" if doing else in_first_person(text)


def _plain_person(text: str) -> str | None:
    """A sentence without the person it introduces: "You are a 55-year-old woman who has ..."; `None` if that
    is all it says, or if what it goes on with is not sure."""
    hit = _WHO.match(text)
    if _PARENT.search(text):
        return None
    if not hit:
        return (
            None if _AGED.search(text) and not re.search(r"\bwhen you were\b|\bat the age\b", text) else text
        )
    rest = hit["rest"].strip()
    pregnant = "pregnant" in hit["who"].lower()
    if not rest.strip(" .,"):
        return "You are pregnant." if pregnant else None
    relative = _RELATIVE.match(rest)
    if not relative:
        return None
    what = relative["what"].strip()
    if rest.lower().startswith("with"):
        return f"You have {what}"
    if what.lower().startswith(("you ", "you've", "you’ve", "your ")):
        return what[:1].upper() + what[1:]
    verb, _, after = what.partition(" ")
    if verb.lower() in _WHO_DOES:
        return f"You {_WHO_DOES[verb.lower()]} {after}"
    adverb, _, more = after.partition(" ")
    if verb.lower().endswith("ly") and adverb.lower() in _WHO_DOES:
        return f"You {verb} {_WHO_DOES[adverb.lower()]} {more}"
    return f"You {what}" if _PAST.match(what) else None


def _lay(text: str) -> str:
    """A text in lay words where it explains its own: of "papules (small bumps)" the bumps are left."""

    def lay(match: re.Match[str]) -> str:
        before, within = match["before"], match["within"]
        if _MEDICAL.search(within):
            return before
        plain = bool(re.search(r"[a-z]{3}", within)) and not re.match(r"(?:the|an?)\b", within)
        if plain and (_MEDICAL.fullmatch(before) or unexplained(before.lower(), ())):
            return within
        return match[0]

    if whole := _MEANS_YOU.match(text):
        text = whole["you"][:1].upper() + whole["you"][1:]
    plain = _BRACKET.sub(lay, text)
    return plain if plain == text else _ARTICLE.sub(_article, plain)


def _article(match: re.Match[str]) -> str:
    return f"{match[1]}n" if match[2] in "aeiouAEIOU" else match[1]


def _topic(text: str, heading: str) -> Topic:
    field = field_of(heading.replace(" ", "_"), within_patient=True) if heading else None
    default: Topic = "associated"
    if field and field.part == "patient" and field.topic != "other":
        default = field.topic
    return topic_of_statement(text, default)


def _denies(spoken: str) -> bool:
    return _DENIAL.match(spoken) is not None


def _begun(text: str) -> str:
    return ended(text[:1].upper() + text[1:])
