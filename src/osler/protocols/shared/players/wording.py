"""Rewriting of third-person statements about the patient into the first person, where that is safe."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SUBJECT: Final = r"(?:the patient|patient|he|she|they)"
_VERBS: Final = {
    "has been": "I have been",
    "has had": "I have had",
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
    "reports": "I have",
    "complains of": "I have",
    "complains about": "I have",
    "presents with": "I have",
    "describes": "I have",
    "notes": "I have noticed",
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
    r"(?:experiencing|feeling|having|being|maintaining|adopting|taking|using|getting|noticing|trying|eating|drinking"
    r"|smoking|living|working|sleeping|waking|vomiting|coughing|losing|gaining|seeing|hearing|going)\b"
)
_BEFORE_DOING: Final = {"no": "I have not been", "I have": "I have been", "I have noticed": "I have been"}
_BEGINS: Final = re.compile(
    rf"^(?:{_SUBJECT}\s+)?(?:(also|currently|occasionally|regularly|additionally,?|usually|rarely|never|often)\s+)?"
    rf"({'|'.join(sorted(_VERBS, key=len, reverse=True))})\b\s*",
    re.I,
)
_SAYING: Final = r"(?:reports|mentions|states|notes|says|recalls|adds|explains|admits)"
_SAYS: Final = re.compile(
    rf"^(?:{_SUBJECT}\s+)?(?:(?:also|further)\s+)?{_SAYING}\s+that\s+(?=\w)"
    rf"|^{_SUBJECT}\s+(?:also\s+)?{_SAYING}\s+(?=(?:he|she|they)\b)",
    re.I,
)
# A second verb in the third person, joined to the first.
_JOINED: Final = re.compile(
    r"((?:,|\band|\bbut|\bor)\s+(?:(?:also|currently|occasionally|usually|never|often)\s+)?)"
    r"(has been|has had|has not|has never|hasn't|has|is|does not|doesn't|denies any|denies|reports"
    r"|lives|smokes|takes|works|drinks|feels|uses|exercises)\b",
    re.I,
)
_UNSAFE: Final = re.compile(
    r"(?:,|\band|\bbut)\s+(?:\w+ly\s+)?(?:seeks|engages|complains|describes|presents|mentions|states|notes|admits"
    r"|appears|seems|experiences|attends|enjoys|maintains|eats|sleeps)\b",
    re.I,
)
_OTHERS: Final = re.compile(
    r"\b(?:mother|father|parents?|brother|sister|sibling|wife|husband|partner|son|daughter|child|children|uncle|aunt"
    r"|grand\w+|boyfriend|girlfriend|friend|cousin|nephew|niece|infant|baby|boy|girl|man|woman|caregiver|doctor)s?\b",
    re.I,
)
_WITHIN: Final = (
    (re.compile(r"\b(?:the patient|he|she|they) (?:has|have)\b", re.I), "I have"),
    (re.compile(r"\b(?:the patient|he|she|they) (?:is|are)\b", re.I), "I am"),
    (re.compile(r"\b(?:the patient|he|she|they) (?:was|were)\b", re.I), "I was"),
    (
        re.compile(
            r"\b(?:the patient|he|she|they) (had|did|could|would|can|will|felt|noticed|took|went|\w+ed)\b",
            re.I,
        ),
        r"I \1",
    ),
    (re.compile(r"\b(?:the patient|he|she|they) (?:does not|do not|doesn't|don't)\b", re.I), "I do not"),
    (re.compile(r"\b(?:himself|herself|themselves|themself)\b", re.I), "myself"),
    (re.compile(r"\b(?:the patient's|his|their|her(?= \w))\b", re.I), "my"),
)
_ARTICLE: Final = re.compile(r"^(?:an?|any) ", re.I)
_STILL_THIRD: Final = re.compile(
    r"\b(?:patient|patient's|he|she|they|his|him|her|hers|their|theirs|them)\b", re.I
)
_SOMEBODY: Final = re.compile(r"\b(?:he|she|they|him|them)\b", re.I)
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@lru_cache(maxsize=20_000)
def sentence(text: str) -> str:
    """The text with an initial capital and a full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


@lru_cache(maxsize=20_000)
def in_first_person(text: str) -> str:
    """Rewrite a statement about the patient in the first person, where that is safe.

    It is safe if each sentence begins with a known verb and mentions no one else; otherwise the statement is
    quoted verbatim after "From what I know".
    """
    turned = [_turn(part) for part in _SENTENCES.split(text.strip())]
    if any(part is None for part in turned):
        return f"From what I know: {text.strip()}"
    return " ".join(sentence(part) for part in turned if part)


def _turn(statement: str) -> str | None:
    statement = _SAYS.sub("", statement, count=1)
    third = _STILL_THIRD.search(statement)
    begins = _BEGINS.match(statement)
    if begins is None:
        # A bare finding ("Fatigue, night sweats") needs no subject.
        return None if third else statement
    if _OTHERS.search(statement) and _SOMEBODY.search(statement, begins.end()):
        return None
    often, verb = begins.group(1), _VERBS[begins.group(2).lower()]
    doing = _DOING.match(statement, begins.end())
    if doing and verb in _BEFORE_DOING:
        verb = _BEFORE_DOING[verb]
    if often and verb.startswith("I "):
        verb = f"I {often.lower().rstrip(',')} {verb[2:]}"
    rest = statement[begins.end() :]
    if _UNSAFE.search(rest) or (_OTHERS.search(rest) and _JOINED.search(rest)):
        return None
    rest = _JOINED.sub(lambda joined: joined.group(1) + _VERBS[joined.group(2).lower()], rest)
    if verb == "no":
        rest = _ARTICLE.sub("", rest)
    for pattern, own in _WITHIN:
        rest = pattern.sub(own, rest)
    return None if _STILL_THIRD.search(rest) else f"{verb} {rest}"
