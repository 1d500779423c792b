"""The built-in examination service: matches an order to the findings of the case.

Talk about tests orders nothing (`osler.text.order_stance`); what is named in the rest, in whatever words,
is found wherever it stands (`osler.text.order_mentions`). Each is compared with the findings' names, then
with the other names of the same test, with panels and their parts, and for pictures and biopsies with
modality and body part. A different body part, side, specimen, modality or antibody always rules out a match.
An order for a whole category ("imaging", "a biopsy"), and one that is merely similar to a name, is asked back
without revealing what there is. It never invents a result.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from rapidfuzz import fuzz

from osler.core.contract import Request
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import corrected, is_full_name, meant_test, parts_of, priced_name
from osler.knowledge.order_names import MODALITIES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.players.bedside import examined
from osler.protocols.consultation.players.held_item import AGAIN, Item, told
from osler.protocols.consultation.players.held_results import contains_it, is_it, reveals_it, shows_it
from osler.protocols.consultation.seats import ExaminationReply, FindingView, order_of
from osler.text.order_mentions import Mention, mentions
from osler.text.order_reading import TECHNICAL, Reading, reading
from osler.text.order_stance import ordering

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
_VITALS: Final = frozenset(
    {"Temperature", "Pulse", "Blood pressure", "Respiratory rate", "Oxygen saturation"}
)
_FIXED: Final = SITES | SIDES | MODALITIES | SPECIMENS

_Held = tuple[str, FindingKind, str, tuple[str, ...], str]


class _One(NamedTuple):
    """What a single order brings: findings, or a known test that is not held, or nothing.

    `name` is the canonical name of the test; `unclear` asks for a clearer name.
    """

    exact: bool = False
    found: tuple[Item, ...] = ()
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
        self.items = [Item(*one) for one in held if told(one[-1]) or not one[-1]]
        self.keys = frozenset[str]().union(*(item.keys for item in self.items))
        self.replies: dict[str, ExaminationReply] = {}


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
    if (known := index.replies.get(name)) is not None:
        return known
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


def _matched(name: str, index: _Index) -> list[tuple[str, _One]]:
    """The single orders in `name`, as said, each with what it brings."""
    items = index.items
    if whole := tuple(item for item in items if item.key == normal_name(name) and not item.named.general):
        return [(name, _One(True, whole, _canonical(whole[0])))]
    if is_full_name(name):
        return [(name, _match_one(name, items))]
    parts = ordering(name)
    around = " ".join(parts)
    found = [one for part in parts for one in _meant(part, mentions(part, index.keys, around), items)]
    if len(parts) > 1 and not any(one.found or one.unheld for _, one in found):
        found = _meant(around, mentions(around, index.keys), items)
    return [one for one in found if one[1] != _One()] or found


def _meant(part: str, named: tuple[Mention, ...], items: list[Item]) -> list[tuple[str, _One]]:
    """What a part of what is said brings: what it names; else the examination that it speaks of, or what is
    held under the whole of it as a name."""
    found = [(one.text, _match_one(one.text, items), one.lay) for one in named]
    sure = [(text, one) for text, one, lay in found if one.found or not lay]
    if any(one.found or one.unheld for _, one in sure):
        return [(text, _once(one, part)) for text, one in sure]
    within = (_holding(one.text, items) for one in named if one.lay)
    if shown := examined(part, items) or next(filter(None, within), ()):
        return [(part, _One(False, shown, _canonical(shown[0])))]
    if found:
        return [(text, one) for text, one, _ in found[:1]]
    whole = _match_one(part, items)
    return [(part, whole)] if whole.found or len(part.split()) <= _NAME else []


def _holding(name: str, items: list[Item]) -> tuple[Item, ...]:
    """The examinations that one spoken of in lay words is a part of, but for vital signs."""
    test = reading(name).test
    return tuple(
        item
        for item in items
        if test and item.examined and not item.intimate and test.name in item.holds - _VITALS
    )


def _once(one: _One, part: str) -> _One:
    """Of a test and its repetition, the one that is meant."""
    again = not AGAIN.isdisjoint(words(part))
    meant = tuple(item for item in one.found if item.again == again)
    return one._replace(found=meant) if meant and any(item.again for item in one.found) else one


def _attached(name: str, items: list[Item]) -> tuple[Item, ...]:
    """The image files of which the case does not say what they are, for an order of "the images" or of a
    photograph; a technique, another test or a number asks for something else."""
    unnamed = tuple(item for item in items if _UNNAMED.match(item.name))
    if not unnamed or not _PHOTOGRAPH.search(name) or _UNNAMED.search(name):
        return ()
    rest = _PHOTOGRAPH.sub(" ", name)
    test = meant_test(rest)
    other = test is not None and test.entry is not None and test.entry.kind != "examination"
    return () if other or MODALITIES & set(words(rest)) else unnamed


def _canonical(item: Item) -> str:
    return item.named.test.name if item.named.test else item.name


def _match_one(name: str, items: list[Item]) -> _One:
    """What one test, examination or picture brings."""
    if shown := _attached(name, items):
        return _One(False, shown, shown[0].name)
    order = reading(name)
    test = order.test
    if own := tuple(item for item in items if item.key == order.key and not order.general):
        return _One(True, own, test.name if test else None)
    by_hand = test and test.entry and test.entry.kind == "examination"
    # A smear of the skin is not answered by how the skin looks.
    technical = not by_hand and not TECHNICAL.isdisjoint(words(name))
    open_to = [item for item in items if not (technical and item.examined)]
    for rule in _RULES:
        if found := tuple(item for item in open_to if rule(order, item, items)):
            named = tuple(item for item in found if item.again or _is_named(order, item))
            return _One(False, named or found, test.name if test else None)
    if order.general:
        return _One(unclear=True)
    if test:
        return _One(name=test.name, unheld=priced_name(test, name))
    spelled = " ".join(map(corrected, words(name)))
    if spelled != " ".join(words(name)) and (one := _match_one(spelled, items)).found:
        return one
    return _One(unclear=bool(formulary().near(name)) or any(_resembles(order, item) for item in items))


def _is_named(order: Reading, item: Item) -> bool:
    """Whether a name of the finding is what is ordered, or its own name a part of it, or nobody's."""
    test, own = order.test, item.named.test
    if own is None or order.key in item.keys:
        return True
    return test is not None and own.name in parts_of(test.name) | {test.name}


