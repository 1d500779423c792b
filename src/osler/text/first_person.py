"""Statements about a patient in the patient's own first person, where that is safe.

What cannot be turned surely, or would still be a clinician's words in a patient's mouth, is not turned at
all: a false answer is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from osler.text.tokens import sentence

SUBJECT: Final = r"(?:the patient|patient|he|she|they)"
_VERBS: Final = {
    "has been": "I have been",
    "has had": "I have had",
    "had had": "I had had",
    "had been": "I had been",
    "has not": "I have not",
    "has never": "I have never",
    "has": "I have",
    "is": "I am",
    "was": "I was",
    "had": "I had",
    "does not": "I do not",
    "doesn't": "I don't",
    "did not": "I did not",
    "is not": "I am not",
    "denies any": "no",
    "denies having any": "no",
    "denies having": "no",
    "denies experiencing any": "no",
    "denies experiencing": "no",
    "denies taking": "I do not take",
    "denies using": "I do not use",
    "denies use of": "no use of",
    "denies": "no",
    "denied any": "no",
    "denied": "no",
    "hasn't": "I haven't",
    "mentions": "I have",
    "recalls": "I remember",
    "underwent": "I underwent",
    "admits to": "I admit to",
    "went": "I went",
    "maintains": "I maintain",
    "enjoys": "I enjoy",
    "attends": "I attend",
    "engages": "I engage",
    "eats": "I eat",
    "sleeps": "I sleep",
    "owns": "I own",
    "travels": "I travel",
    "reports being": "I have been",
    "reports no": "no",
    "reported no": "no",
    "reports": "I have",
    "reported": "I have had",
    "complains of": "I have",
    "complains about": "I have",
    "complained of": "I have had",
    "presents with": "I have",
    "describes": "I have",
    "notes": "I have noticed",
    "noted": "I have noticed",
    "noticed": "I noticed",
    "experienced": "I experienced",
    "experiences": "I experience",
    "developed": "I developed",
    "feels": "I feel",
    "felt": "I felt",
    "works": "I work",
    "worked": "I worked",
    "lives": "I live",
    "smokes": "I smoke",
    "smoked": "I smoked",
    "drinks": "I drink",
    "drank": "I drank",
    "takes": "I take",
    "took": "I took",
    "uses": "I use",
    "used": "I used",
    "exercises": "I exercise",
    "quit": "I quit",
    "stopped": "I stopped",
    "started": "I started",
}
_DOING: Final = re.compile(
    r"(?:experiencing|feeling|having|being|maintaining|adopting|taking|using|getting|noticing|trying|"
    r"eating|drinking"
    r"|smoking|living|working|sleeping|waking|vomiting|coughing|losing|gaining|seeing|hearing|going"
    r"|wearing|walking|sitting|standing|exercising|swimming|running|playing|developing|travelling|traveling)\b"
)
_BEFORE_DOING: Final = {"no": "I have not been", "I have": "I have been", "I have noticed": "I have been"}
_BEGINS: Final = re.compile(
    rf"^(?:{SUBJECT}\s+)?(?:(also|currently|occasionally|regularly|additionally,?|usually|rarely|never|"
    rf"often)\s+)?"
    rf"({'|'.join(sorted(_VERBS, key=len, reverse=True))})\b\s*",
    re.I,
)
_SAYING: Final = r"(?:reports|reported|mentions|states|stated|notes|says|said|recalls|adds|explains|admits)"
_SAYS: Final = re.compile(
    rf"^(?:{SUBJECT}\s+)?(?:(?:also|further)\s+)?{_SAYING}\s+that\s+(?=\w)"
    rf"|^{SUBJECT}\s+(?:also\s+)?(?:{_SAYING}\s+(?=(?:he|she|they|his|her|their)\b)"
    r"|(?:says|said|states|stated)\s+(?!that\b)(?=\w))",
    re.I,
)
# A second verb in the third person, joined to the first.
_JOINED: Final = re.compile(
    r"((?:,|\band|\bbut|\bor)\s+(?:(?:also|currently|occasionally|usually|never|often)\s+)?)"
    r"(has been|has had|has not|has never|hasn't|has|is|does not|doesn't|denies any|denies|denied|reports"
    r"|lives|smokes|takes|works|drinks|feels|uses|exercises)\b",
    re.I,
)
_UNSAFE: Final = re.compile(
    r"(?:,|\band|\bbut|\bor)\s+(?:\w+ly\s+)?(?:seeks|engages|complains|describes|presents|mentions|"
    r"states|notes"
    r"|admits|appears|seems|experiences|attends|enjoys|maintains|eats|sleeps|wakes|gets|goes|says|plays|"
    r"drives"
    r"|shares|consumes|abstains|believes|thinks|needs|wants|keeps|spends|recalls)\b",
    re.I,
)
_OTHERS: Final = re.compile(
    r"(?<!\bas a )(?<!\bas an )\b(?:mother|father|parents?|brother|sister|sibling|wife|husband|partner|"
    r"son|daughter|child|children|uncle|aunt"
    r"|grand\w+|boyfriend|girlfriend|friend|cousin|nephew|niece|infant|baby|boy|girl|man|woman|"
    r"caregiver|doctor"
    r"|physician|roommate|coworker|colleague|neighbou?r|teacher|famil(?:y|ies)|people|mom|mum|dad|"
    r"newborn|toddler"
    r"|fetus|twin|nurse|paramedic|police|officer|pediatrician|paediatrician|dentist|surgeon|therapist|coach"
    r"|classmate|relative|fianc[eé]e?|spouse|staff|bystander|witness|student|resident|dog|cat|pet)(?:e?s)?\b",
    re.I,
)
_ARTICLE: Final = re.compile(r"^(?:an?|any) ", re.I)
_STILL_THIRD: Final = re.compile(r"\b(?:patients?|patient['’]s|he|she|his|him|her|hers)\b", re.I)
HE: Final = re.compile(r"\b(?:he|him|his|himself)\b", re.I)
SHE: Final = re.compile(r"\b(?:she|her|hers|herself)\b", re.I)
THEY: Final = re.compile(r"\b(?:they|them|their|theirs|themselves)\b", re.I)
_ACTS: Final = re.compile(r"\b(?:(?:the )?patient(?!['’]s)|he|she)\b", re.I)
SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")

# The words of a clinician's note, which no patient says of themselves, in whatever person.
CLINICIANS: Final = re.compile(
    r"\b(?:the patient|patients?['’]?s?|physical exam\w*|on exam(?:ination)?|review of systems|"
    r"vital signs|per chart|presents|presented (?:to|with|for)|presenting|denies|denied|den(?:y|ying)|"
    r"reports|reportedly|"
    r"states that|is noted|was noted|were noted|noted to|found to (?:have|be)|(?:significant|notable|"
    r"remarkable|positive|"
    r"negative) for|unremarkable|non-?contributory|status[- ]post|s/p|according to|per (?:ems|report)|"
    r"emergency medical services|ems|paramedics|(?:un)?restrained|boarded|collared|intubated|afebrile|"
    r"extubat\w+|obtunded|auscultat\w+|palpat\w+|"
    r"\w+[- ](?:year|month|week|day)s?[- ]old|brought (?:in|to)|(?:comes|came|is seen|was seen|is "
    r"brought) (?:to|in|by)"
    r"|is accompanied|(?:admitted|transferred|transported) to|for (?:an? )?(?:evaluation|follow-?up) of|"
    r"the (?:physician|clinician|examiner|infant|neonate|newborn)|appears|gestational age|"
    r"(?:medical|surgical|family|social|obstetric|developmental|birth) history (?:is|was|includes?|"
    r"included)|pmh|"
    r"(?:relevant|pertinent|prior|past) (?:medical|surgical) history|history of present illness|"
    r"g\d ?p\d|gravida|primigravid\w*|multigravid\w*|pertinent|auscultation|mm ?hg)\b|\b\d+ ?mg/d[lL]\b",
    re.I,
)


@lru_cache(maxsize=20_000)
def in_first_person(text: str) -> str | None:
    """A statement about the patient in the first person; `None` where that is not safe.

    It is safe if each sentence is plainly about the patient, mentions no one else whom a pronoun could mean,
    and holds none of the words of a clinician's note.
    """
    turned = [_turn(part) for part in SENTENCES.split(text.strip())]
    person = " ".join(sentence(_plainly(part)) for part in turned if part)
    if any(part is None for part in turned) or not person or CLINICIANS.search(person) or _YOU.search(person):
        return None
    return person


# Words to a reader, not in quotation marks.
_YOU: Final = re.compile(r"^[^\"“'‘]*\b(?:you|your)\b", re.I)
# The headings of a history, as people say what stands under them.
_SLIGHT: Final = r"(?:(?:significant|notable|relevant|known|pertinent|prior|previous|other|contributory)\s+)*"
_HISTORY: Final = r"(?:(?:past|prior|previous) )?(?:medical history|pmh)"
_TO_SPEAK_OF: Final = r"(?:unremarkable|non-?contributory|not significant|negative|otherwise unremarkable)"
_PLAINLY: Final = (
    (re.compile(rf"\b(?:I have |there is )?no {_SLIGHT}(?:past |prior )?medical history(?: "
        rf"provided)?\b", re.I),
     "I have had no illnesses to speak of"),
    (re.compile(rf"\bmy {_HISTORY} (?:is|was) {_TO_SPEAK_OF}", re.I), "I have had no illnesses to speak of"),
    (re.compile(r"\bmy (?:past )?(?:medical and )?family history (?:is|was) (?:unremarkable|"
        r"non-?contributory)", re.I),
     "there is nothing in my family that I know of"),
    (re.compile(rf"\bmy {_HISTORY} (?:(?:is|was) (?:only )?(?:significant|notable|remarkable|"
        rf"positive)(?: only)? for"
                r"|includes|included|consists of)", re.I), "I have a history of"),
    (re.compile(rf"\ba (?:significant )?{_HISTORY} (?:(?:that is |which is )?(?:significant|notable|"
        rf"remarkable)(?: only)? for|of)",
                re.I), "a history of"),
)  # fmt: skip


def _plainly(text: str) -> str:
    for pattern, words in _PLAINLY:
        text = pattern.sub(words, text)
    return text


_ADVERBS: Final = (
    r"(?:also|often|never|always|still|now|then|just|usually|currently|recently|rarely|occasionally|"
    r"first|only|"
    r"sometimes|subsequently|not|\w{3,}ly)"
)
_SUBJECT_AND_VERB: Final = re.compile(
    rf"\b(?:the patient|patient|he|she)\s+((?:{_ADVERBS}\s+)*)([a-z]+(?:n['’]t)?)\b", re.I
)
_CONJUGATED: Final = {
    "is": "am", "was": "was", "has": "have", "does": "do", "isn't": "am not", "hasn't": "haven't",
    "doesn't": "don't", "reports": "have", "reported": "have had", "notes": "have noticed",
    "noted": "have noticed", "endorses": "have", "endorsed": "have had", "recalls": "remember",
}  # fmt: skip
_UNCHANGED: Final = frozenset(
    "had did could would can will may might must should wasn't didn't couldn't wouldn't can't cannot "
    "won't felt took went began lost saw fell found came got became grew gave ate drank slept "
    "underwent ran left made put said told thought woke broke cut hit hurt bit stood sat lay knew "
    "kept met paid quit read rode sought sent spent swam threw wore won wrote drove bought brought "
    "caught chose forgot heard held led fled shot sustained".split()
)
_NOT_SAID: Final = frozenset(
    "denies denied presents presented states stated complains appears seems describes".split()
)
_ENDS_IN_ED: Final = re.compile(r"\w{2,}ed$")
_OBJECT_FOLLOWS: Final = (
    r"(?=\s*(?:[,.;:)]|$)|\s+(?:to|and|from|with|in|on|at|when|while|because|that|more|feel|about|for|"
    r"up|out|off|"
    r"during|since|as|by|but|or|into|if|after|before|unable|able|very|so|too|not|off|down|back|alone|"
    r"like|tired)\b)"
)
_WITHIN: Final = (
    (re.compile(rf"\b(?:him|her){_OBJECT_FOLLOWS}", re.I), "me"),
    (re.compile(r"\b(?:himself|herself)\b", re.I), "myself"),
    (re.compile(r"\b(?:the )?patient['’]s\b|\b(?:his|her)(?=\s+\w)", re.I), "my"),
)
_LONG: Final = re.compile(
    r"^I (?:have|had|have had) an? ((?:\d+|\w+)[- ](?:minute|hour|day|week|month|year))s?[- ](?:long "
    r")?history of "
    r"(?:(?:experiencing|having)\s+)?(?=[a-z])",
    re.I,
)


def _turn(statement: str) -> str | None:
    """One sentence in the first person, `None` where it is unsafe."""
    statement = _COMES.sub("The patient has ", _DESCRIBES.sub(_it_is, statement))
    said, reported = _SAYS.subn("", statement, count=1)
    begins = _BEGINS.match(said)
    if reported and re.match(r"they\b", said, re.I):
        turned = said if not _STILL_THIRD.search(said) else None  # what he says of them: his symptoms
    elif reported and _JOINED.search(said) and not (begins or _STILL_THIRD.search(said)):
        turned = None
    else:
        turned = _from_its_verb(said, begins) if begins else _from_its_pronouns(said)
    return turned and _LONG.sub(_for_the_past, turned)


_DESCRIBES: Final = re.compile(
    rf"^{SUBJECT}\s+(?:also\s+)?(?:describes|described|rates|rated)\s+(?P<it>(?:it|the|this|these|his|her)\b"
    r"(?: [\w-]+){0,3}?)\s+as\s+",
    re.I,
)
_COMES: Final = re.compile(
    rf"^{SUBJECT}\s+(?:presents|presented|comes|came|was (?:brought|admitted|referred)|is (?:brought|"
    rf"referred))\s"
    r"(?:[^,;]{0,60}?\s)?(?:with|because of|due to|complaining of)\s+(?=(?:an? |severe |acute |\w+ly "
    r")?[a-z])",
    re.I,
)


def _it_is(described: re.Match[str]) -> str:
    it = described["it"]
    several = it.lower().startswith("these") or (
        it.endswith("s") and not it.endswith("ss") and it.lower() != "this"
    )
    return f"{it[:1].upper()}{it[1:]} {'are' if several else 'is'} "


def _for_the_past(long: re.Match[str]) -> str:
    number, unit = re.split(r"[- ]", long[1])
    one = number.lower() in ("1", "one", "a")
    had = "have been" if _DOING.match(long.string, long.end()) else "have had"
    return f"For the past {unit} I {had} " if one else f"For the past {number} {unit}s I {had} "


def _from_its_verb(statement: str, begins: re.Match[str]) -> str | None:
    """A sentence that begins with a verb of the patient's, with or without its subject."""
    rest = statement[begins.end() :]
    if _ambiguous(rest) or _UNSAFE.search(rest) or (_OTHERS.search(rest) and _JOINED.search(rest)):
        return None
    often, verb = begins.group(1), _VERBS[begins.group(2).lower()]
    doing = _DOING.match(statement, begins.end())
    if doing and verb in _BEFORE_DOING:
        verb = _BEFORE_DOING[verb]
    if often and verb.startswith("I "):
        verb = f"I {often.lower().rstrip(',')} {verb[2:]}"
    if verb == "no":
        rest = _ARTICLE.sub("", rest)
    turned = _joined(rest)
    return None if turned is None or (own := _own(turned)) is None else f"{verb} {own}"


