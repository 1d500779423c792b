"""Questions asked again: what was asked and answered before, as a listener would count it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.protocols.consultation.judge.dialogue_acts import asks_back, checks_understanding, summarises
from osler.protocols.consultation.judge.reading import Exchange
from osler.text.act_rules import stems
from osler.text.tokens import folded
from osler.text.topics import topics_of_question

_LONGEST: Final = 2000
_FEWEST_WORDS: Final = 5
_WORD: Final = re.compile(r"\w+")
_SMALL_WORDS: Final = frozenset(
    form
    for word in _WORD.findall(
        "a an and any are at be been can could did do does for from had has have how i in is it me my of on"
        " or please so tell that the there this to was were what when which with would you your about also"
        " just now ok okay u r ur kindly pls hi hello doctor exactly really ever got get getting again sorry"
        " more bit everything anything something else s m re ve d ll t"
    )
    for form in (word, *stems(word))
)
_SAYS_AGAIN: Final = re.compile(
    r"\b(?:(?:as|like) i (?:said|told you|mentioned|say)|i(?:'ve| have)? (?:already|just) (?:told you|said"
    r"|answered|mentioned)"
    r"|(?:as|like) i (?:was saying|have said|'ve said)|i told you (?:that|already|before))\b"
)
_NOT_ANSWERED: Final = re.compile(
    r"\b(?:what you mean|what do you mean|say that again|another way|(?:don't|didn't|do not"
    r"|did not) (?:quite |really )?(?:understand|follow|catch|get)"
    r"|pardon|come again|rather not|not sure what|i'm lost|you've lost me)\b"
)


def asked_again(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """The exchanges that ask again for what was answered before.

    A question is a repeat if the patient replies that it was said ("As I said ..."), if it has the content
    words of an earlier one, or if it shares that one's topic and gets the same answer. A question that was
    not understood or not answered may be put again, and so may a summary or a check of understanding.
    """
    result, before = list[Exchange](), list[Exchange]()
    for one in exchanges:
        reply = folded(one.reply[:_LONGEST])
        # The dialogue acts are read last: few questions are like an earlier one.
        again = _SAYS_AGAIN.search(reply) or any(_same(one, other) and _asks(other) for other in before)
        if again and _asks(one):
            result.append(one)
        if not _NOT_ANSWERED.search(reply):
            before.append(one)
    return result


def _asks(one: Exchange) -> bool:
    """Whether the doctor's line is a question, and no summary, teach-back or check of understanding."""
    return not (summarises(one.said) or asks_back(one.said) or checks_understanding(one.said))


def _same(one: Exchange, other: Exchange) -> bool:
    words = _content(one.said[:_LONGEST])
    if words and words == _content(other.said[:_LONGEST]):
        return True
    reply = _plain(one.reply[:_LONGEST])
    if len(reply) < _FEWEST_WORDS or reply != _plain(other.reply[:_LONGEST]):
        return False
    topics = set(topics_of_question(one.said)) & set(topics_of_question(other.said))
    return bool(other.opened) and bool(topics)


@lru_cache(maxsize=8192)
def _content(question: str) -> frozenset[str]:
    return frozenset(stems(folded(question))) - _SMALL_WORDS


@lru_cache(maxsize=8192)
def _plain(reply: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(folded(reply)))