_RULES: Final = (
    lambda order, item, _: is_it(order, item),
    lambda order, item, _: contains_it(order, item),
    shows_it,
    lambda order, item, _: reveals_it(order, item),
)


def _resembles(order: Reading, item: Item) -> bool:
    return order.words & _FIXED == item.words & _FIXED and fuzz.ratio(order.key, item.key) >= _LIKE


def _reply(matched: list[tuple[str, _One]]) -> ExaminationReply:
    found = tuple(dict.fromkeys(item.id for _, one in matched for item in one.found))
    held = "; ".join(dict.fromkeys(item.name for _, one in matched for item in one.found))
    names = held or "; ".join(dict.fromkeys(one.name for _, one in matched if one.name))
    unheld = tuple(dict.fromkeys(one.unheld for _, one in matched if one.unheld and not one.found))
    unclear = tuple(piece for piece, one in matched if not (one.found or one.unheld))
    if not found and not unheld and any(one.unclear for _, one in matched):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    exact = len(matched) == 1 and matched[0][1].exact
    match_type: Literal["exact", "alias", "none"] = "exact" if exact else "alias" if found else "none"
    return ExaminationReply(
        match_type=match_type,
        findings=found,
        matched_test_name=names or None,
        unheld=unheld,
        unclear=unclear if len(matched) > 1 else (),
        reason="" if found else _NOT_HELD,
    )
