"""Splitting free text into statements about one thing each, with negated ones marked as absent.

The words of the source are kept. Where a negation covers a list ("Denies fever, cough or rash"), each item
becomes a statement of its own with the negating word before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# A statement has to fit into an answer; longer ones are cut at a space.
MAX_STATEMENT: Final = 600

_ABBREVIATED: Final = re.compile(r"\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e|cf)\.$", re.IGNORECASE)
_LOOKED_BACK: Final = 8
_NOT_BLANK: Final = re.compile(r"\S")
_END: Final = re.compile(r"[.!?][\"'”’)]?(?=\s)|;(?=\s)|\n")
_REPORTS: Final = (
    r"(?:denies|denied|reports?|admits?|complains?|mentions?|endorses?|notes|states|describes|experiences|"
    r"has|had|is|was|takes|does|works|lives|drinks|smokes|uses|appears)\b"
)
_THEY: Final = r"(?:he|she|they)\s+"
_SUBJECT: Final = (
    r"(?:(?:the\s+)?(?:patient|child|infant|baby|newborn|boy|girl|mother|parents?)\s+"
    rf"|{_THEY})?(?:also\s+)?"
)
# The start of a new clause inside a sentence. The comma or conjunction belongs to neither side.
_CLAUSE: Final = re.compile(
    rf"\s*,?\s+\b(?:but|although|though|however)\b,?\s+(?={_SUBJECT}(?:{_REPORTS}|not?\b|without\b))"
    rf"|\s*,\s+(?:and\s+)?(?=(?:{_THEY})?(?:also\s+)?(?:denies|denied|reports|admits|no|not|without|never)\b)"
    rf"|\s*,?\s+and\s+(?={_THEY}(?:also\s+)?{_REPORTS})"
    r"|\s*,\s+and\s+(?=(?:his|her|their|the)\s+\w+\s+(?:is|are|was|were)\b)"
    r"|\s*,?\s+and\s+(?=(?:also\s+)?"
    r"(?:denies|denied|reports|admits|does not|takes|drinks|smokes|lives|works|uses|"
    r"enjoys|attends|exercises)\b)",
    re.IGNORECASE,
)
# A sentence with one of these beginnings needs its second half.
_HANGING: Final = re.compile(
    r"(?:although|though|while|when|if|after|since|because|despite|as|before)\b", re.IGNORECASE
)
# A negation and its scope.
_DENIAL: Final = re.compile(
    rf"{_SUBJECT}(?:(?:specifically|currently|otherwise)[\s,]+)?(?P<head>denies|denied|"
    r"(?:takes |reports |has |had |have )?"
    r"no (?:(?:known |prior |previous )?history|reports?|complaints?|signs?) of|"
    r"takes no|reports no|has no|had no|have no|there (?:is|are|was|were) no|no|without|negative for|"
    r"does not (?:report|have)|does not(?= (?:use|take|smoke|drink|consume)\b)|"
    r"(?:did|has) not (?:report(?:ed)?|have|had|noticed?|experienced))\b\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NEGATIVE: Final = re.compile(
    rf"{_SUBJECT}(?:denies|denied|no|non|not|without|never|none|nil|negative|unremarkable|"
    r"nonsmoker|nondrinker|lifelong non|(?:has|had|have) (?:had )?(?:no|not|never)|hasn['’]t|"
    r"(?:takes|uses|drinks|reports|reported) no|(?:does|do|did|is|was) not|(?:doesn|didn)['’]t|"
    r"(?:is|was) (?:a )?(?:lifelong )?(?:non|never)|there (?:is|are|was|were) no)\b",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(
    r"\b(?:except|apart from|other than|aside from|besides|until|only|but|which|who|that|because|since|"
    r"after|when)\b",
    re.IGNORECASE,
)
_ITEMS: Final = re.compile(r"\s*,\s*(?:(?:and/or|and|or|nor)\s+)?")
_PAIR: Final = re.compile(r"\s+(?:and/or|or|nor)\s+")
_PREPOSITION: Final = re.compile(
    r"\b(?:of|in|on|at|to|with|from|during|over|for|while|since)\b", re.IGNORECASE
)
# These words assert what follows them, whatever negation came before.
_ASSERTED: Final = re.compile(
    r"^(?:also\s+)?(?:denies|reports?|admits|takes|does|works?|lives?|drinks|smokes|uses|has|is|was|enjoys|attends)\b"
    r"|\b(?:up[ -]to[ -]date|normal|intact|regular|healthy|unremarkable|stable|married|single|retired|"
    r"occasional(?:ly)?|social(?:ly)?|well[ -]controlled)\b",
    re.IGNORECASE,
)
_OR: Final = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_SURE_HEAD: Final = re.compile(r"(?:denies|denied|negative for)$", re.IGNORECASE)
# "respiratory, gastrointestinal, or urinary symptoms": the adjectives share the last word.
_SHARED: Final = re.compile(
    r"\b(?:history|histories|habits?|functions?|issues|symptoms?|problems?|changes?|complaints?|deficits?|"
    r"diseases?|conditions?|surgeries|disorders?|illness(?:es)?|disturbances?|studies|tests?)(?: \w+)?$",
    re.IGNORECASE,
)
_ADJECTIVE: Final = re.compile(r"(?:al|ic|ary|ory|ive|ous|ine|ed|past|bowel|skin)$", re.IGNORECASE)
# An item with its own verb is outside the scope of the negation.
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|had|have|occurred|started|resolved|reports?|denies)\b", re.IGNORECASE
)
_ABOUT: Final = (
    r"(?:(?:any|additional|other|further|relevant|pertinent|significant|specific|detailed|notable|new|"
    r"social|family|occupational|personal|systemic|systems?|on|and|or|of|the|patient['’]?s?|current|past|"
    r"medical|habits?|review)\s+)*"
)
_GIVEN: Final = r"(?:provided|specified|available|recorded|stated|given|mentioned)"
_NOTHING: Final = re.compile(
    rf"(?:n/?a\b|not applicable\b|nil\b|unknown\b|unspecified\b|none {_GIVEN}\b).{{0,80}}"
    rf"|(?:none|not (?:{_GIVEN}|assessed|relevant|known|obtained))\W*"
    rf"|(?:no\s+)?{_ABOUT}(?:information|details?|history|data|symptoms?|reviews?|complaints?|records?)"
    r"(?: or (?:complaints?|symptoms?|information|details))?(?: on [\w\s]{1,60}?)?\s+"
    rf"(?:is |are |was |were )?(?:not )?{_GIVEN}(?: in the case)?\W*",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """One statement and whether it is negative."""

    text: str
    absent: bool


def says_nothing(text: str) -> bool:
    """Whether a text only says that nothing is known: "N/A", "Information not provided."."""
    shorn = text.strip(" .\t\n")
    if not shorn:
        return True
    # "No significant past medical history provided" still denies illness.
    return len(shorn) < 160 and bool(_NOTHING.fullmatch(shorn)) and "medical history" not in shorn.lower()


def statements(text: str) -> Iterator[Statement]:
    """The statements in a piece of text, in order."""
    for sentence in sentences(text):
        for clause in [sentence] if _HANGING.match(sentence) else _CLAUSE.split(sentence):
            for part in _denied_items(clause.strip()):
                yield from (Statement(piece, is_negative(piece)) for piece in shortened(part))


def is_negative(text: str) -> bool:
    """Whether a statement says that something is absent, or normal by absence ("denies", "no", "without")."""
    return bool(_NEGATIVE.match(text)) and not re.search(
        r"\bonly\b|\bexcept\b|\bapart from\b|\baside from\b", text
    )


def sentences(text: str) -> Iterator[str]:
    """Split a text into sentences; a full stop after an abbreviation or an initial does not end one."""
    start = 0
    for mark in _END.finditer(text):
        end = mark.end()
        if text[end - 1] == "." and (
            _ABBREVIATED.search(text[max(start, end - _LOOKED_BACK) : end])
            or ((after := _NOT_BLANK.search(text, end)) and after[0].islower())
        ):
            continue
        piece = text[start:end]
        if piece.strip(" ;"):
            yield piece.strip(" ;\n")
        start = end
    if text[start:].strip(" ;"):
        yield text[start:].strip(" ;\n")


def ended(text: str) -> str:
    """Text with a full stop where no other mark ends it."""
    return text if text.rstrip("\"'”’)").endswith((".", "!", "?", ":")) else f"{text}."


def listed(text: str) -> list[str]:
    """The items between the commas of a list."""
    return [item for item in _ITEMS.split(text) if item]


def unlike_items(statement: str) -> list[str]:
    """The items of a statement that can be read separately; a list under a negation is not split."""
    items = listed(statement)
    if _DENIAL.fullmatch(statement) and not all(_ASSERTED.match(item) for item in items[1:]):
        return [statement]
    return items


def _denied_items(clause: str) -> list[str]:
    match = _DENIAL.fullmatch(clause)
    if not match or _EXCEPT.search(clause):
        return [clause]
    head = clause[: match.start("rest")].strip()
    items = [part for item in listed(match["rest"].rstrip(".")) for part in _pair(item)]
    if len(items) < 2 or any(_VERB.search(item) or _ASSERTED.search(item) for item in items):
        return [clause]
    # "No known reactions, immunizations complete": without an "or", a new statement may follow the comma.
    if not (_OR.search(match["rest"]) or _SURE_HEAD.search(head)):
        return [clause]
    if _SHARED.search(items[-1]) and any(_ADJECTIVE.search(item) for item in items[:-1]):
        return [clause]
    return [f"{head} {item}" for item in items]


def _pair(item: str) -> list[str]:
    """Split `fever or cough` in two, but not `swelling or pain of the knee`, whose items share a site."""
    parts = _PAIR.split(item)
    apart = len(parts) == 2 and not (_PREPOSITION.search(parts[1]) or _SHARED.search(parts[1]))
    return parts if apart else [item]


def shortened(text: str) -> Iterator[str]:
    """Split a text into pieces of at most `MAX_STATEMENT` characters, at a space where there is one."""
    while len(text) > MAX_STATEMENT:
        cut = text.rfind(" ", MAX_STATEMENT // 2, MAX_STATEMENT)
        cut = cut if cut > 0 else MAX_STATEMENT
        yield text[:cut].strip()
        text = text[cut:].strip()
    if text:
        yield text