def _from_its_pronouns(statement: str) -> str | None:
    """A sentence that begins otherwise ("Last week, he had ..."); a bare finding needs no subject."""
    if not (_STILL_THIRD.search(statement) or THEY.search(statement)):
        return statement
    acts = list(_ACTS.finditer(statement))
    others = _OTHERS.search(statement)
    if others and acts and (len(acts) > 1 or acts[0].start() > others.start()):
        return None
    if _ambiguous(statement) or _UNSAFE.search(statement):
        return None
    turned = _joined(statement) if acts and acts[0].start() == 0 else statement
    return None if turned is None else _own(turned)


def _ambiguous(text: str) -> bool:
    """Whether a pronoun could mean somebody else, or something else."""
    he, she = HE.search(text), SHE.search(text)
    if he and she:
        return True
    others = _OTHERS.search(text)
    if not others:
        return bool(THEY.search(text)) and not (he or she or _STILL_THIRD.search(text))
    after = text[others.end() :]
    return bool(
        _ACTS.search(after) or THEY.search(text) or re.search(rf"\b(?:him|her){_OBJECT_FOLLOWS}", after, re.I)
    )


def _joined(text: str) -> str | None:
    """The verbs joined to the first one in the first person; `None` where their subject is another thing."""
    for result in _JOINED.finditer(text):
        if result[2].lower() in ("is", "has", "does not", "doesn't") and re.search(
            r"\b(?:that|which|who|pain|cough|rash)\b", text[: result.start()], re.I
        ):
            return None
    return _JOINED.sub(lambda joined: joined[1] + _VERBS[joined[2].lower()], text)


