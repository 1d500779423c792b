"""The clauses of speech and their moods: which of them order something, or announce an act of one's own.

"Nurse, can you stop the drip? Has she had adrenaline? If she drops, we'll give fluids." orders one thing: the
second clause asks, the third is a condition. Only listed forms count as orders, so that a sentence of unknown
form does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from osler.text import spoken_forms as forms
from osler.text.quantities import doses, in_figures, routes
from osler.text.tokens import lowered

Mood = Literal["order", "announced", "permission", "offer", "granted", "bare", "none"]
"""`bare`: a phrase without a verb, such as "oxygen, fifteen litres, please"; `granted`: "you can go"."""


class Clause(NamedTuple):
    """A clause of speech: its words as said, what remains of them without the polite frame, and its mood.

    `named` is the person it addresses by name or role, in lower case; `please`: marked as wanted now;
    `whole`: the core with its reasons and asides; `asks`: it asks for a fact or sets a condition; `noun`: the
    core begins with what is wanted, not with a verb.
    """

    said: str
    core: str
    mood: Mood
    named: str = ""
    please: bool = False
    whole: str = ""
    asks: bool = False
    noun: bool = False


@lru_cache(maxsize=4096)
def clauses(speech: str, names: tuple[str, ...] = ()) -> tuple[Clause, ...]:
    """The clauses of speech in order. `names` are people's names or roles by which they may be addressed."""
    text = forms.QUOTED.sub(" … ", speech.replace("’", "'").replace("‘", "'"))
    address = _address(names)
    found: list[Clause] = []
    named = ""
    for sentence in filter(None, map(str.strip, forms.SENTENCE.split(text))):
        for clause in _of_sentence(sentence, address, named):
            named = clause.named or named
            found.append(clause)
    return tuple(found)


def _of_sentence(sentence: str, address: _Address, named: str) -> Iterator[Clause]:
    asks = sentence.rstrip(" \"'").endswith("?")
    conditional = False
    pieces = [piece for piece in forms.SPLIT.split(_before_condition(sentence)) if piece and piece.strip()]
    for place, piece in enumerate(pieces):
        last = place == len(pieces) - 1
        said = piece.strip(" ,")
        low, who = _addressed(_stripped(said), address)
        here = bool(forms.CONDITION.search(forms.READY.sub("", low))) and not (
            forms.YOU.match(low) or forms.PERMISSION.match(low)
        )
        if conditional or here:
            conditional = conditional or bool(forms.CONDITION.match(low))
            yield Clause(said, low, "none", who, asks=True)
            continue
        main = forms.ASIDE.sub("", low)
        mood, core = _mood(main, asks=asks and last)
        please = bool(forms.NOW.search(said.lower().rstrip(".? ")))
        if mood == "bare":
            few = len(core.split())
            please = (please and few <= forms.LONGEST_BARE) or (bool(who) and few <= forms.LONGEST_NAMED)
        yield Clause(
            said,
            core,
            mood,
            who,
            please,
            core + low[len(main) :],
            bool(forms.QUESTION.match(low)),
            mood == "bare" or bool(forms.WE_NEED.match(main)),
        )


def _before_condition(sentence: str) -> str:
    """A sentence without a condition for more: "give it now, and if she is no better, repeat"."""
    found = forms.AND_IF.search(sentence)
    return sentence[: found.start()] if found else sentence


def _stripped(said: str) -> str:
    """A clause in lower case without the polite remarks and the closed loop around it."""
    low = forms.POLITE_INSIDE.sub("", forms.CLOSED_LOOP.sub("", lowered(said)))
    for _ in range(3):
        shorter = forms.POLITE.sub("", low.rstrip(" .!?,")).strip()
        if shorter == low:
            break
        low = shorter
    return low


def _addressed(low: str, address: _Address) -> tuple[str, str]:
    """A clause without greeting and form of address, and who is addressed."""
    who = ""
    for _ in range(6):
        before = low
        low = forms.FILLER.sub("", low, count=1)
        if found := address.first.match(low):
            who = " ".join(found["who"].split())
            low = low[found.end() :]
        if low == before:
            break
    if found := address.last.search(low):
        who = who or found["who"]
        low = low[: found.start()]
    return low.strip(" ,.!?…"), who


class _Address(NamedTuple):
    """Patterns of a form of address at the beginning and at the end of a clause."""

    first: re.Pattern[str]
    last: re.Pattern[str]


