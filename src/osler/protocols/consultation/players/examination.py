"""The built-in examination service: matches an order to the findings of the case.

An exact name of a finding or of a test is looked up. Of anything else the sentences that order something are
read (`osler.reading.ordering`), and a learned match chooses the findings that they ask for (`order_match`). A
different body part, side, specimen, modality or antibody rules out a match. An order for a whole category
("imaging", "a biopsy"), and one that is merely similar to a name, is asked back without revealing what there
is. It never invents a result.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from osler.core.contract import Request
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import corrected, is_full_name, meant_test, priced_name
from osler.knowledge.order_names import MODALITIES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.players.held_item import IndexedFinding, told
from osler.protocols.consultation.players.order_match import HANDS_ON, OrderBank, asked_for, units
from osler.protocols.consultation.seats import ExaminationReply, FindingView, order_of
from osler.reading.order_parts import OrderPart
from osler.reading.ordering import ordering, weights
from osler.text.order_reading import Reading, reading
from osler.text.refusal import refuses

_ASK_BACK: Final = (
    "It is not clear what is meant: please give the full name, with the body part, side or specimen where "
    "there is one."
)
_NOT_HELD: Final = "There is no result under this name."
_NAME: Final = 5  # words of speech that may be the name of a test that is not held
_LIKE: Final = 85  # minimum similarity (per cent) of an order to a finding's name for asking back
_CASES: Final = 1024  # cases whose index is cached
_REPLIES: Final = 256  # replies cached per case
_UNNAMED: Final = re.compile(r"\bimage \d+\b", re.IGNORECASE)
_PHOTOGRAPH: Final = re.compile(r"\b(?:images?|pictures?|photos?|photograph(?:s|y)?)\b", re.IGNORECASE)
_FIXED: Final = SITES | SIDES | MODALITIES | SPECIMENS

_Held = tuple[str, FindingKind, str, tuple[str, ...], str]


class _One(NamedTuple):
    """The outcome of a single order: findings, a known test that the case does not hold, or nothing.

    `name` is the canonical name of the test; `unclear` asks for a clearer name.
    """

    exact: bool = False
    found: tuple[IndexedFinding, ...] = ()
    name: str | None = None
    unheld: str | None = None
    unclear: bool = False


class Answer(NamedTuple):
    """A part of an order: its canonical name, and the ids of the findings that it brings."""

    name: str
    findings: tuple[str, ...]


class _Index:
    """The indexed findings of one case, with a cache of replies."""

    def __init__(self, held: tuple[_Held, ...]) -> None:
        self.items = [IndexedFinding(*one) for one in held if told(one[-1]) or not one[-1]]
        self.keys = frozenset[str]().union(*(item.keys for item in self.items))
        self.replies: dict[str, ExaminationReply] = {}

    @cached_property
    def held(self) -> OrderBank:
        """The findings before what was learned of orders."""
        return OrderBank(self.items, weights().bank)


class BaselineExamination:
    """The built-in examination service: lexical, deterministic, invents nothing."""

    name = "baseline"
    durable = False

    async def reply(self, request: Request[Any], /) -> ExaminationReply:
        """Match the latest order to the view's findings."""
        return match_order(order_of(request).name, request.view.findings)


def match_order(name: str, findings: tuple[FindingView, ...]) -> ExaminationReply:
    """Match the order `name`, which may name several things, to `findings`.

    `exact`: the finding's own name; `alias`: another name, a panel that contains it, or a part of it. `fuzzy`
    and `none` return no findings; `none` carries the formulary's name if the item is orderable.
    """
    index = _index_of(findings)
    if (examination_reply := index.replies.get(name)) is not None:
        return examination_reply
    reply = _reply(_matched(name, index))
    if len(index.replies) < _REPLIES:
        index.replies[name] = reply
    return reply


def answers(name: str, findings: tuple[FindingView, ...]) -> tuple[Answer, ...]:
    """The parts of an order that name a test, with what `match_order` finds for each."""
    return tuple(
        Answer(one.name or "; ".join(item.name for item in one.found), tuple(item.id for item in one.found))
        for _, one in _matched(name, _index_of(findings))
        if one.found or one.name
    )


def _index_of(findings: tuple[FindingView, ...]) -> _Index:
    # Keyed by plain text: hashing the models themselves takes many times as long.
    return _index(tuple([(f.id, f.kind, f.name, f.aliases, f.result) for f in findings]))


@lru_cache(maxsize=_CASES)
def _index(held: tuple[_Held, ...]) -> _Index:
    return _Index(held)


def items_of(findings: tuple[FindingView, ...]) -> list[IndexedFinding]:
    """The findings of a case, indexed for orders."""
    return _index_of(findings).items


