"""The built-in examination service: matches an order to the findings of the case.

An order is compared with the names, then with the aliases, the formulary's synonyms and its panels. A
different body part, side, specimen or modality always rules out a match. If something is merely similar, the
service asks back without revealing what there is. It never invents a result.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, NamedTuple

from rapidfuzz import fuzz

from osler.core.contract import Request
from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.order_names import MODALITIES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.consultation.seats import ExaminationReply, FindingView, order_of
from osler.text.spoken_orders import order_meant

EVERYTHING: Final = "Physical examination"
_ASK_BACK: Final = (
    "It is not clear what is meant: please give the full name, with the body part, side or specimen where "
    "there is one."
)
_NOT_HELD: Final = "There is no result under this name."
_LIKE: Final = 85  # minimum similarity (per cent) of an order to a finding's name for asking back
_CASES: Final = 1024  # cases whose index is cached
_REPLIES: Final = 256  # replies cached per case
_ORDERS: Final = 16  # maximum number of tests in one order
_TEXT: Final = 4000  # characters of a result that are searched

_INTIMATE: Final = frozenset(
    "anus bimanual breast genital genitalia genitourinary perineum pelvis penis prostate rectovaginal rectum "
    "scrotum speculum testis vagina vulva".split()
)
# Words in the names of collective findings, such as "Blood work" or "Imaging and other tests".
_COLLECTIVE: Final = frozenset(
    "additional basic blood exam finding general image imaging investigation laboratory other panel result "
    "serology special test tool".split()
)
# The material examined: glucose in urine does not answer for glucose in blood.
_MATERIAL: Final = (SPECIMENS - {"blood"}) | frozenset(
    "arthrocentesis aspiration biopsy culture lumbar sweat swab urinalysis".split()
)
# Labels that say how something was examined or described, not what was.
_EMPTY_LABELS: Final = frozenset(
    "abnormality appearance auscultation finding general inspection observation palpation percussion pulse "
    "tone".split()
)
# A statement in a collective result gives a value if it has one of these words or a number.
_VALUES: Final = frozenset(
    "abnormal decreased elevated high increased is low negative normal positive raised reduced was "
    "within".split()
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
_LONGEST: Final = 6  # maximum number of words in a name searched for in a result
_STATEMENT: Final = re.compile(r"[\n.;:,{}()\"]")
_LABEL: Final = 60  # characters of a label
_LINE: Final = re.compile(r"[\n.;,{}()]")
_LISTED: Final = re.compile(r"[,;\n\r+]")
_JOINED: Final = re.compile(r"\band\b|\bplus\b|\bas well as\b|\bincluding\b|\bthen\b|&", re.IGNORECASE)
_SLASH: Final = re.compile(r"/")
# "Blood lead" is one test; "bloods and lead" are two orders.
_BLOODS: Final = re.compile(r"\bbloods\b", re.IGNORECASE)
# Head words that one piece shares with another: "blood and urine cultures", "X-ray of hip and knee".
_HEADS: Final = MODALITIES | {"exam"}
_BARE: Final = SITES | SPECIMENS | SIDES | {"of", "the"}

_Held = tuple[str, FindingKind, str, tuple[str, ...], str]


class _Item:
    """A finding indexed with everything it is compared by."""

    def __init__(self, id: str, kind: FindingKind, name: str, aliases: tuple[str, ...], result: str) -> None:
        names = (name, *aliases)
        known = [formulary().find(each) for each in names]
        self.id, self.name, self.result = id, name, result[:_TEXT]
        self.key = normal_name(name)
        self.words = frozenset(self.key.split())
        self.keys = frozenset(map(normal_name, names))
        self.entries = frozenset(entry.name for entry in known if entry)
        self.holds = frozenset().union(*(formulary().parts(entry) for entry in known if entry))
        self.intimate = known[0].intimate if known[0] else bool(self.words & _INTIMATE)
        self.collective = self.words <= _COLLECTIVE
        self.examined = kind == "examination"
        self.material = self.words & _MATERIAL
        self.segments = _segments(self.words)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The normalised labels in the result ("Haemoglobin: ..."), and their formulary entries' names."""
        found = set[str]()
        lines = _LINE.split(self.result.replace('"', ""))
        for label in (part for line in lines for part in line.split(":")[:-1] if len(part) <= _LABEL):
            key, entry = normal_name(label), formulary().find(label)
            # "Skin: ..." in a biopsy's result is the site of the sample; in an examination it is a heading.
            if key not in _EMPTY_LABELS and (self.examined or not SITES.issuperset(key.split())):
                found |= {key, entry.name} if entry and not entry.grouped else {key}
        return frozenset(found)

    @cached_property
    def statements(self) -> list[list[str]]:
        """The words of each statement of the result."""
        return [found for part in _STATEMENT.split(self.result) if (found := words(part))]

    @cached_property
    def text(self) -> str:
        """The words of the result, separated and surrounded by single spaces."""
        return f" {' '.join(word for statement in self.statements for word in statement)} "

    @cached_property
    def topics(self) -> frozenset[str]:
        """The prefixes of each statement up to the length of a name, as possible names."""
        return frozenset(
            " ".join(told[:end]) for told in self.statements for end in range(1, min(len(told), _LONGEST) + 1)
        )

    @cached_property
    def measured(self) -> frozenset[str]:
        """The topics followed by a value or by the end of the statement."""
        return frozenset(
            " ".join(told[:end])
            for told in self.statements
            for end in range(1, min(len(told), _LONGEST) + 1)
            if end == len(told) or told[end][0].isdigit() or told[end] in _VALUES
        )


