"""The built-in examination service: finds what an order means among the findings of the case.

An order is compared with the names, then with the aliases, the formulary's synonyms and its panels. A body
part, side, specimen or modality that differs is never overlooked. What is only similar is asked back, without
saying what there is. Nothing is made up.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from rapidfuzz import fuzz

from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.naming import MODALITIES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.seats.contract import Request
from osler.seats.examination import ExaminationReply, FindingView, order_of

EVERYTHING: Final = "Physical examination"
_ASK_BACK: Final = (
    "It is not clear what is meant: please give the full name, with the body part, side or specimen where "
    "there is one."
)
_NOT_HELD: Final = "There is no result under this name."
_LIKE: Final = 85  # percent of letters an order must share with a finding's name to be asked back
_CASES: Final = 256
_ORDERS: Final = 16  # at most so many tests in one order
_TEXT: Final = 4000  # characters of a result that are looked through for what it contains

_INTIMATE: Final = frozenset(
    "anus bimanual breast genital genitalia genitourinary perineum pelvis penis prostate rectovaginal rectum "
    "scrotum speculum testis vagina vulva".split()
)
# Words of findings that hold several results, such as "Blood work" or "Imaging and other tests".
_COLLECTIVE: Final = frozenset(
    "additional basic blood exam finding general image imaging investigation laboratory other panel result "
    "serology special test tool".split()
)
# What was examined: glucose in urine does not answer for glucose in blood.
_MATERIAL: Final = (SPECIMENS - {"blood"}) | frozenset(
    "arthrocentesis aspiration biopsy culture lumbar sweat swab urinalysis".split()
)
# Labels that tell how something was examined or described, not what.
_EMPTY_LABELS: Final = frozenset(
    "abnormality appearance auscultation finding general inspection observation palpation percussion tone".split()
)
_VALUES: Final = frozenset(
    "abnormal decreased elevated high increased is low negative normal positive raised reduced was within".split()
)
_VAGUE: Final = frozenset(
    "24h anti antibody antigen blood factor igg igm level pcr serology titer urine virus".split()
)
_SEGMENT: Final = {
    "calf": "leg",
    "femur": "thigh",
    "fibula": "leg",
    "finger": "hand",
    "humerus": "arm",
    "radius": "forearm",
    "thumb": "hand",
    "tibia": "leg",
    "toe": "foot",
    "ulna": "forearm",
    **{s: s for s in "ankle arm elbow foot forearm hand hip knee leg shoulder thigh wrist".split()},
}
_LABEL: Final = re.compile(r"(?:^|[\n.;,{}()\"])\s*([^\n.;:,{}()\"]{1,60}?)\s*\"?:")
_PIECES: Final = re.compile(
    r"[,;\n\r+]|\band\b|\bplus\b|\bas well as\b|\bincluding\b|\bthen\b|&", re.IGNORECASE
)
_SLASH: Final = re.compile(r"/")
# In "blood and urine cultures" or "X-ray of hip and knee" one piece leaves this word to the other.
_HEADS: Final = MODALITIES | {"exam"}
_BARE: Final = SITES | SPECIMENS | SIDES | {"of", "the"}


class _Item:
    """A finding with all that it is compared by."""

    def __init__(self, finding: FindingView) -> None:
        names = (finding.name, *finding.aliases)
        self.finding = finding
        self.key = normal_name(finding.name)
        self.words = frozenset(self.key.split())
        self.keys = frozenset(normal_name(name) for name in names)
        entries = [entry for name in names if (entry := formulary().find(name))]
        self.entries = {entry.name: entry for entry in entries}
        named = formulary().find(finding.name)
        self.intimate = named.intimate if named else bool(self.words & _INTIMATE)
        self.collective = self.words <= _COLLECTIVE

    @cached_property
    def labels(self) -> dict[str, Entry | None]:
        """Keys of the labels in the result ("Haemoglobin: ...") with their entries."""
        found = _LABEL.findall(self.finding.result[:_TEXT])
        labels = {normal_name(label): formulary().find(label) for label in found}
        return {key: entry for key, entry in labels.items() if key not in _EMPTY_LABELS}

    @cached_property
    def text(self) -> str:
        """The words of the result, with a bar before each statement."""
        statements = re.split(r"[\n.;:,{}()\"]", self.finding.result[:_TEXT])
        return " ".join(f"| {' '.join(words(statement))} " for statement in statements) + "|"


class _Order(NamedTuple):
    """One thing ordered."""

    name: str
    key: str
    words: frozenset[str]
    entry: Entry | None


class _Index:
    """The findings of one case, and the orders already answered from them."""

    def __init__(self, findings: tuple[FindingView, ...]) -> None:
        self.findings = findings
        self.items = [_Item(finding) for finding in findings]
        self.replies: dict[str, ExaminationReply] = {}


class BaselineExamination:
    """The built-in examination service: lexical, deterministic, invents nothing."""

    name = "baseline"
    durable = False

    async def reply(self, request: Request[Any], /) -> ExaminationReply:
        """Answer the latest order from the view's findings."""
        return match_order(order_of(request).name, request.view.findings)


