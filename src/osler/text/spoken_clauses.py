"""The clauses of speech and their moods: which of them order something, or announce an act of one's own.

"Nurse, can you stop the drip? Has she had adrenaline? If she drops, we'll give fluids." orders one thing: the
second clause asks, the third is a condition. Only listed forms count as orders, so that a sentence of unknown
form does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from osler.text import spoken_forms as forms
from osler.text.spoken_moods import Mood, mood_of
from osler.text.tokens import as_marked, lowered, unmarked


class Clause(NamedTuple):
    """A clause of speech: its words as said, what remains of them without the polite frame, and its mood.

    `named` is the person it addresses by name or role, in lower case; `please`: marked as wanted now;
    `whole`: the core with its reasons and asides; `asks`: it asks for a fact or sets a condition; `noun`: the
    core begins with what is wanted, not with a verb; `terse`: a phrase that alone may stand for an order.
    """

    said: str
    core: str
    mood: Mood
    named: str = ""
    please: bool = False
    whole: str = ""
    asks: bool = False
    noun: bool = False
    terse: bool = False


@lru_cache(maxsize=4096)
def clauses(speech: str, names: tuple[str, ...] = ()) -> tuple[Clause, ...]:
    """The clauses of speech in order. `names` are people's names or roles by which they may be addressed."""
    text = forms.QUOTED.sub(" … ", as_marked(speech).replace("’", "'").replace("‘", "'"))
    if unmarked(text) and not _doubtful(text):
        text = forms.RUNS_ON.sub(r"\1. ", text)
    address = _address(names)
    split = filter(None, map(str.strip, forms.SENTENCE.split(text)))
    return tuple(clause for sentence in split for clause in _of_sentence(sentence, address))


@dataclass(slots=True)
class _Sentence:
    """A sentence as far as it has been read: whether it asks, has set a condition or left things in doubt, or
    has ordered something; `called` is who was addressed by a piece that is a name alone."""

    asks: bool
    doubtful: bool
    conditional: bool = False
    ordered: bool = False
    called: str = ""

    def in_it(self, clause: Clause) -> Clause:
        """A clause as what was said before it in the sentence makes it."""
        if self.called and not clause.named:  # "Mr Reid, would you ...": the name alone is a piece
            clause = clause._replace(named=self.called)
        if self.conditional:
            clause = clause._replace(mood="none", asks=True)
        if self.doubtful:
            clause = clause._replace(terse=False)
        self.called = "" if clause.core else clause.named
        self.doubtful = self.doubtful or _governs(clause.core, ordered=self.ordered)
        self.conditional = self.conditional or _sets_condition(clause.core)
        self.ordered = self.ordered or clause.mood == "order"
        return clause


def _doubtful(text: str) -> bool:
    """Whether a text without marks holds what may reach over all of it: a condition, a report, a habit."""
    kinds = (forms.CONDITION, forms.MAYBE, forms.LATER, forms.PAST, forms.HABIT, forms.REPORTED, forms.NOT)
    return any(kind.search(lowered(text)) for kind in kinds)


def _of_sentence(sentence: str, address: _Address) -> Iterator[Clause]:
    asks = sentence.rstrip(" \"'").endswith("?")
    asks = asks and not (forms.TAG.search(sentence) or forms.YES_TAG.match(sentence))
    pieces = [piece for piece in forms.SPLIT.split(_before_condition(sentence)) if piece and piece.strip()]
    doubtful = asks and bool(pieces) and bool(forms.QUESTION.match(pieces[-1].strip(" ,").lower()))
    read = _Sentence(asks, doubtful)
    for place, piece in enumerate(pieces):
        ends_asking = read.asks and not read.ordered and place == len(pieces) - 1
        for part in _orders_apart(piece, address, ends_asking=ends_asking, ordered=read.ordered):
            yield read.in_it(_clause(part, address, asks=ends_asking and piece.endswith(part)))


def _clause(piece: str, address: _Address, *, asks: bool) -> Clause:
    """One clause, of one mood. `asks`: the sentence ends with it, in "?"."""
    text = piece.strip(" ,")
    low, who = _addressed(_stripped(text), address)
    conditional = forms.CONDITION.search(_without_purpose(low)) is not None
    if conditional and not (forms.YOU.match(low) or forms.PERMISSION.match(low)):
        return Clause(text, low, "none", who, asks=True)
    main = forms.ASIDE.sub("", low)
    mood, core = mood_of(main, asks=asks)
    of_someone = address.subject.sub("your sister", main)
    if of_someone != main and mood_of(of_someone, asks=asks)[0] == "granted":
        mood, core = "granted", main  # what somebody who is named is to do
    if mood == "bare" and forms.SOFTLY.match(lowered(text)):
        mood = "none"
    bare = mood == "bare"
    return Clause(
        text,
        core,
        mood,
        who,
        please=_wanted_now(text, core, bare=bare, named=bool(who)),
        whole=core + low[len(main) :],
        asks=bool(forms.QUESTION.match(low)),
        noun=bare or bool(forms.WE_NEED.match(main)),
        terse=bare and _is_terse(core),
    )