def _own(text: str) -> str | None:
    """The pronouns of a text in the first person, each verb with its subject; `None` where one is left."""
    unknown = False

    def conjugated(match: re.Match[str]) -> str:
        nonlocal unknown
        verb = match[2].lower().replace("’", "'")
        own = _conjugated(verb)
        unknown = unknown or own is None
        return f"I {match[1]}{own}"

    text = _SUBJECT_AND_VERB.sub(conjugated, text)
    for pattern, own in _WITHIN:
        text = pattern.sub(own, text)
    return None if unknown or _STILL_THIRD.search(text) or _DANGLES.search(text) else text


# "I have lost weight and has started ...": a verb of the third person whose subject is left behind.
_DANGLES: Final = re.compile(
    r"\bI\b[^.;]*(?:,|\band|\bor|\bbut)\s+(?:(?:\w+ly|also|often|now|still)\s+)?(?:has|is|"
    r"does(?:n['’]t)?|takes|lives)\b",
    re.I,
)


def _conjugated(verb: str) -> str | None:
    if verb in _CONJUGATED:
        return _CONJUGATED[verb]
    if verb in _NOT_SAID:
        return None
    if verb in _UNCHANGED or _ENDS_IN_ED.match(verb):
        return verb
    if not verb.endswith("s") or verb.endswith("ss"):
        return None
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "zes", "oes")) else verb[:-1]