def match_order(name: str, findings: tuple[FindingView, ...]) -> ExaminationReply:
    """Which of `findings` the order `name` means; it may name several things.

    `exact`: the finding's own name; `alias`: another name, a panel that contains it, or a part of it. `fuzzy`
    and `none` return no findings; `none` carries the formulary's name if it is a real thing to order.
    """
    index = _index_of(findings)
    if (known := index.replies.get(name)) is not None:
        return known
    reply = _match(name, index.items)
    if len(index.replies) < _CASES:
        index.replies[name] = reply
    return reply


_indexes: OrderedDict[int, _Index] = OrderedDict()


def _index_of(findings: tuple[FindingView, ...]) -> _Index:
    # Hashing a view would read every result. An index holds its tuple, so that the id cannot be used again.
    index = _indexes.get(id(findings))
    if index is None:
        index = _indexes[id(findings)] = _Index(findings)
        if len(_indexes) > _CASES:
            _indexes.popitem(last=False)
    return index


def _match(name: str, items: list[_Item]) -> ExaminationReply:
    whole = _match_one(name, items)
    if whole.match_type in ("exact", "alias") or whole.matched_test_name:
        return whole
    pieces = _pieces(name)
    if len(pieces) < 2:
        return whole
    replies = [_match_one(piece, items) for piece in pieces]
    ids = tuple(dict.fromkeys(found for reply in replies for found in reply.findings))
    held = [reply for reply in replies if reply.findings]
    if held:
        missed = [piece for piece, reply in zip(pieces, replies, strict=True) if not reply.findings]
        reason = f"Nothing was returned for: {'; '.join(missed)}." if missed else ""
        return ExaminationReply(
            match_type="alias", findings=ids, matched_test_name=_joined(held), reason=reason
        )
    if any(reply.match_type == "fuzzy" for reply in replies):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    return ExaminationReply(match_type="none", matched_test_name=_joined(replies), reason=_NOT_HELD)


def _joined(replies: list[ExaminationReply]) -> str | None:
    names = dict.fromkeys(reply.matched_test_name for reply in replies if reply.matched_test_name)
    return "; ".join(names) or None


@lru_cache(maxsize=4096)
def _pieces(name: str) -> tuple[str, ...]:
    """The single orders in an order of several. A body part alone gets the other pieces' head word."""
    parts = [piece.strip() for piece in _PIECES.split(name)]
    if len([part for part in parts if part]) < 2:
        parts = [piece.strip() for piece in _SLASH.split(name)]
    parts = [part for part in parts if normal_name(part)][:_ORDERS]
    heads = [" ".join(_HEADS.intersection(words(part))) for part in parts]
    whole = []
    for place, part in enumerate(parts):
        if not heads[place] and _BARE.issuperset(words(part)):
            nearest = sorted((abs(place - other), head) for other, head in enumerate(heads) if head)
            part = f"{part} {nearest[0][1]}" if nearest else part
        whole.append(part)
    return tuple(whole)


def _match_one(name: str, items: list[_Item]) -> ExaminationReply:
    key = normal_name(name)
    if not key:
        return ExaminationReply(match_type="none", reason=_NOT_HELD)
    exact = [item for item in items if item.key == key]
    if exact:
        return _returned("exact", exact)
    order = _Order(name, key, frozenset(key.split()), formulary().find(name))
    alias = [item for item in items if _means(order, item)]
    if alias:
        return _returned("alias", alias)
    if order.entry:
        return ExaminationReply(match_type="none", matched_test_name=order.entry.name, reason=_NOT_HELD)
    if formulary().near(name) or any(_resembles(order, item) for item in items):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    return ExaminationReply(match_type="none", reason=_NOT_HELD)


def _returned(match_type: Any, items: list[_Item]) -> ExaminationReply:
    return ExaminationReply(
        match_type=match_type,
        findings=tuple(item.finding.id for item in items),
        matched_test_name="; ".join(dict.fromkeys(item.finding.name for item in items)),
    )


