"""Parsing of a diagnosis name into its core, what follows it, and its qualifiers.

    "Probable acute inferior STEMI due to plaque rupture"
        core {st, elevation, myocardial, infarction, inferior}, rest {plaque, rupture}, course {acute}

Words are normalized (spelling, plural, adjective to noun, misspellings), known names to the first name of
their vocabulary entry; the header of `diagnosis.yaml` documents the word lists.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from osler.judging.diagnosis.vocabulary import DATA as DATA
from osler.judging.diagnosis.vocabulary import Entry, vocabulary
from osler.judging.diagnosis.words import CLAUSE, Words, initials_of
from osler.judging.diagnosis.words import words_of as words_of

OPPOSED: Final = (
    frozenset({"acute", "subacute", "chronic"}),
    frozenset({"left", "right", "bilateral"}),
)
_COURSE: Final = frozenset(word for group in OPPOSED for word in group) | {"unilateral"}
_ADJECTIVES: Final = frozenset({"secondary", "induced", "related", "associated"})
_JOINED: Final = frozenset({"induced", "related", "associated"})
_PREFIXES: Final = (
    ("hypo", "hyper"),
    ("micro", "macro"),
    ("endo", "ecto"),
    ("endo", "exo"),
    ("inter", "intra"),
    ("supra", "infra"),
    ("mono", "poly"),
    ("osteo", "oste"),
    ("ab", "ad"),
)
_LONG: Final = 6
_TITLES: Final = ("disease", "syndrome")
_CAUSED: Final = frozenset(
    "due to from caused by secondary after following induced related associated".split()
)


class Name(NamedTuple):
    """A parsed name. `heads` are the words that a broader name must keep."""

    core: frozenset[str]
    rest: frozenset[str]
    course: frozenset[str]
    heads: frozenset[str]
    order: Words


class _Tables(NamedTuple):
    """Lookup tables. `names`: a known name's joined words to its canonical words; `broader`: by core,
    course and rest.

    `bags`: like `names`, by the name's words in any order; `initials`: the cores that have these initials.
    """

    names: dict[str, Words]
    longest: int
    broader: dict[tuple[frozenset[str], ...], tuple[Name, ...]]
    generic: frozenset[str]
    tails: frozenset[str]
    noun_first: frozenset[str]
    hedges: frozenset[str]
    alone: frozenset[str]
    sites: frozenset[str]
    causes: frozenset[str]
    known_words: frozenset[str]
    cores: frozenset[frozenset[str]]
    bags: dict[frozenset[str], Words]
    initials: dict[str, frozenset[frozenset[str]]]


@lru_cache(maxsize=1)
def tables() -> _Tables:
    """The lookup tables compiled from the vocabulary."""
    return _tables(vocabulary().entries)


def _tables(entries: Sequence[Entry]) -> _Tables:
    lists = {key: _bag(value) for key, value in vocabulary().lists.items()}
    spelt = [(one, [words_of(name) for name in one.names]) for one in entries]
    names: dict[str, Words] = {}
    looser: dict[str, Words] = {}
    alone = set(lists["alone"])
    for one, forms in spelt:
        names.setdefault("".join(forms[0]), ("".join(forms[0]),) if one.whole else forms[0])
    for _, forms in spelt:
        chosen = names["".join(forms[0])]
        for words in forms:
            names.setdefault("".join(words), chosen)
            for short in _looser(words):
                looser.setdefault("".join(short), chosen)
                if len(short) == 1:
                    alone.update(short)
    alone -= {words[0] for _, forms in spelt for words in forms if len(words) == 1} - lists["alone"]
    known = {word for _, forms in spelt for words in forms for word in words}
    known |= {word for one in entries for kind in one.kinds for word in words_of(kind)}
    known |= {"".join(forms[0]) for one, forms in spelt if one.whole}
    known |= lists["generic"] | lists["confusable"] | lists["noun_first"] | lists["hedges"]
    known |= lists["sites"] | lists["causes"]
    partial = _Tables(
        looser | names,
        1 + max(len(words) for _, forms in spelt for words in forms),
        {},
        lists["generic"],
        lists["tails"],
        lists["noun_first"],
        lists["hedges"],
        frozenset(alone),
        lists["sites"],
        lists["causes"],
        frozenset(known),
        frozenset(),
        {},
        {},
    )
    cores = {name: _shape(name, partial).core for name in set(names.values())}
    return partial._replace(
        broader=_ancestors(entries, partial),
        cores=frozenset(cores.values()),
        bags=_bags(spelt, names, lists["hedges"]),
        initials=_first_letters(entries, names, cores),
    )


def _bags(
    spelt: Sequence[tuple[Entry, list[Words]]], names: dict[str, Words], hedges: frozenset[str]
) -> dict[frozenset[str], Words]:
    """Names of two or more words by their set of words, if it is unambiguous."""
    found: dict[frozenset[str], Words | None] = {}
    for _, forms in spelt:
        for words in forms:
            bag = frozenset(words) - hedges - {"of"}
            if len(bag) > 1 and not bag & CLAUSE:
                chosen = names["".join(words)]
                found[bag] = chosen if found.get(bag, chosen) == chosen else None
    return {bag: words for bag, words in found.items() if words}


def _first_letters(
    entries: Sequence[Entry], names: dict[str, Words], cores: dict[Words, frozenset[str]]
) -> dict[str, frozenset[frozenset[str]]]:
    """The initials of every name of several words, unless they are themselves a name."""
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for one in entries:
        for name in one.names:
            # Two letters are too common to abbreviate anything but the first name.
            if len(letters := initials_of(name)) > 2 or (letters and name == one.names[0]):
                chosen = names["".join(words_of(name))]
                found[letters].add(cores[chosen])
    return {letters: frozenset(known) for letters, known in found.items() if letters not in names}


def _looser(words: Words) -> Iterator[Words]:
    """The variants of a name in "disease" or "syndrome": with the other word, and with neither."""
    if len(words) > 1 and words[-1] in _TITLES:
        yield words[:-1]
        for title in _TITLES:
            yield (*words[:-1], title)


@lru_cache(maxsize=8192)
def name_of(text: str) -> Name:
    """Parse one name."""
    return _shape(tuple(map(_mended, words_of(text))), tables())


@lru_cache(maxsize=8192)
def name_with_cause(text: str) -> Name | None:
    """Parse a known name written with its cause: "y due to x" for what is called "x y" or "x induced y"."""
    words = tuple(map(_mended, words_of(text)))
    core, rest = _clauses(words)
    if not rest or not _CAUSED & frozenset(words):
        return None
    names = ((*rest, *core), (*rest, "induced", *core))
    return next((_shape(name, tables()) for name in names if "".join(name) in tables().names), None)


@lru_cache(maxsize=16384)
def _mended(word: str) -> str:
    """Correct a long unknown word if exactly one known word is within a misspelling of it."""
    known = tables().known_words
    if len(word) < _LONG or word in known or word in tables().names:
        return word
    near = process.extract(
        word, _spellings().get(word[0], []), scorer=OSA.distance, score_cutoff=2, limit=None
    )
    slips = [(int(distance), other) for other, distance, _ in near if slip(word, other)]
    best = [other for distance, other in slips if distance == min(slips)[0]]
    return best[0] if len(best) == 1 else word


@lru_cache(maxsize=1)
def _spellings() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in sorted(tables().known_words):
        found[word[0]].append(word)
    return found


@lru_cache(maxsize=16384)
def slip(word: str, other: str) -> bool:
    """Whether two long words differ by a misspelling: one letter, or two within a very long word."""
    shorter = min(len(word), len(other))
    known = tables().known_words
    if shorter < 4 or word[0] != other[0] or (word in known and other in known):
        return False
    if any(char.isdigit() for char in word + other) or _opposite_prefix(word, other):
        return False
    allowed = 2 if shorter >= 10 else 1
    if shorter < _LONG:
        return len(word) != len(other) and OSA.distance(word, other) == 1 and word[-1] == other[-1]
    distance = OSA.distance(word, other)
    return distance <= 1 or (distance <= allowed and word[-3:] == other[-3:])


def _opposite_prefix(word: str, other: str) -> bool:
    return any(
        (word.startswith(one) and other.startswith(two)) or (word.startswith(two) and other.startswith(one))
        for one, two in _PREFIXES
    )


def is_known(name: Name) -> bool:
    """Whether the vocabulary has this condition."""
    return name.core in tables().cores


def _bag(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(word for entry in entries for word in words_of(entry))


def _ancestors(
    entries: Sequence[Entry], known: _Tables
) -> dict[tuple[frozenset[str], ...], tuple[Name, ...]]:
    direct: dict[Words, list[Words]] = {}
    for one in entries:
        if one.kinds:
            above = direct.setdefault(_renamed(words_of(one.names[0]), known), [])
            above.extend(_renamed(words_of(kind), known) for kind in one.kinds)
    found: dict[tuple[frozenset[str], ...], tuple[Name, ...]] = {}
    for words in direct:
        name = _shape(words, known)
        kinds = (_shape(kind, known) for kind in _reached(words, direct))
        found[name.core, name.course, name.rest] = tuple(kind for kind in kinds if kind.core != name.core)
    return found


def _reached(words: Words, direct: dict[Words, list[Words]]) -> list[Words]:
    """The broader kinds of a condition, transitively."""
    reached: list[Words] = []
    ahead = [words]
    while ahead:
        for above in direct.get(ahead.pop(), ()):
            if above not in reached:
                reached.append(above)
                ahead.append(above)
    return reached


def _renamed(words: Words, known: _Tables) -> Words:
    """Replace known names by the first name of their entry, longest match first, left to right."""
    found: list[str] = []
    crowded = _crowded(words, known.hedges | _COURSE)
    at = 0
    while at < len(words):
        for length in range(min(known.longest, len(words) - at), 0, -1):
            joined = "".join(words[at : at + length])
            name = known.names.get(joined)
            if name is not None and not (crowded[at] and joined in known.alone):
                found.extend(name)
                at += length
                break
        else:
            found.append(words[at])
            at += 1
    return tuple(found)


def _crowded(words: Words, empty: frozenset[str]) -> list[bool]:
    """For every word, whether its clause has other content words ("depression", "with suicidal ideation")."""
    found: list[bool] = []
    clause: list[str] = []
    for word in (*words, "with"):
        if word not in CLAUSE:
            clause.append(word)
            continue
        found += [sum(said not in empty for said in clause) > 1] * len(clause) + [False]
        clause = []
    return found


def _in_other_order(words: Words, known: _Tables) -> Words | None:
    """A known name in another word order ("scalp ringworm"), apart from its course and site."""
    for aside in (frozenset[str](), _COURSE, known.sites, _COURSE | known.sites):
        if (name := known.bags.get(frozenset(words) - aside - known.hedges - {"of"})) is not None:
            return (*(word for word in words if word in aside), *name)
    return None


def _shape(words: Words, known: _Tables) -> Name:
    core, rest = _clauses(_renamed(words, known))
    if "".join(words) not in known.names and frozenset(core) - known.tails not in known.cores:
        told, _ = _clauses(words)
        core = _in_other_order(told, known) or _in_other_order(core, known) or core
    course = frozenset(core) & _COURSE
    bare = [word for word in core if word not in known.hedges and word not in _COURSE]
    before_of = bare[: bare.index("of")] if "of" in bare else bare
    kept = [word for word in bare if word != "of"]
    named = [word for word in kept if word not in known.tails] or kept
    heads = {word for word in named if word in known.noun_first}
    nouns = [word for word in before_of if word in named]
    if nouns:
        heads.add(nouns[-1])
    return Name(
        frozenset(named), frozenset(rest) - known.hedges - {"of"}, course, frozenset(heads), tuple(named)
    )


def _clauses(words: Words) -> tuple[Words, Words]:
    """Split a name into itself and what follows "due to", "with" etc. ("x-induced y" is "y due to x")."""
    for at, word in enumerate(words):
        if at and word.startswith("without"):
            return words[:at], words[at:]
        if at == len(words) - 1:
            break
        if at and word in _JOINED and words[at + 1] not in CLAUSE:
            return words[at + 1 :], words[:at]
        if at and (word in CLAUSE or (word in _ADJECTIVES and words[at + 1] in CLAUSE)):
            return words[:at], tuple(w for w in words[at + 1 :] if w not in CLAUSE)
    return words, ()
