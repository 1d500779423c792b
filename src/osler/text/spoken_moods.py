"""The moods of spoken clauses: which order something, announce an act of one's own, offer or permit one.

Readers of single forms are asked in turn, and the first that knows the form decides. A form that none of them
knows is no order.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from osler.text import spoken_forms as forms
from osler.text.quantities import doses, in_figures, routes

Mood = Literal["order", "announced", "permission", "offer", "granted", "bare", "none"]
"""`bare`: a phrase without a verb, such as "oxygen, fifteen litres, please"; `granted`: "you can go"."""
_Read = tuple[Mood, str]
_UNSAID: Final = re.compile(
    r"(?:you\b(?! to\b)|know|be|understand|say|tell you|explain|you to (?:know|tell|understand)"
    r"|apologi[sz]e|think"
    r"|(?:ask|talk|speak|discuss)(?: (?:to|with))?(?: about)? (?:you|this|that|it|what|how"
    r"|whether|if)\b(?! to\b))(?:\b|$)"
)


def mood_of(low: str, *, asks: bool) -> _Read:
    """The mood of a clause in lower case, and its words without the frame. `asks`: it ends in "?"."""
    if not low:
        return "none", ""
    if (match := forms.LATER.search(low)) and (joined := low.rfind(" and ", 0, match.start())) > 0:
        low = low[:joined].rstrip(", ")  # "send it now, and another in an hour"
    if forms.LATER.search(low) or forms.MAYBE.search(low) or forms.PAST.search(low):
        return "none", low
    for read in (_granted, _asked_of_you, _permission, _offer, _needed, _announced, _doing, _told):
        if found_mood := read(low, asks):
            return found_mood
    return _imperative(low, asks)


def measured(text: str) -> bool:
    """Whether a text names a dose, a flow or a route."""
    return bool(doses(text) or routes(text) or re.search(r"\d", in_figures(text)))


def is_base(word: str) -> bool:
    """Whether a word is a verb of ordering in its base form, or in -ing."""
    if word in forms.BASE:
        return True
    stem = word.removesuffix("ing")
    return stem != word and any(one in forms.BASE for one in (stem, f"{stem}e", stem[:-1]))


def first_word(text: str) -> str:
    """The first word of a text."""
    return re.split(r"[^\w'-]", text, maxsplit=1)[0]


def _granted(low: str, asks: bool) -> _Read | None:
    if not (hit := forms.GRANTS.match(low)):
        return None
    rest = low[hit.end() :]
    if not asks and forms.FOR_THE_TEAM.match(rest) and not forms.YOURS.search(rest):
        return "order", rest  # "You can start the oxygen."
    return ("none" if asks or forms.ABOUT_YOURS.match(rest) else "granted"), rest


def _asked_of_you(low: str, asks: bool) -> _Read | None:
    if not (hit := forms.YOU.match(low)):
        return None
    rest = forms.LEAD_IN.sub("", low[hit.end() :])
    refused = forms.OF_THE_MIND.match(rest) or forms.ABOUT_YOURS.match(rest) or _refused(rest)
    return ("none" if refused else "order"), rest


def _permission(low: str, asks: bool) -> _Read | None:
    if not (hit := forms.PERMISSION.match(low)) or forms.WE_NEED.match(low):
        return None
    rest = low[hit.end() :]
    mind = forms.OF_THE_MIND.match(rest) and not forms.OF_THE_SENSES.match(rest)
    none = mind or forms.NOT.search(rest) or rest.startswith("ask")
    return ("none" if none else "permission"), rest


def _offer(low: str, asks: bool) -> _Read | None:
    if forms.OFFERS.match(low):
        return "offer", low
    if forms.HERE_IS.match(low):
        return ("none" if asks else "announced"), low
    return None


def _needed(low: str, asks: bool) -> _Read | None:
    if not (hit := forms.WE_NEED.match(low)):
        return None
    rest = forms.LEAD_IN.sub("", hit["rest"])
    if forms.THEY_NEED.match(low) and not (forms.NOW.search(low) or measured(rest)):
        return "none", rest
    wrong = asks and not low.startswith(("can", "could", "may"))
    return ("none" if wrong or _refused(low) or _UNSAID.match(rest) else "order"), rest


def _announced(low: str, asks: bool) -> _Read | None:
    if not (hit := forms.ANNOUNCES.match(low)):
        return None
    rest = low[hit.end() :]
    if forms.NOT.search(low.split(",")[0]) or asks:
        return "none", rest
    if low.startswith(("let's ", "lets ", "let us ")):
        return "order", rest
    # "We are giving blood" tells people what is going on, but for a move or a dose.
    ongoing = low.startswith(("we're ", "we are ")) and forms.GOING.match(rest)
    if ongoing and not (forms.MOVING.match(rest) or doses(rest)):
        return "permission", rest
    return "announced", rest


def _doing(low: str, asks: bool) -> _Read | None:
    """Read an act that the speakers say they do: "I look now at the placenta", "we stop the simvastatin"."""
    if not (hit := forms.WE_DO.match(low)) or asks or forms.NOT.search(low) or forms.HABIT.search(low):
        return None
    rest = low[hit.end() :]
    if first_word(rest) not in forms.BASE or forms.IN_THE_MIND.match(rest) or _UNSAID.match(rest):
        return None
    if hit["who"] == "i" or forms.NOW.search(low) or "now" in low.split() or forms.CHANGING.match(rest):
        return "announced", rest
    return ("announced" if doses(rest) else "permission"), rest


def _told(low: str, asks: bool) -> _Read | None:
    """Read what the listener, or somebody else, is to do: "you will give", "she goes to HDU"."""
    if asks:
        return None
    negated = forms.NOT.search(low) is not None
    if hit := forms.YOU_WILL.match(low):
        rest = forms.LEAD_IN.sub("", low[hit.end() :])
        done = is_base(first_word(rest)) and not forms.OF_YOU.match(rest) and not negated
        return ("order" if done else "none"), rest
    if forms.SHE_GOES.match(low) and not (negated or forms.HABIT.search(low)):
        return "granted", low
    return None


def _imperative(low: str, asks: bool) -> _Read:
    rest = forms.LEAD_IN.sub("", low)
    first = first_word(rest)
    if (hit := forms.FRONTED.match(rest)) and not asks and not forms.NOT.search(rest):
        return "announced", f"{hit['verb']} {hit['what']}{hit['rest'] or ''}"
    if forms.QUESTION.match(low) or (asks and first not in forms.BASE and not forms.NOW.search(low)):
        return "none", low
    if _forbids(rest):
        return "none", low
    if first in forms.BASE and not forms.IS.match(rest):
        return "order", rest
    return ("none", low) if _tells(rest) else ("bare", rest)


def _forbids(rest: str) -> bool:
    """Whether a clause says what is not to be done."""
    starts = rest.startswith(("no ", "hold off", "avoid", "let's not"))
    return starts or bool(forms.NOT.match(rest)) or _refused(rest.split(",")[0])


def _tells(rest: str) -> bool:
    """Whether a clause without an imperative tells something, and does not only name what is wanted."""
    if forms.HABIT.search(rest) or forms.OF_THE_PAST.search(rest):
        return True
    return bool(forms.PERSONAL.search(forms.RUN_IT.sub("", forms.RELATIVE.sub("", rest))))


def _refused(rest: str) -> bool:
    """Whether a negation governs what is asked for, and is not only in what is to be told."""
    message = forms.MESSAGE.search(rest)
    return bool(forms.NOT.search(rest[: message.start()] if message else rest))