class _Order(NamedTuple):
    """A single parsed order. `members` are the names of a panel's parts; `material` may be examined for
    it."""

    key: str
    words: frozenset[str]
    entry: Entry | None
    members: frozenset[str]
    material: frozenset[str]
    segments: frozenset[str]


@lru_cache(maxsize=4096)
def _order(name: str) -> _Order:
    key, entry = normal_name(name), formulary().find(name)
    said = frozenset(key.split())
    members = formulary().parts(entry) if entry else frozenset[str]()
    aliases = entry.aliases if entry else ()
    material = said.union(word for alias in aliases for word in normal_name(alias).split()) & _MATERIAL
    return _Order(key, said, entry, members, material, _segments(said))


def _segments(said: frozenset[str]) -> frozenset[str]:
    return frozenset(_SEGMENT[word] for word in said if word in _SEGMENT)


class _Index:
    """The indexed findings of one case, with a cache of replies."""

    def __init__(self, held: tuple[_Held, ...]) -> None:
        self.items = [_Item(*one) for one in held]
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
    # Keyed by plain text: hashing the models themselves takes many times as long.
    index = _index(tuple([(f.id, f.kind, f.name, f.aliases, f.result) for f in findings]))
    if (known := index.replies.get(name)) is not None:
        return known
    reply = _match(name, index.items)
    if len(index.replies) < _REPLIES:
        index.replies[name] = reply
    return reply


@lru_cache(maxsize=_CASES)
def _index(held: tuple[_Held, ...]) -> _Index:
    return _Index(held)


def _match(name: str, items: list[_Item]) -> ExaminationReply:
    whole = _match_one(name, items)
    pieces = () if whole.findings and not _BLOODS.search(name) else _pieces(name, items)
    if len(pieces) < 2:
        if whole.findings or whole.unheld or whole.match_type == "fuzzy":
            return whole
        meant = order_meant(name)
        return _match_one(meant, items) if meant and meant != name else whole
    replies = [_match_one(piece, items) for piece in pieces]
    held = [reply for reply in replies if reply.findings]
    if not held and whole.matched_test_name:
        return whole
    unheld = tuple(dict.fromkeys(name for reply in replies for name in reply.unheld))
    unclear = tuple(p for p, r in zip(pieces, replies, strict=True) if not (r.findings or r.unheld))
    if not held and not unheld and any(reply.match_type == "fuzzy" for reply in replies):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    return ExaminationReply(
        match_type="alias" if held else "none",
        findings=tuple(dict.fromkeys(found for reply in held for found in reply.findings)),
        matched_test_name=_joined(held or replies),
        unheld=unheld,
        unclear=unclear,
        reason="" if held else _NOT_HELD,
    )


def _joined(replies: list[ExaminationReply]) -> str | None:
    names = dict.fromkeys(reply.matched_test_name for reply in replies if reply.matched_test_name)
    return "; ".join(names) or None


def _pieces(name: str, items: list[_Item]) -> tuple[str, ...]:
    """Split a compound order into single ones. A bare body part gets the nearest piece's head word."""
    parts = [piece.strip() for part in _LISTED.split(name) for piece in _joined_in(part, items)]
    if len([part for part in parts if part]) < 2:
        parts = [piece.strip() for piece in _SLASH.split(name)]
    parts = [part for part in parts if normal_name(part)][:_ORDERS]
    heads = [" ".join(_HEADS.intersection(words(part))) for part in parts]
    whole = []
    for place, part in enumerate(parts):
        if not heads[place] and _BARE.issuperset(words(part)) and not _BLOODS.search(part):
            nearest = sorted((abs(place - other), head) for other, head in enumerate(heads) if head)
            part = f"{part} {nearest[0][1]}" if nearest else part
        whole.append(part)
    return tuple(whole)


