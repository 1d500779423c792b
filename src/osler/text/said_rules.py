"""Rules for what is said: those of `osler.text.act_rules`, with named classes, gaps, questions and guards.

A rule is groups joined by `&`, each of alternative wordings joined by `|`; a group that begins with `!` must
not occur. Besides:

    @name       a class of wordings or a communicative act of `osler.knowledge.communication`
    how * feel  a gap of up to four words
    a | b > c   any wording of the first list, then, after a gap, one of the second: "midwife, please give"
    ?           the sentence asks (a question, or "tell me ...", "I'd like to know ..."); `!?`: it does not
    #name       the speaker says their own name; `#role` their role; `#self` speaks of "I"
    #if         the sentence begins with a condition: "if her lactate is high, ..."
    #staff      the sentence addresses the staff: "Nurse, ..."
    #kin        a question about the relatives of the one who is asked
    #team       the speaker tells what "we" or the team did

Every rule must be met within a sentence or two neighbouring ones. The first group names what is done: where
those words are negated ("I am not sorry"), declined ("I won't ask whether ..."), put off ("I'll explain it
later") or reported of others ("the nurse told you that ..."), they do not count, unless the wording itself
contains the negation ("not your fault"). A wording with a gap does not reach over a negation: "I am not the
one who prescribed it" holds no "i * prescribed".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import Final, NamedTuple

from osler.text.act_rules import stems
from osler.text.communication import acts, classes, fingerprint
from osler.text.englishes import standard
from osler.text.introductions import gives_name, gives_role
from osler.text.stance import (
    SCOPE,
    asks,
    clauses,
    conditional,
    expanded,
    of_a_group,
    of_kin,
    of_oneself,
    set_aside,
    states,
    to_staff,
)
from osler.text.tokens import as_marked, lowered, sentences

__all__ = ["SaidRule", "fingerprint", "heard_in", "said_rule", "says"]

_KEPT: Final = 16_384
_GAP: Final = "*"
_WIDEST: Final = 4
"""The most words that a gap spans."""
_DEEPEST: Final = 4
_ASKS: Final = "?"
_ONLY_ASKS: Final = "?only"
_DENIES: Final = frozenset({"not", "no", "never", "without", "nobody", "nor", "neither", "avoid", "stop"})
_ROUTE: Final = re.compile(
    r"\b(?:IM|(?<=mg )im|(?<=mcg )im|(?<=dose )im|(?<=adrenaline )im|(?<=epinephrine )im)\b"
)
"""The route "IM", which is not "I'm"."""
_FEATURES: Final = frozenset({_ASKS, _ONLY_ASKS, "#name", "#role", "#self", "#team", "#kin", "#if", "#staff"})


class _Group(NamedTuple):
    """Alternative wordings of one thing; the one-word ones are kept apart because a set lookup finds them."""

    single: frozenset[str]
    longer: tuple[tuple[str, ...], ...]
    wanted: bool


class _Window(NamedTuple):
    """The stems of one sentence, or two. `held` are the stems and the features (`?`, `#name`) as a set, `off`
    the stretches in which words do not count as done: from a negation (`True`) or another mark of what is not
    done to the end of its scope."""

    stems: tuple[str, ...]
    held: frozenset[str]
    off: tuple[tuple[int, int, bool], ...]
    text: str


class SaidRule(NamedTuple):
    """A parsed rule: any one of its conjunctions suffices."""

    text: str
    ways: tuple[tuple[_Group, ...], ...]

    @property
    def asks(self) -> bool:
        """Whether every way of meeting the rule is a question."""
        return all(any(_ASKS in group.single and group.wanted for group in way) for way in self.ways)

    def heard(self, text: str) -> str | None:
        """The first sentence, or two neighbouring ones, in which the rule is met; `None` if none."""
        for window in _windows(text):
            if any(_met(way, window) for way in self.ways):
                return window.text
        return None


@lru_cache(maxsize=_KEPT)
def said_rule(text: str) -> SaidRule:
    """Parse a rule. Raises ValueError if a group or a wording is empty, if every group is negated, or if a
    class is not known."""
    ways = tuple(tuple(map(_group, way)) for way in _spelled_out(text, _DEEPEST))
    for way in ways:
        if not any(group.wanted for group in way):
            raise ValueError(f"the rule {text!r} requires nothing")
    return SaidRule(text, ways)


def heard_in(text: str, rule: str) -> str | None:
    """The first sentence of an utterance, or two neighbouring ones, that meets a rule; else `None`."""
    return said_rule(rule).heard(text)


def says(text: str, rules: Sequence[str]) -> bool:
    """Whether an utterance meets every rule, each in a sentence or in two neighbouring ones."""
    return all(heard_in(text, each) is not None for each in rules)


def _spelled_out(text: str, depth: int) -> Iterator[list[str]]:
    """The conjunctions that a rule stands for: a communicative act as a whole group stands for its rules."""
    parts = [part.strip() for part in text.split("&")]
    for at, part in enumerate(parts):
        name = part.removeprefix("@")
        if name != part and name in acts():
            if not depth:
                raise ValueError(f"the act {name!r} contains itself")
            rest = [*parts[:at], *parts[at + 1 :]]
            for each in acts()[name]:
                for way in _spelled_out(each, depth - 1):
                    more = " & ".join([*way, *rest])
                    yield from _spelled_out(more, depth)
            return
    yield parts


@lru_cache(maxsize=_KEPT)
def _group(part: str) -> _Group:
    wanted = not part.startswith("!")
    single, longer = set[str](), list[tuple[str, ...]]()
    for wording in _in_order(part.removeprefix("!")):
        if wording in _FEATURES:
            single.add(wording if wanted or wording != _ASKS else _ONLY_ASKS)
            continue
        result = _wording(wording)
        if not result or result[0] == _GAP or result[-1] == _GAP:
            raise ValueError(f"{part[:40]!r} has an empty wording, {wording!r}")
        if len(result) == 1:
            single.add(result[0])
        else:
            longer.append(result)
    return _Group(frozenset(single), tuple(longer), wanted)


def _in_order(group: str) -> Iterator[str]:
    """The wordings of a group; of "a | b > c | d" those that begin with a or b and end with c or d."""
    lists = [tuple(_wordings(each, _DEEPEST)) for each in group.split(">")]
    return (f" {_GAP} ".join(each) for each in product(*lists))


def _wordings(group: str, depth: int) -> Iterator[str]:
    for wording in group.split("|"):
        wording = wording.strip()
        name = wording.removeprefix("@")
        if name == wording:
            yield wording
        elif name not in classes() or not depth:
            raise ValueError(f"there is no class of wordings {name!r}")
        else:
            for each in classes()[name]:
                yield from _wordings(each, depth - 1)


@lru_cache(maxsize=_KEPT)
def _wording(text: str) -> tuple[str, ...]:
    wording: list[str] = []
    for number, piece in enumerate(text.split(_GAP)):
        wording += [_GAP] * (number > 0) + list(_stems(expanded(lowered(piece))))
    return tuple(wording)


def _met(way: tuple[_Group, ...], window: _Window) -> bool:
    if not all(_occurs(group, window) is group.wanted for group in way):
        return False
    head = next(group for group in way if group.wanted)
    return not window.off or _counts(head, window)


def _occurs(group: _Group, window: _Window) -> bool:
    if not group.single.isdisjoint(window.held):
        return True
    return any(next(_spans(way, window), None) is not None for way in group.longer)


def _counts(head: _Group, window: _Window) -> bool:
    """Whether some wording of the head stands outside every stretch in which words do not count."""
    if head.single & _FEATURES & window.held:
        return True
    result = [at for at, stem in enumerate(window.stems) if stem in head.single]
    if any(not _set_aside(at, at, window) for at in result):
        return True
    return any(
        not _set_aside(at, at if _DENIES.intersection(way) else last, window)
        for way in head.longer
        for at, last in _spans(way, window)
    )


def _set_aside(at: int, last: int, window: _Window) -> bool:
    """Whether a wording stands in a stretch in which words do not count, or reaches over a negation."""
    return any(first <= at < end or (denied and at < first <= last) for first, end, denied in window.off)


def _spans(way: tuple[str, ...], window: _Window) -> Iterator[tuple[int, int]]:
    """The first and the last position of each occurrence of a wording among the stems."""
    if not all(word in window.held for word in way if word != _GAP):
        return
    for at, stem in enumerate(window.stems):
        if stem == way[0]:
            yield from ((at, last) for last in _ends(way, 1, window.stems, at + 1))


def _ends(way: tuple[str, ...], n: int, said: tuple[str, ...], at: int) -> Iterator[int]:
    if n == len(way):
        yield at - 1
    elif way[n] == _GAP:
        for skip in range(_WIDEST + 1):
            yield from _ends(way, n + 1, said, at + skip)
    elif at < len(said) and said[at] == way[n]:
        yield from _ends(way, n + 1, said, at + 1)


@lru_cache(maxsize=_KEPT)
def _windows(text: str) -> tuple[_Window, ...]:
    """Every sentence, and every two neighbouring ones."""
    each = [_window(sentence.strip()) for sentence in sentences(as_marked(text))]
    return (*each, *(_joined(one, other) for one, other in pairwise(each)))


def _joined(one: _Window, other: _Window) -> _Window:
    shift = len(one.stems)
    off = (*one.off, *((first + shift, last + shift, denied) for first, last, denied in other.off))
    held = one.held | other.held
    if not (_ONLY_ASKS in one.held and _ONLY_ASKS in other.held):
        held -= {_ONLY_ASKS}
    return _Window(one.stems + other.stems, held, off, f"{one.text} {other.text}")


@lru_cache(maxsize=_KEPT)
def _window(sentence: str) -> _Window:
    sentence = standard(sentence)
    low = expanded(lowered(_ROUTE.sub("intramuscular", sentence)))
    features = {
        _ASKS: asks(low),
        _ONLY_ASKS: not states(low),
        "#name": gives_name(sentence),
        "#role": gives_role(sentence),
        "#self": of_oneself(low),
        "#team": of_a_group(low),
        "#kin": of_kin(low),
        "#if": conditional(low),
        "#staff": to_staff(low),
    }
    said: list[str] = []
    off: list[tuple[int, int, bool]] = []
    for clause in clauses(low):
        start = len(said)
        said += _stems(clause)
        for place, to_end in set_aside(clause, low):
            first = start + len(_stems(clause[:place]))
            off.append((first, len(said) if to_end else min(len(said), first + SCOPE), not to_end))
    held = frozenset(said) | {name for name, holds in features.items() if holds}
    return _Window(tuple(said), held, tuple(off), sentence)


@lru_cache(maxsize=_KEPT)
def _stems(low: str) -> tuple[str, ...]:
    return tuple(map(_one_spelling, stems(low)))


def _one_spelling(word: str) -> str:
    """British and American spellings alike: "haemoglobin" and "hemoglobin", "apologise" and "apologize"."""
    word = word.replace("ae", "e").replace("oe", "e").replace("our", "or")
    return word[:-2] + "iz" if word.endswith("is") and len(word) > 5 else word