def _wanted_now(said: str, core: str, *, bare: bool, named: bool) -> bool:
    """Whether a clause marks what it says as wanted now. A long phrase without a verb does not."""
    plain = lowered(said)
    please = bool(forms.NOW.search(plain.rstrip(".? ")) or forms.RUN_IT.search(plain))
    few = len(core.split())
    return (
        please
        if not bare
        else (please and few <= forms.LONGEST_BARE) or (named and few <= forms.LONGEST_NAMED)
    )


def _is_terse(core: str) -> bool:
    """Whether a phrase without a verb may alone stand for an order: no finding, no statement, not long."""
    if not forms.TERSE.match(core) or forms.FINDING.search(core) or forms.RESULT.search(core):
        return False
    states = forms.STATES.search(forms.RELATIVE.sub("", core))
    return not states and all(len(part.split()) <= forms.LONGEST_BARE for part in core.split(","))


def _orders_apart(piece: str, address: _Address, *, ends_asking: bool, ordered: bool) -> Iterator[str]:
    """A piece that is no order as a whole, in parts, if an imperative follows a statement in it: "she is not
    passing urine, give her ..."."""
    at = 0
    while cut := forms.NEXT_ORDER.search(piece, at):
        at = cut.end()
        first, rest = piece[: cut.start()], piece[cut.start() + 1 :]
        aside = forms.ASIDE.search(piece)
        within = aside and aside.start() < cut.start()
        if not within and _clause(piece, address, asks=ends_asking).mood not in ("none", "bare"):
            continue
        low, _ = _addressed(_stripped(first), address)
        if _governs(low, ordered=ordered):
            break
        yield first
        piece, at = rest, 0
        ordered = ordered or _clause(first, address, asks=False).mood == "order"
    yield piece


def _governs(low: str, *, ordered: bool) -> bool:
    """Whether what is said first makes no order of the imperatives after it: a question, a condition, a
    report of what others say, or "don't"."""
    doubtful = forms.QUESTION.match(low) or forms.REPORTED.search(low) or forms.MAYBE.search(low)
    doubtful = doubtful or forms.PAST.search(low) or forms.HABIT.search(low)
    if doubtful or _sets_condition(low):
        return True
    rest = forms.LEAD_IN.sub("", low)
    refuses = forms.NOT.match(rest) or rest.startswith(("hold off", "avoid"))
    return bool(refuses) and not ordered


def _sets_condition(low: str) -> bool:
    return bool(forms.CONDITION.match(low) or forms.LATER.match(low))


def _without_purpose(low: str) -> str:
    """A clause without what it makes ready for, and without what it finds out: "look if anything is torn"."""
    return forms.FINDS_OUT.sub(r"\1", forms.READY.sub("", low))


def _before_condition(sentence: str) -> str:
    """A sentence without a condition for more: "give it now, and if she is no better, repeat"."""
    match = forms.AND_IF.search(sentence)
    return sentence[: match.start()] if match else sentence


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
        if hit := address.first.match(low):
            who = " ".join((hit["who"] or hit["named"]).split())
            low = low[hit.end() :]
        if low == before:
            break
    if hit := address.last.search(low):
        who = who or hit["who"]
        low = low[: hit.start()]
    return low.strip(" ,.!?…"), who


class _Address(NamedTuple):
    """Patterns of a form of address at the beginning and end of a clause, and of a name as its subject."""

    first: re.Pattern[str]
    last: re.Pattern[str]
    subject: re.Pattern[str]


@lru_cache(maxsize=256)
def _address(names: tuple[str, ...]) -> _Address:
    ways = sorted({re.escape(lowered(name)) for name in names if name}, key=len, reverse=True)
    titled = rf"{forms.NAMES}\s+(?!can\b|could\b|please\b|will\b|would\b|i\b|to\b)[a-z'-]+(?=\s*[,:!.])"
    who = rf"(?P<who>{'|'.join((*ways, titled, forms.NAMES))})\b"
    ends = r"\s*[,:!.?]\s*|\s*$"
    frames = r"(?:can|could|would|will) (?:you|we|i|some)|please|kindly|i need|i want|i'd"
    goes_on = rf"\s+(?=(?:{frames}|{'|'.join(forms.BASE)})\s)"
    first = rf"^\W*(?:(?:the|my)\s+{who}(?:{ends})|{who.replace('?P<who>', '?P<named>')}(?:{ends}|{goes_on}))"
    subject = rf"^(?:{'|'.join(ways)})(?=\W)" if ways else r"(?!)"
    return _Address(re.compile(first), re.compile(rf",\s*{who}\W*$"), re.compile(subject))