def _matched(name: str, index: _Index) -> list[tuple[str, _One]]:
    """The single orders in `name`, as said, each with what it brings."""
    items = index.items
    if whole := tuple(item for item in items if item.key == normal_name(name) and not item.named.general):
        return [(name, _One(True, whole, _canonical(whole[0])))]
    refused = refuses(name.lower())
    bare = name.strip(" .?!").isalnum() or (bool(_attached(name, items)) and not refused)
    if bare or is_full_name(name) or reading(name).general:
        return [(name, _match_one(name, items))]
    parts = ordering(name, index.keys)
    result = [one for part in parts for one in _of_part(part, index)]
    nothing = not any(one.found or one.unheld for _, one in result)
    by_hand = not HANDS_ON.isdisjoint(words(name))
    if nothing and not refused and not by_hand and len(name.split()) <= _NAME:
        one = _match_one(name, items)
        # What may be no order is asked back at most.
        result = [(name, one if parts else _One(unclear=one.unclear))]
    return [one for one in result if one[1] != _One()] or result


def _of_part(part: OrderPart, index: _Index) -> list[tuple[str, _One]]:
    """Return the outcome of an ordering sentence, unit by unit; a finding belongs to the unit that asks for
    it most surely."""
    if not index.items:
        return [(name.text, _unheld(name.text)) for name in part.named if not name.negated]
    every = units(part, index.held)
    if not every:
        return []
    score = np.array([np.where(unit.rows.any(1), unit.rows @ weights().match, -1.0) for unit in every])
    best = score.argmax(0)
    pairs = list[tuple[str, _One]]()
    for at, unit in enumerate(every):
        brings = tuple(item for n, item in enumerate(index.items) if best[n] == at and score[at, n] >= 0) or (
            () if unit.named or unit.beside else _attached(unit.text, index.items)
        )
        test = reading(unit.text).test if unit.named else None
        if brings:
            pairs.append((unit.text, _One(False, brings, test.name if test else _canonical(brings[0]))))
        elif unit.named and not unit.rows.any():
            pairs.append((unit.text, _unheld(unit.text)))
        elif not unit.named and reading(unit.text).general:
            pairs.append((unit.text, _One(unclear=True)))
    return pairs


def _unheld(name: str) -> _One:
    """Return the outcome of ordering a test that the case does not hold."""
    order = reading(name)
    if order.general or order.test is None:
        return _One(unclear=True)
    return _One(name=order.test.name, unheld=priced_name(order.test, name))


def _attached(name: str, items: list[IndexedFinding]) -> tuple[IndexedFinding, ...]:
    """The image files of which the case does not say what they are, for an order of "the images" or of a
    photograph; a technique, another test or a number asks for something else."""
    unnamed = tuple(item for item in items if _UNNAMED.match(item.name))
    if not unnamed or not _PHOTOGRAPH.search(name) or _UNNAMED.search(name):
        return ()
    rest = _PHOTOGRAPH.sub(" ", name)
    test = meant_test(rest)
    other = test is not None and test.entry is not None and test.entry.kind != "examination"
    return () if other or MODALITIES & set(words(rest)) else unnamed


def _canonical(item: IndexedFinding) -> str:
    return item.named.test.name if item.named.test else item.name


def _match_one(name: str, items: list[IndexedFinding]) -> _One:
    """Return the outcome of ordering one test, examination or picture."""
    if findings := _attached(name, items):
        return _One(False, findings, findings[0].name)
    order = reading(name)
    relation, result = asked_for(name, items)
    if result:
        return _One(relation == 0, result, order.test.name if order.test else None)
    if order.general or order.test:
        return _unheld(name)
    spelled = " ".join(map(corrected, words(name)))
    if spelled != " ".join(words(name)) and (one := _match_one(spelled, items)).found:
        return one
    return _One(unclear=bool(formulary().near(name)) or any(_resembles(order, item) for item in items))


def _resembles(order: Reading, item: IndexedFinding) -> bool:
    return order.words & _FIXED == item.words & _FIXED and fuzz.ratio(order.key, item.key) >= _LIKE


def _reply(matched: list[tuple[str, _One]]) -> ExaminationReply:
    result = tuple(dict.fromkeys(item.id for _, one in matched for item in one.found))
    text = "; ".join(dict.fromkeys(item.name for _, one in matched for item in one.found))
    names = text or "; ".join(dict.fromkeys(one.name for _, one in matched if one.name))
    unheld = tuple(dict.fromkeys(one.unheld for _, one in matched if one.unheld and not one.found))
    unclear = tuple(piece for piece, one in matched if not (one.found or one.unheld))
    if not result and not unheld and any(one.unclear for _, one in matched):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    exact = len(matched) == 1 and matched[0][1].exact
    match_type: Literal["exact", "alias", "none"] = "exact" if exact else "alias" if result else "none"
    return ExaminationReply(
        match_type=match_type,
        findings=result,
        matched_test_name=names or None,
        unheld=unheld,
        unclear=unclear if len(matched) > 1 else (),
        reason="" if result else _NOT_HELD,
    )