def _means(order: _Order, item: _Item) -> bool:
    """Whether the order asks for this finding under another name, as a part or within a panel."""
    if order.key in item.keys:
        return True
    if not _same_place(order.words, item.words):
        return False
    return (
        _same_thing(order, item)
        or _in_panel(order, item)
        or _part_of(order, item)
        or _labelled(order, item)
        or _left_unsaid(order, item)
        or _part_of_the_picture(order, item)
    )


def _same_place(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether neither sides nor limb segments contradict each other."""
    if {"left", "right"} <= (ours | theirs) & SIDES and not ours & theirs & SIDES:
        return False
    here = {_SEGMENT[word] for word in ours if word in _SEGMENT}
    there = {_SEGMENT[word] for word in theirs if word in _SEGMENT}
    return not here or not there or bool(here & there)


def _same_thing(order: _Order, item: _Item) -> bool:
    entry = order.entry
    if entry is None or entry.name not in item.entries:
        return False
    if not entry.grouped:
        return True
    known = frozenset(normal_name(entry.name).split()) | _VAGUE | SIDES
    ours, theirs = order.words - known, item.words - known
    return not ours or not theirs or bool(ours & theirs)


def _in_panel(order: _Order, item: _Item) -> bool:
    """The order is a panel and the finding one of its members."""
    if order.entry is None or not order.entry.parts or item.intimate > order.entry.intimate:
        return False
    if order.entry.name == EVERYTHING:
        return item.finding.kind == "examination"
    return not formulary().parts(order.entry).isdisjoint(item.entries)


def _part_of(order: _Order, item: _Item) -> bool:
    """The finding is a panel, or a collection such as "Blood work", whose result tells of what is ordered."""
    if order.entry is None:
        return False
    if any(order.entry.name in formulary().parts(entry) for entry in item.entries.values()):
        return any(_mentions(item.text, term) for term in _terms(order.entry))
    if not item.collective or (order.entry.kind == "examination") != (item.finding.kind == "examination"):
        return False
    if order.entry.kind == "test":
        return any(_measures(item.text, term) for term in _terms(order.entry))
    return any(f"| {term} " in item.text for term in _terms(order.entry))


def _mentions(text: str, term: str) -> bool:
    # A letter or two ("K") may be part of any word, so that a value must follow.
    return f" {term} " in text if len(term) > 2 else _measures(text, term)


def _measures(text: str, term: str) -> bool:
    """Whether a statement of the result begins with the term and gives its value."""
    following = text.partition(f"| {term} ")[2].partition(" ")[0]
    return following == "|" or following[:1].isdigit() or following in _VALUES


@lru_cache(maxsize=1024)
def _terms(entry: Entry) -> frozenset[str]:
    """What a result may call the entry or its members."""
    entries = [entry, *(each for each in formulary() if each.name in formulary().parts(entry))]
    return frozenset(" ".join(words(name)) for each in entries for name in (each.name, *each.aliases))


def _labelled(order: _Order, item: _Item) -> bool:
    """The result has a line labelled with what is ordered, of the same material."""
    if not item.words & _MATERIAL <= order.words | _material(order.entry):
        return False
    for key, entry in item.labels.items():
        same = key == order.key or (entry is not None and entry is order.entry and not entry.grouped)
        # "Skin: ..." in a biopsy's result is where it was taken; an examination has it as a heading.
        if same and (item.finding.kind == "examination" or not SITES.issuperset(key.split())):
            return True
    return False


@lru_cache(maxsize=1024)
def _material(entry: Entry | None) -> frozenset[str]:
    """What may be examined for the entry, by its names: stool for "stool C difficile"."""
    names = (entry.name, *entry.aliases) if entry else ()
    return _MATERIAL.intersection(word for name in names for word in normal_name(name).split())


def _left_unsaid(order: _Order, item: _Item) -> bool:
    """The finding's name leaves out what its result says: "Biopsy", "X-rays", "Head imaging"."""
    if not item.words & MODALITIES:
        return False
    missing = order.words - item.words
    return (
        bool(missing)
        and item.words - {"imaging"} < order.words
        and bool(order.words & MODALITIES)
        and all(f" {word} " in item.text for word in missing)
    )


def _part_of_the_picture(order: _Order, item: _Item) -> bool:
    """The finding is of the same modality and covers the body part ordered and more."""
    return (
        bool(order.words & SITES)
        and bool(order.words & MODALITIES)
        and order.words <= item.words
        and item.words - order.words <= SITES | SIDES
    )


def _resembles(order: _Order, item: _Item) -> bool:
    fixed = SITES | SIDES | MODALITIES | SPECIMENS
    return order.words & fixed == item.words & fixed and fuzz.ratio(order.key, item.key) >= _LIKE
