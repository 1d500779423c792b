"""Free text cut into statements that are each about one thing, with what is denied marked as absent.

The words of the source are kept. Where a denial covers a list ("Denies fever, cough or rash"), each item
becomes a statement of its own with the denying word before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# A statement has to fit into an answer; longer ones are cut at a blank.
MAX_STATEMENT: Final = 600

_ABBREVIATED: Final = re.compile(
    r"\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e|cf)\.$", re.IGNORECASE
)
_END: Final = re.compile(r"[.!?][\"'”’)]?(?=\s)|;(?=\s)|\n")
_REPORTS: Final = (
    r"(?:denies|denied|reports?|admits?|complains?|mentions?|endorses?|notes|states|describes|experiences|"
    r"has|had|is|was|takes|does|works|lives|drinks|smokes|uses|appears)\b"
)
# Where a new clause begins inside a sentence. The comma or conjunction belongs to neither side.
_CLAUSE: Final = re.compile(
    rf"\s*,?\s+\b(?:but|although|though|however)\b,?\s+(?=(?:(?:he|she|they|the patient)\s+)?(?:also\s+)?"
    rf"(?:{_REPORTS}|not?\b|without\b))"
    r"|\s*,\s+(?:and\s+)?(?=(?:(?:he|she|they)\s+)?(?:also\s+)?(?:denies|denied|reports|admits|no|not|without|never)\b)"
    rf"|\s*,?\s+and\s+(?=(?:he|she|they)\s+(?:also\s+)?{_REPORTS}"
    r"|(?:also\s+)?(?:denies|denied|reports|admits|does not|takes|drinks|smokes|lives|works|uses)\b)",
    re.IGNORECASE,
)
_SUBJECT: Final = r"(?:(?:the\s+)?(?:patient|child|infant|baby|newborn|boy|girl|mother|parents?)\s+|(?:he|she|they)\s+)?(?:also\s+)?"
_DENIAL: Final = re.compile(
    rf"{_SUBJECT}(?:(?:specifically|currently|otherwise|also)[\s,]+)?"
    r"(?P<head>denies|denied|(?:takes |reports |has |had |have )?no (?:(?:known |prior |previous )?history|reports?|"
    r"complaints?|signs?) of|takes no|reports no|has no|had no|have no|there (?:is|are|was|were) no|no|without|"
    r"negative for|does not (?:report|have)|does not(?= (?:use|take|smoke|drink|consume)\b)|"
    r"(?:did|has) not (?:report(?:ed)?|have|had|noticed?|experienced))\b\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NEGATIVE: Final = re.compile(
    rf"{_SUBJECT}(?:denies|denied|no|non|not|without|never|none|nil|negative|unremarkable|nonsmoker|nondrinker|"
    r"has (?:no|not|never)|had (?:no|not|never)|have (?:no|not|never)|takes no|uses no|drinks no|reports no|reported no|"
    r"does not|doesn['’]t|do not|did not|didn['’]t|is not|was not|has(?:n['’]t)|cannot recall|there (?:is|are|was|were) no)\b",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(
    r"\b(?:except|apart from|other than|aside from|besides|until|only|but|which|who|that|because|since|after|when)\b", re.IGNORECASE
)
_ITEMS: Final = re.compile(r"\s*,\s*(?:(?:and/or|and|or|nor)\s+)?")
_PAIR: Final = re.compile(r"\s+(?:and/or|or|nor)\s+")
_PREPOSITION: Final = re.compile(r"\b(?:of|in|on|at|to|with|from|during|over|for|while|since)\b", re.IGNORECASE)
# "respiratory, gastrointestinal, or urinary symptoms": the adjectives share the last word.
_SHARED: Final = re.compile(
    r"\b(?:history|histories|habits?|functions?|issues|symptoms?|problems?|changes?|complaints?|deficits?|diseases?|"
    r"conditions?|surgeries|disorders?|illness(?:es)?|disturbances?|studies|tests?)(?: \w+)?$",
    re.IGNORECASE,
)
_ADJECTIVE: Final = re.compile(r"(?:al|ic|ary|ory|ive|ous|ine|ed|past|bowel|skin)$", re.IGNORECASE)
_OTHER_SUBJECT: Final = re.compile(
    r"\b(?:is|are|was|were|has|had|have|occurred|started|resolved|reports?|denies)\b", re.IGNORECASE
)
_ABOUT: Final = (
    r"(?:(?:any|additional|other|further|relevant|pertinent|significant|specific|detailed|notable|new|social|family|"
    r"occupational|personal|system|systems|systemic|on|and|or|of|the|patient['’]?s?|current|past|medical|habits?|review)\s+)*"
)
_NOTHING: Final = re.compile(
    r"(?:n/?a\b|not applicable\b|nil\b|unknown\b|unspecified\b|none (?:given|provided|specified|stated|recorded)\b).{0,80}"
    r"|(?:none|not (?:provided|specified|available|recorded|stated|given|mentioned|assessed|relevant|known|obtained))\W*"
    rf"|(?:no\s+)?{_ABOUT}(?:information|details?|history|data|symptoms?|reviews?|complaints?|records?)"
    r"(?: or (?:complaints?|symptoms?|information|details))?(?: on [\w\s]{1,60}?)?\s+"
    r"(?:is |are |was |were )?(?:not )?(?:provided|specified|available|recorded|stated|given|mentioned)"
    r"(?: in the case)?\W*",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """One statement and whether it says that something is absent."""

    text: str
    absent: bool


def says_nothing(text: str) -> bool:
    """Whether text only says that nothing is known: "N/A", "Information not provided."."""
    shorn = text.strip(" .\t\n")
    if not shorn:
        return True
    # "No significant past medical history provided" still denies illness.
    return len(shorn) < 160 and bool(_NOTHING.fullmatch(shorn)) and "medical history" not in shorn.lower()


def statements(text: str) -> Iterator[Statement]:
    """The statements in a piece of text, in order."""
    for sentence in sentences(text):
        for clause in _CLAUSE.split(sentence):
            for part in _denied_items(clause.strip()):
                yield from (Statement(piece, is_negative(piece)) for piece in shortened(part))


def is_negative(text: str) -> bool:
    """Whether a statement says that something is absent or normal-by-absence ("denies", "no", "without")."""
    return bool(_NEGATIVE.match(text)) and not re.search(r"\bonly\b|\bexcept\b|\bapart from\b|\baside from\b", text)


def sentences(text: str) -> Iterator[str]:
    """Sentences; an abbreviation or an initial before a full stop does not end one."""
    start = 0
    for mark in _END.finditer(text):
        end = mark.end()
        piece = text[start:end]
        if piece.endswith(".") and (_ABBREVIATED.search(piece[-8:]) or text[end:].lstrip()[:1].islower()):
            continue
        if piece.strip(" ;"):
            yield piece.strip(" ;\n")
        start = end
    if text[start:].strip(" ;"):
        yield text[start:].strip(" ;\n")


def listed(text: str) -> list[str]:
    """A sentence's items between commas, for headings under which unlike things are listed."""
    return [item for item in _ITEMS.split(text) if item]


