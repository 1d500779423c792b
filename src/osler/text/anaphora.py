"""Anaphora and ellipsis: the topic of a question that depends on what was said before.

"How many a day?", "any others?", "which ones?" and "are you sure?" name no subject; they take that of the
latest question that named one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.vocabulary import Topic
from osler.text.topics import QUALIFIERS, topics_of_question

_OTHERS: Final[frozenset[Topic]] = frozenset({"family", "exposure", "home"})
_SHORT: Final = 8
_MORE: Final = re.compile(
    r"""\b(?: (?:anything|what|something|nothing|anyone|any)\ (?:else|more)
    | (?:any|some)thing\ (?:you\ would|you'd)\ like\ to\ add
    | (?:tell\ me|say)\ (?:a\ (?:bit|little)\ )?more | more\ about\ (?:that|this|it) | go\ on\b(?!\ with)
    | carry\ on | continue | and\ then | elaborate
    | what\ happened\ (?:next|then) | is\ that\ (?:all|everything)
    | keep\ going | can\ you\ expand | any\ others?\b(?=\W*$) | and\W*$ )""",
    re.VERBOSE,
)
_BEGIN: Final = r"^\W*(?:(?:and|okay|ok|so|oh|but|well|right|sure|yes|no|thank you|thanks|i see)\W+)*"
# Elliptic questions: complete but for their subject.
_ELLIPTIC: Final = re.compile(
    _BEGIN + r"(?:how (?:much|many|often)\b|(?:what|which) (?:kind|type|sort|ones?|year|dose|strength)\b"
    r"|(?:since when|(?:for )?how long|who|why|when|where|which|what|really|for what|like what|how so|today"
    r"|are you sure|is that (?:so|right|correct|all|true))\W*$)"
)
_POINTS_BACK: Final = re.compile(
    r"\b(?:it|that|this|these|those|they|them|their|either|both|ones?|any|others?|else|sure|too|so|anymore"
    r"|remember)\b"
)
_AGE_OF_OTHERS: Final = re.compile(r"\bhow old (?:is|are|was|were) (?:he|she|they|it)\b")


_SAME_OF_YOU: Final = re.compile(
    r"\b(?:(?:anything|something|thoughts?|feelings?|any) (?:like|of)"
    r" (?:that|those|these|them|this sort|that sort|the sort)"
    r"|(?:any|some|either|both) of (?:those|these|them|that)"
    r"|(?:has|did|does|is|was) (?:that|this|it|any of (?:that|it)) (?:ever )?"
    r"(?:happen(?:ed|s)?|true|appl(?:y|ies|ied)|so|the case|been (?:so|the case))"
    r"|(?:feel|felt|thought|experienced?) (?:like )?that(?: way| too)?)\b"
)


@lru_cache(maxsize=20_000)
def asks_if_so(question: str) -> bool:
    """Whether a short lower-case question asks if what was just said applies: "anything like that?"."""
    return len(question.split()) <= _SHORT + 2 and _SAME_OF_YOU.search(question) is not None


@lru_cache(maxsize=20_000)
def carries_on(question: str) -> bool:
    """Whether the doctor asks for more of the same: "anything else?", "any others?", "go on"."""
    return _MORE.search(question.lower()) is not None


@lru_cache(maxsize=20_000)
def leans(question: str, topics: tuple[Topic, ...]) -> bool:
    """Whether a short lower-case question depends on an earlier one for its subject; `topics` are its own."""
    if len(question.split()) > _SHORT or not QUALIFIERS.issuperset(topics):
        return False
    return _ELLIPTIC.match(question) is not None or (not topics and _POINTS_BACK.search(question) is not None)


def last_topics(earlier: Sequence[str]) -> tuple[Topic, ...]:
    """The topics of the doctor's latest words that name a subject; `earlier` is ordered oldest first."""
    for text in reversed(earlier):
        topics = topics_of_question(text)
        if topics and not (QUALIFIERS.issuperset(topics) and len(text.split()) <= _SHORT):
            return topics
    return ()


def carried_over(question: str, topics: tuple[Topic, ...], earlier: Sequence[str]) -> tuple[Topic, ...]:
    """The topics that a lower-case question inherits from earlier ones; none if it names its own.

    `topics` are those the question names itself.
    """
    if leans(question, topics) or (not topics and carries_on(question)):
        return last_topics(earlier)
    if topics[:1] == ("identity",) and _AGE_OF_OTHERS.search(question):
        before = last_topics(earlier)
        return before if _OTHERS.issuperset(before) else ()
    return ()


def topics_in_context(question: str, earlier: Sequence[str]) -> tuple[Topic, ...]:
    """The topics of a question in context: those it inherits from earlier questions, then its own."""
    own = topics_of_question(question)
    return tuple(dict.fromkeys((*carried_over(question.lower(), own, earlier), *own)))