@lru_cache(maxsize=256)
def _address(names: tuple[str, ...]) -> _Address:
    ways = sorted({re.escape(lowered(name)) for name in names if name}, key=len, reverse=True)
    titled = rf"{forms.NAMES}\s+(?!can\b|could\b|please\b|will\b|would\b|i\b|to\b)[a-z'-]+(?=\s*[,:!.])"
    who = rf"(?P<who>{'|'.join((*ways, titled, forms.NAMES))})\b"
    follows = r"\s*(?:[,:!.?]\s*|$|(?=(?:can|could|would|will|please|kindly|i need|i want|i'd|get|give)\b))"
    return _Address(re.compile(rf"^\W*(?:(?:the|my)\s+)?{who}{follows}"), re.compile(rf",\s*{who}\W*$"))


def _mood(low: str, *, asks: bool) -> tuple[Mood, str]:
    """The mood of a clause in lower case, and its words without the frame."""
    if not low:
        return "none", ""
    if (found := forms.LATER.search(low)) and (joined := low.rfind(" and ", 0, found.start())) > 0:
        low = low[:joined].rstrip(", ")  # "send it now, and another in an hour"
    if forms.LATER.search(low) or forms.MAYBE.search(low):
        return "none", low
    if found := forms.GRANTS.match(low):
        return ("none" if asks else "granted"), low[found.end() :]
    if found := forms.YOU.match(low):
        rest = forms.LEAD_IN.sub("", low[found.end() :])
        refused = forms.OF_THE_MIND.match(rest) or forms.ABOUT_YOURS.match(rest) or forms.NOT.search(rest)
        return ("none" if refused else "order"), rest
    if (found := forms.CAN_WE.match(low)) and not forms.WE_NEED.match(low):
        return ("none" if forms.NOT.search(low) else "order"), low[found.end() :]
    if forms.PERMISSION.match(low) and not forms.WE_NEED.match(low):
        rest = low[forms.PERMISSION.match(low).end() :]  # type: ignore[union-attr]
        return (
            "none"
            if forms.OF_THE_MIND.match(rest) or forms.NOT.search(rest) or rest.startswith("ask")
            else "permission"
        ), rest
    if forms.OFFERS.match(low):
        return "offer", low
    if forms.HERE_IS.match(low):
        return ("none" if asks else "announced"), low
    if found := forms.WOULD_LIKE_TO.match(low):
        return ("none" if forms.NOT.search(low) or _unsaid(found["rest"]) else "permission"), found["rest"]
    if found := forms.WE_NEED.match(low):
        rest = forms.LEAD_IN.sub("", found["rest"])
        if forms.THEY_NEED.match(low) and not (forms.NOW.search(low) or measured(rest)):
            return "none", rest
        wrong = asks and not low.startswith(("can", "could", "may"))
        return ("none" if wrong or forms.NOT.search(low) or _unsaid(rest) else "order"), rest
    if found := forms.ANNOUNCES.match(low):
        rest = low[found.end() :]
        if forms.NOT.search(low) or asks:
            return "none", rest
        if low.startswith(("let's ", "lets ", "let us ")):
            return "order", rest
        # "We are giving blood" tells people what is going on.
        return (
            "permission" if low.startswith(("we're ", "we are ")) and forms.GOING.match(rest) else "announced"
        ), rest
    rest = forms.LEAD_IN.sub("", low)
    first = re.split(r"[^\w'-]", rest, maxsplit=1)[0]
    if forms.QUESTION.match(low) or (asks and first not in forms.BASE and not forms.NOW.search(low)):
        return "none", low
    if (
        forms.NOT.match(rest)
        or rest.startswith(("no ", "hold off", "avoid", "let's not"))
        or forms.NOT.search(rest.split(",")[0])
    ):
        return "none", low
    if first in forms.BASE:
        return "order", rest
    if forms.PERSONAL.search(rest):
        return "none", low
    return "bare", rest


def _unsaid(rest: str) -> bool:
    """Whether what is needed is to know, to talk or to wait: "I need to know", "I want to ask you"."""
    return bool(
        re.match(
            r"(?:you\b(?! to\b)|know|be|understand|say|tell you|explain|you to (?:know|tell|understand)"
            r"|apologi[sz]e|think"
            r"|(?:ask|talk|speak|discuss)(?: (?:to|with))?(?: about)? (?:you|this|that|it|what|how"
            r"|whether|if)\b(?! to\b))(?:\b|$)",
            rest,
        )
    )


def measured(text: str) -> bool:
    """Whether a text names a dose, a flow or a route."""
    return bool(doses(text) or routes(text) or re.search(r"\d", in_figures(text)))
