"""Reading an answer as a physician means it: the condition named, what is added to it, and alternatives.

"Likely septic shock secondary to E. coli pyelonephritis (left), complicated by AKI"
    main "septic shock"; cause "e coli pyelonephritis"; bracket "left"; company "aki"
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from osler.judging.diagnosis.concepts import graph, joined, lists, normal
from osler.judging.diagnosis.patterns import (
    BREAK,
    CONDITION,
    DENIED,
    FIRST,
    HEDGE,
    INNER,
    JOINED,
    LEAD,
    LONGEST_SLIP,
    NOT,
    NOTHING,
    NUMBERED,
    OR,
    PREFIXES,
    REASON,
    SENTENCE,
    SHORT,
    SHOWS,
    SOURCE,
)
from osler.judging.diagnosis.words import Words, plain_text

Link = Literal["main", "part", "bracket", "and", "cause", "with", "setting", "place", "breaks"]


class Phrase(NamedTuple):
    """One phrase. `main` is the condition that its last words name, if any; `free` are the other words."""

    words: Words
    concepts: tuple[int, ...]
    main: int | None
    free: frozenset[str]
    head: str
    bag: frozenset[str]


class Phrasing(NamedTuple):
    """One condition as it was told: its phrase, and what was added, each with its link."""

    main: Phrase
    more: tuple[tuple[Link, Phrase], ...]
    words: frozenset[str]
    concepts: frozenset[int]
    known: bool


class Answer(NamedTuple):
    """The alternatives that an answer names: one if it commits itself, none if it names nothing."""

    told: tuple[Phrasing, ...]
    listed: bool


@lru_cache(maxsize=8192)
def answer_of(text: str, apart: bool = False) -> Answer:
    """Read an answer. Text of any length and content; what cannot be read as a name names nothing.

    Names of several parts ("hydralazine induced lupus") are read as one, or, if `apart`, by their parts.
    """
    plain = plain_text(text).strip(" \t\r\n.!\"'*`_")
    if not plain or NOTHING.match(plain):
        return Answer((), False)
    for short, long in SHORT:
        plain = short.sub(long, plain)
    first = FIRST.search(plain) is not None
    pieces = [piece for piece in (NUMBERED.split(plain) if first else [plain]) if piece.strip(" .,;:\n")]
    if len(pieces) == 1 or (len(pieces) == 2 and pieces[0].rstrip().endswith(":")):
        pieces = [_sentence(pieces[-1])]
    alternatives: list[Phrasing] = []
    for piece in pieces:
        for one in _alternatives(_cleared(piece, apart)):
            if (said := _said(one)) is not None:
                alternatives.append(said)
    real = tuple(alternatives[:1] + [said for said in alternatives[1:] if said.known])
    return Answer(real, len(real) > 1)


def reference_of(text: str, apart: bool = False) -> tuple[Phrasing, ...]:
    """Read a reference: one reading, or one for each of the names that stand side by side."""
    return answer_of(text, apart).told


def _sentence(text: str) -> str:
    """The sentence that names the diagnosis: the one that says so, or else the first."""
    sentences = [one for one in SENTENCE.split(text) if one.strip(" .")]
    if len(sentences) < 2:
        return text
    return next((one for one in sentences if LEAD.match(one) and "diagno" in one), sentences[0])


def _cleared(text: str, apart: bool) -> str:
    """The text with names of several parts in one word, without lead, doubts, reasons and what is denied."""
    text = SOURCE.sub(r"due to \g<source>", text)
    text = text if apart else joined(text)
    shown = SHOWS.match(text)
    if shown and not _names_condition(shown["finding"]):
        text = text[shown.end() :]
    lead = LEAD.match(text)
    if lead and lead.end() < len(text):
        text = text[lead.end() :]
    return HEDGE.sub(" ", REASON.sub(" ", text))


def _names_condition(text: str) -> bool:
    """Whether a text names a condition that may be a diagnosis, and not findings only."""
    known = graph()
    concepts = (one for _, words in _segments(text) for one in phrase_of(words).concepts)
    return any(not known.above[one] & known.company for one in concepts)


def _alternatives(text: str) -> list[str]:
    """The alternatives of a text, each with what they share: "amoebic or pyogenic liver abscess"."""
    pieces = [piece for piece in map(_told, OR.split(text)) if piece.strip(" .,;:/()-")]
    if len(pieces) < 2:
        return pieces
    shared = [_names_one(piece) for piece in pieces]
    if shared[0] and not all(shared):
        lead, cut, _ = pieces[0].rpartition(",")
        return [
            piece if known or not cut else f"{lead}, {piece}"
            for piece, known in zip(pieces, shared, strict=True)
        ]
    if shared[-1] and not any(shared[:-1]):
        noun = " ".join(pieces[-1].split()[1:])
        return [*(f"{piece} {noun}" for piece in pieces[:-1]), pieces[-1]]
    return pieces


def _names_one(piece: str) -> bool:
    """Whether a piece names a condition by itself, rather than a kind or a place of one."""
    phrases = [phrase_of(words) for _, words in _segments(INNER.sub(" ", piece))]
    return any(phrase.main is not None or is_condition(phrase.head) for phrase in phrases)


def is_condition(word: str) -> bool:
    """Whether a word is a noun for a condition ("fracture", "...itis")."""
    return word in lists().heads or CONDITION.search(word) is not None


def _told(piece: str) -> str:
    """The piece without what it denies: "x rather than y", "x, less likely y", "x, y ruled out"."""
    clauses = re.split(r"([,;])", piece)
    kept = ["" if DENIED.search(clause) else NOT.sub(" ", clause) for clause in clauses]
    return "".join(kept) if kept[0].strip() else ""


def _said(text: str) -> Phrasing | None:
    more: list[tuple[Link, Phrase]] = []
    inner = [first or second for first, second in INNER.findall(text)]
    text = INNER.sub(" ", text)
    text = re.sub(r"[()\[\]]", ",", text)
    segments = _segments(text)
    for within in inner:
        named, explained, _ = within.partition(":")
        told = _segments(named)
        segments.extend(("bracket", words) for _, words in (told[:1] if explained else told))
    phrases: list[tuple[Link, Phrase]] = []
    before: Link = "main"
    for link, words in segments:
        if link in ("part", "and") and before in ("with", "setting", "place", "bracket"):
            link = before
        before = link
        for kind, some in _causes(words):
            if some:
                phrases.append((link if kind == "main" else kind, phrase_of(some)))
    if not phrases:
        return None
    first = next((at for at, (link, _) in enumerate(phrases) if link in ("main", "bracket", "part")), 0)
    main = phrases[first][1]
    more = phrases[:first] + phrases[first + 1 :]
    return told_as(*_inverted(main, more))


def told_as(main: Phrase, more: Sequence[tuple[Link, Phrase]]) -> Phrasing:
    """A condition told by these phrases."""
    every = [main, *(phrase for _, phrase in more)]
    known = any(phrase.concepts or CONDITION.search(phrase.head) for phrase in every)
    return Phrasing(
        main,
        tuple(more),
        frozenset(word for phrase in every for word in phrase.bag),
        frozenset(one for phrase in every for one in phrase.concepts),
        known,
    )


def _inverted(main: Phrase, more: list[tuple[Link, Phrase]]) -> tuple[Phrase, list[tuple[Link, Phrase]]]:
    """Join "leukaemia, acute myeloid" to the name it is, if the vocabulary has it."""
    for at, (link, phrase) in enumerate(more):
        if link == "cause" and main.main is not None:
            bag = frozenset(phrase.bag | main.bag) - lists().plain
            if (number := graph().bags.get(bag)) is not None and number != main.main:
                whole = phrase_of((*phrase.words, *main.words))
                return whole._replace(main=number, concepts=(*whole.concepts, number)), more
        if link in ("part", "bracket"):
            after = ((*main.words, *phrase.words),) if phrase.main is None else ()
            for words in ((*phrase.words, *main.words), *after):
                if words in graph().ids and len(words) > max(len(main.words), len(phrase.words)):
                    whole = phrase_of(words)
                    return whole._replace(bag=whole.bag | main.bag | phrase.bag), more[:at] + more[at + 1 :]
    return main, more


def _segments(text: str) -> list[tuple[Link, Words]]:
    pairs: list[tuple[Link, Words]] = []
    link: Link = "main"
    at = 0
    for cut in BREAK.finditer(text):
        kind: Link = cut.lastgroup  # type: ignore[assignment]
        before = normal(text[at : cut.start()])
        if kind == "place" or cut[0] in ("for", "in a", "in an"):
            ahead = BREAK.search(text, cut.end())
            after = normal(text[cut.end() : ahead.start() if ahead else len(text)])
            if after and all(word in lists().sites or word in lists().plain for word in after):
                text = f"{text[: cut.start()]} of {text[cut.end() :]}"
                return _segments(text) if text[: cut.start()].strip() else pairs
        if before:
            pairs.append((link, before))
            link = kind
        elif link == "main":
            link = "main" if kind in ("part", "breaks", "and") else kind
        elif kind not in ("part", "and"):
            link = kind
        at = cut.end()
    if last := normal(text[at:]):
        pairs.append((link, last))
    return pairs


def _causes(words: Words) -> list[tuple[Link, Words]]:
    """Split "nsaid induced ulcer" into the ulcer and its cause."""
    for at, word in enumerate(words):
        if word in JOINED and 0 < at < len(words) - 1:
            return [("main", words[at + 1 :]), ("cause", words[:at])]
        if word in JOINED and at == len(words) - 1 and at > 0:
            return [("cause", words[:at])]
    return [("main", words)]


@lru_cache(maxsize=8192)
def phrase_of(words: Words) -> Phrase:
    """Find the known names in a phrase, longest first."""
    known, told = graph(), lists()
    words = tuple(map(mended, words))
    if "ca" in words and any(word in told.sites for word in words):
        words = tuple("carcinoma" if word == "ca" else word for word in words)
    pairs: list[tuple[int, int, int]] = []
    at = 0
    while at < len(words):
        for length in range(min(known.longest, len(words) - at), 0, -1):
            number = known.ids.get(words[at : at + length])
            if number is None and length > 2:
                number = known.bags.get(frozenset(words[at : at + length]))
            if number is not None:
                pairs.append((at, at + length, number))
                at += length
                break
        else:
            at += 1
    main: int | None = None
    inside = {at for start, end, _ in pairs for at in range(start, end)}
    head = _head(words)
    for _, end, number in reversed(pairs):
        after = [words[at] for at in range(end, len(words))]
        if all(w in told.sites or w in told.plain or w in told.tails or w.isdigit() for w in after):
            main = number
        break
    if main is None and len(words) > 1:
        course = told.plain - told.heads
        for bag in (frozenset(words), frozenset(words) - course, frozenset(words) - course - told.sites):
            if len(bag) > 1 and (number := known.bags.get(bag)) is not None:
                main = number
                break
    if pairs and len(words) > pairs[-1][1] - pairs[-1][0]:
        main = _renamed(words, *pairs[-1]) or main
    concepts = tuple(number for _, _, number in pairs)
    if main is not None and main not in concepts:
        concepts = (*concepts, main)
    free = frozenset(word for at, word in enumerate(words) if at not in inside)
    return Phrase(words, concepts, main, free, head, frozenset(words))


def _renamed(words: Words, start: int, end: int, number: int) -> int | None:
    """The condition that a phrase names if another name is put for the one in it ("acquired LQTS")."""
    known = graph()
    for name in known.names[number]:
        result = known.ids.get((*words[:start], *name, *words[end:]))
        if result is not None and name != words[start:end]:
            return result
    return None


def _head(words: Words) -> str:
    """The noun that says what the phrase is."""
    told = lists()
    for word in reversed(words):
        if word in told.heads or CONDITION.search(word):
            return word
        if (
            word not in told.tails
            and word not in told.sites
            and word not in told.plain
            and not word.isdigit()
        ):
            return word
    return words[-1] if words else ""


@lru_cache(maxsize=16384)
def mended(word: str) -> str:
    """Correct a long unknown word if exactly one known word is within a misspelling of it."""
    known = graph().known
    if len(word) < LONGEST_SLIP or word in known or not word.isalpha():
        return word
    allowed = 2 if len(word) >= 10 else 1
    near = process.extract(
        word, _by_letter().get(word[0], []), scorer=OSA.distance, score_cutoff=allowed, limit=8
    )
    slips = sorted((int(distance), other) for other, distance, _ in near if slipped(word, other))
    best = [other for distance, other in slips if distance == slips[0][0]]
    return best[0] if len(best) == 1 else word


def slipped(word: str, other: str) -> bool:
    """Whether two long words differ by a misspelling, and not by a prefix that turns the meaning round."""
    shorter = min(len(word), len(other))
    if shorter < LONGEST_SLIP - 1 or word[0] != other[0] or any(c.isdigit() for c in word + other):
        return False
    if {_prefix(word), _prefix(other)} - {""} and _prefix(word) != _prefix(other):
        return False
    distance = OSA.distance(word, other)
    return distance <= 1 or (distance == 2 and shorter >= 9 and word[-3:] == other[-3:])


def _prefix(word: str) -> str:
    return next((one for one in PREFIXES if len(one) > 2 and word.startswith(one)), "")


@lru_cache(maxsize=1)
def _by_letter() -> dict[str, list[str]]:
    letter: dict[str, list[str]] = {}
    for word in sorted(graph().known):
        if len(word) >= LONGEST_SLIP - 1 and word.isalpha():
            letter.setdefault(word[0], []).append(word)
    return letter
