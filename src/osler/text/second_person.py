"""Sentences addressed to "you" in another person: what a card tells the one who plays a patient.

"You" takes the same verbs as "I" and "they" but for "are" and "were", so only the pronouns need care: whether
a "you" is the one who acts or the one acted upon. Where that is not sure, nothing is turned.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

_AHEAD: Final = re.compile(
    r"(?:^|[,;:(–-]|\b(?:and|but|or|that|when|whenever|if|because|since|as|while|where|which|what|how|"
    r"after|before|"
    r"until|though|although|whether|than|so|then|once|unless|symptoms|time|day|also|recently|additionally|"
    r"currently|previously|initially|today|now|ago|daily|past|last|years?|months?|weeks?|days?|wherever|"
    r"why))\s*$",
    re.IGNORECASE,
)
_ACTED_ON: Final = re.compile(
    r"\b(?:of|for|to|with|from|by|at|on|in|around|about|behind|near|over|under|like|after|before|makes?|"
    r"made|making|"
    r"causes?|caused|causing|bothers?|bothered|bothering|hurts?|give[sn]?|gave|told|tells?|asks?|asked|"
    r"lets?|helps?|"
    r"helped|touch(?:es|ed)?|moves?|worr(?:y|ies|ied)|concerns?|prevent(?:s|ed)?|wakes?|woke|sends?|"
    r"sent|brought|"
    r"keeps?|kept|leaves?|left|affect(?:s|ed|ing)?|prompt(?:s|ed|ing)?|led|leads?)\s+$",
    re.IGNORECASE,
)
# What follows a "you" that is acted upon; after anything else it acts.
_NO_VERB: Final = re.compile(
    r"\s*(?:[.,;:)!?]|$)|\s+(?:to|and|from|with|in|on|at|when|while|because|that|more|about|for|up|out|"
    r"off|during|"
    r"since|as|by|but|or|into|very|feel|unable|sick|tired|dizzy|uncomfortable|quite|an?|the|any|"
    r"some|no|much|less)\b",
    re.IGNORECASE,
)
_SURELY_ACTS: Final = re.compile(
    r"\s+(?:have|had|haven['’]t|hadn['’]t|do|did|don['’]t|didn['’]t|can|could|can['’]t|couldn['’]t|"
    r"would|will|might|"
    r"may|need|noticed|experience[ds]?|used to)\b",
    re.IGNORECASE,
)
_YOU: Final = re.compile(
    r"\b(?P<word>yourself|yours|your|you)(?P<tail>['’](?:ve|re|ll|d)|\s+(?:are|were|aren['’]t|"
    r"weren['’]t)\b)?",
    re.IGNORECASE,
)
# "you also are", "are you": the verb stands apart from its subject.
_APART: Final = re.compile(
    r"\byou\s+(?:\w+ly|also|still|now|just|only)\s+(?:are|were)\b|\b(?:are|were) you\b", re.IGNORECASE
)
_JOINED_ARE: Final = re.compile(
    r"(?P<before>(?:\b(?:and|but|or)|,)\s+(?:also\s+|currently\s+|\w+ly\s+)?)(?P<be>are|were)\s+(?=\w)"
)
_ANOTHER: Final = re.compile(r"\b(?:that|which|who|these|those|they)\b", re.IGNORECASE)


class _Person(NamedTuple):
    acts: str
    acted_on: str
    owns: str
    possessive: str
    itself: str
    are: str
    were: str
    is_short: str


_I: Final = _Person("I", "me", "my", "mine", "myself", "am", "was", "I'm")
_THEY: Final = _Person("they", "them", "their", "theirs", "themselves", "are", "were", "they're")


@lru_cache(maxsize=20_000)
def as_i(text: str) -> str | None:
    """A sentence about "you" as "I" say it; `None` where it is not sure who acts."""
    return _turned(text, _I)


@lru_cache(maxsize=20_000)
def as_they(text: str) -> str | None:
    """A sentence about "you" as "they", which fits anybody; `None` where it is not sure who acts."""
    return _turned(text, _THEY)


@lru_cache(maxsize=20_000)
def as_child(text: str, sex: str | None) -> str | None:
    """A sentence about "you", a child of this sex, as a parent says it: first "my child", then "he" or "she".

    `None` where it is not sure who acts, or who is meant.
    """
    turned = _turned(text, _THEY)
    if turned is None or _SOMEBODY.search(text):
        return None
    turned = _NOTICED.sub(r"I've\1 \2", turned)
    he, him, his, himself = _OF.get(sex or "", _OF[""])
    if sex:
        turned = _THEY_ACT.sub(lambda match: f"{he} {match[1]}{_inflected(match[2])}", turned)
        for plural, own in (("themselves", himself), ("theirs", his), ("their", his), ("them", him)):
            turned = re.sub(rf"\b{plural}\b", own, turned, flags=re.IGNORECASE)
    named, once = (
        re.subn(rf"\b{he}\b", "my child", turned, count=1, flags=re.IGNORECASE) if sex else (turned, 1)
    )
    if not once:
        named = re.sub(rf"\b{his}\b", "my child's", turned, count=1, flags=re.IGNORECASE)
    return named[:1].upper() + named[1:]


# What a young child "has noticed" its parent has.
_NOTICED: Final = re.compile(
    r"\bthey(?:['’]ve| have)((?: also| recently)?) (noticed|observed|found)\b", re.IGNORECASE
)
_SOMEBODY: Final = re.compile(r"\b(?:they|them|their|mother|father|parents?)\b", re.IGNORECASE)
_OF: Final = {
    "": ("they", "them", "their", "themselves"),
    "male": ("he", "him", "his", "himself"),
    "female": ("she", "her", "her", "herself"),
}
_THEY_ACT: Final = re.compile(
    r"\bthey(?:\s+|(?=['’]))((?:(?:also|often|never|always|still|now|then|just|recently|currently|"
    r"\w{3,}ly)\s+)*)"
    r"(['’]\w+|\w+(?:['’]t)?)",
    re.IGNORECASE,
)
_SINGULAR: Final = {
    "have": "has", "are": "is", "were": "was", "do": "does", "'ve": "has", "'re": "is", "'d": "had",
    "'ll": "will", "don't": "doesn't", "haven't": "hasn't", "aren't": "isn't", "weren't": "wasn't",
    "go": "goes",
}  # fmt: skip
_PAST: Final = frozenset(
    "had did could would can will may might must should felt took went began lost saw fell found came got "
    "became grew gave ate drank slept underwent ran left made put said told thought woke broke cut hit hurt "
    "bit knew kept couldn't can't won't wouldn't didn't hadn't wasn't".split()
)


def _inflected(verb: str) -> str:
    """A verb after "they" as it stands after "he"."""
    word = verb.lower().replace("’", "'")
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word in _PAST or word.endswith("ed"):
        return word
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{word}s"


def addresses_you(text: str) -> bool:
    """Whether a text speaks to somebody as "you"."""
    return _YOU.search(text) is not None


def _turned(text: str, person: _Person) -> str | None:
    if _APART.search(text) or re.search(r"\b(?:I|me|my)\b", text):
        return None
    done: list[str] = []
    at, acting = 0, False
    for result in _YOU.finditer(text):
        between = text[at : result.start()]
        if acting:
            between = _joined(between, person)
        word = _replaced(result, text, person)
        if word is None:
            return None
        acting = word.startswith((person.acts, person.is_short)) or (
            acting and result["word"].lower() != "you"
        )
        capital = result[0][0].isupper() and word[0].islower()
        done += [between, word[:1].upper() + word[1:] if capital else word]
        at = result.end()
    rest = text[at:]
    return "".join(done) + (_joined(rest, person) if acting else rest)


def _joined(text: str, person: _Person) -> str:
    """A second "are" of the same subject: "you have HIV and are on tablets"; not after another noun."""

    def own(match: re.Match[str]) -> str:
        if _ANOTHER.search(text, 0, match.start()):
            return match[0]
        be = person.are if match["be"] == "are" else person.were
        return f"{match['before']}{be} "

    return text if person is _THEY else _JOINED_ARE.sub(own, text)


def _replaced(match: re.Match[str], text: str, person: _Person) -> str | None:
    """The words for one "you" with what hangs on it; `None` where it may act or be acted upon."""
    word, tail = match["word"].lower(), (match["tail"] or "").replace("’", "'").strip().lower()
    if word != "you":
        own = {"yourself": person.itself, "yours": person.possessive, "your": person.owns}[word]
        return None if tail else own
    if tail in ("'ve", "'ll", "'d"):
        return f"{person.acts}{tail}"
    if tail == "'re":
        return person.is_short
    if tail:
        verb = {"are": person.are, "were": person.were}.get(tail.replace("n't", ""), "")
        return f"{person.acts} {verb}{' not' if tail.endswith(chr(39) + 't') else ''}"
    before = text[: match.start()]
    if _SURELY_ACTS.match(text, match.end()):
        return person.acts
    if _NO_VERB.match(text, match.end()):
        return person.acted_on if not _AHEAD.search(before) else None
    if _ACTED_ON.search(before) and not _AHEAD.search(before):
        return None
    return person.acts