def _joined_in(part: str, items: list[_Item]) -> list[str]:
    """Split a list item at "and" and the like, unless it is the name of one thing ("U&E", "C&S")."""
    pieces = _JOINED.split(part)
    if len(pieces) < 2:
        return pieces
    order = _order(part)
    if any(order.key in item.keys for item in items) or (order.entry and "&" in part):
        return [part]
    held = any(_match_one(piece, items).findings for piece in pieces[:_ORDERS])
    return [part] if order.entry and not held else pieces


def _match_one(name: str, items: list[_Item]) -> ExaminationReply:
    order = _order(name)
    if not order.key:
        return ExaminationReply(match_type="none", reason=_NOT_HELD)
    if found := [item for item in items if item.key == order.key]:
        return _returned("exact", found)
    if found := [item for item in items if _means(order, item)]:
        return _returned("alias", found)
    if found := [item for item in items if _contains(order, item)]:
        return _returned("alias", found)
    if order.entry:
        name = order.entry.name
        return ExaminationReply(match_type="none", matched_test_name=name, unheld=(name,), reason=_NOT_HELD)
    if formulary().near(name) or any(_resembles(order, item) for item in items):
        return ExaminationReply(match_type="fuzzy", reason=_ASK_BACK)
    return ExaminationReply(match_type="none", reason=_NOT_HELD)


def _returned(match_type: Literal["exact", "alias"], items: list[_Item]) -> ExaminationReply:
    return ExaminationReply(
        match_type=match_type,
        findings=tuple(item.id for item in items),
        matched_test_name="; ".join(dict.fromkeys(item.name for item in items)),
    )


def _means(order: _Order, item: _Item) -> bool:
    """Whether the finding is the ordered item under another name, or a member of the ordered panel."""
    return order.key in item.keys or (
        (_same_thing(order, item) or _in_panel(order, item)) and _same_place(order, item)
    )


def _contains(order: _Order, item: _Item) -> bool:
    """Whether the finding covers more than the order, and its result includes the ordered item."""
    return (
        _part_of(order, item)
        or _labelled(order, item)
        or _left_unsaid(order, item)
        or _part_of_the_picture(order, item)
    ) and _same_place(order, item)


def _same_place(order: _Order, item: _Item) -> bool:
    """Whether sides and limb segments are compatible."""
    ours, theirs = order.words & SIDES, item.words & SIDES
    if {"left", "right"} <= ours | theirs and not ours & theirs:
        return False
    return not order.segments or not item.segments or not order.segments.isdisjoint(item.segments)


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
    """Whether the order is a panel and the finding one of its members."""
    if order.entry is None or not order.members or item.intimate > order.entry.intimate:
        return False
    if order.entry.name == EVERYTHING:
        return item.examined
    return not order.members.isdisjoint(item.entries)


def _part_of(order: _Order, item: _Item) -> bool:
    """Whether the finding is a panel, or a collection such as "Blood work", whose result includes the ordered
    item."""
    entry = order.entry
    if entry is None:
        return False
    if not item.collective:
        return entry.name in item.holds and (
            not item.measured.isdisjoint(_terms(entry.name))
            # A letter or two ("K") may be part of any word.
            or any(len(term) > 2 and f" {term} " in item.text for term in _terms(entry.name))
        )
    if (entry.kind == "examination") != item.examined:
        return False
    told = item.measured if entry.kind == "test" else item.topics
    return not told.isdisjoint(_terms(entry.name))


@lru_cache(maxsize=1024)
def _terms(name: str) -> frozenset[str]:
    """The names a result may use for a formulary entry or its members."""
    entry = formulary().find(name)
    if entry is None:
        return frozenset()
    entries = [entry, *(each for each in formulary() if each.name in formulary().parts(entry))]
    return frozenset(" ".join(words(name)) for each in entries for name in (each.name, *each.aliases))


def _labelled(order: _Order, item: _Item) -> bool:
    """Whether the result has a line labelled with the ordered item, for the same material."""
    if not item.material <= order.material:
        return False
    return order.key in item.labels or (order.entry is not None and order.entry.name in item.labels)


def _left_unsaid(order: _Order, item: _Item) -> bool:
    """Whether the finding's name omits details that its result supplies: "Biopsy", "X-rays", "Head
    imaging"."""
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
    """Whether the finding is of the same modality and covers a larger area than the body part ordered."""
    return (
        bool(order.words & SITES)
        and bool(order.words & MODALITIES)
        and order.words <= item.words
        and item.words - order.words <= SITES | SIDES
    )


def _resembles(order: _Order, item: _Item) -> bool:
    fixed = SITES | SIDES | MODALITIES | SPECIMENS
    return order.words & fixed == item.words & fixed and fuzz.ratio(order.key, item.key) >= _LIKE