NOUN_LONG: Final = re.compile(
    r"^(?:an? |the |his |her )?((?:\d+|\w+)[- ](?:minute|hour|day|week|month|year))s?[- ](?:long "
    r")?history of\s+(?P<what>.+)$",
    re.I | re.S,
)
_ASIDE: Final = re.compile(
    r"[,;]\s|\s(?:that|which|who|after|when|while|where|since|as|because|following|and|but|with|in|"
    r"(?:noticed|found|observed) by)\s",
    re.I,
)


@lru_cache(maxsize=20_000)
def as_complaint(phrase: str) -> str:
    """A complaint as its patient names it, cut before what cannot be turned; empty if nothing is left."""
    long = NOUN_LONG.match(phrase.strip())
    if long:
        number, unit = re.split(r"[- ]", long[1])
        what = as_complaint(long["what"])
        some = "a" if number.lower() in ("1", "one", "a") else number
        return f"{what}, for {some} {unit}{'' if some == 'a' else 's'} now" if what else ""
    return cut_back(phrase, _as_own)


def cut_back(phrase: str, sayable: Callable[[str], str | None]) -> str:
    """The words of the longest beginning of a phrase that is `sayable`, cut at its asides; empty for none."""
    while phrase:
        if said := sayable(phrase):
            return said
        *_, last = [0, *(match.start() for match in _ASIDE.finditer(phrase))]
        phrase = phrase[:last].rstrip(" ,;")
    return ""


def _as_own(phrase: str) -> str | None:
    turned = None if _ambiguous(phrase) or _OTHERS.search(phrase) else _own(phrase)
    return None if turned and CLINICIANS.search(turned) else turned