def _denied_items(clause: str) -> list[str]:
    found = _DENIAL.fullmatch(clause)
    if not found or _EXCEPT.search(clause):
        return [clause]
    head = clause[: found.start("rest")].strip()
    items = [part for item in listed(found["rest"].rstrip(".")) for part in _pair(item)]
    shared = _SHARED.search(items[-1]) and any(_ADJECTIVE.search(item) for item in items[:-1]) if items else False
    if len(items) < 2 or shared or any(_OTHER_SUBJECT.search(item) for item in items):
        return [clause]
    return [f"{head} {item}" for item in items]


def _pair(item: str) -> list[str]:
    """`fever or cough` is two things; `swelling or pain of the knee` shares its place and stays one."""
    parts = _PAIR.split(item)
    apart = len(parts) == 2 and not (_PREPOSITION.search(parts[1]) or _SHARED.search(parts[1]))
    return parts if apart else [item]


def shortened(text: str) -> Iterator[str]:
    """Text in pieces of at most `MAX_STATEMENT` characters, cut at a blank where there is one."""
    while len(text) > MAX_STATEMENT:
        cut = text.rfind(" ", MAX_STATEMENT // 2, MAX_STATEMENT)
        cut = cut if cut > 0 else MAX_STATEMENT
        yield text[:cut].strip()
        text = text[cut:].strip()
    if text:
        yield text
