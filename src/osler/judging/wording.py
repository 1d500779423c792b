"""Reading the name of a condition: from free words to a core, what follows it, and how it is qualified.

    "Probable acute inferior STEMI due to plaque rupture"
        core {st, elevation, myocardial, infarction, inferior}, rest {plaque, rupture}, course {acute}

Words are brought to one form each (spelling, plural, adjective and noun, slips of the pen), known names to
the first name of their entry in the vocabulary; the head of `diagnosis.yaml` says what each list is for.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from osler.judging.diagnosis_vocabulary import DATA as DATA
from osler.judging.diagnosis_vocabulary import Entry, vocabulary

Words = tuple[str, ...]

OPPOSED: Final = (
    frozenset({"acute", "subacute", "chronic"}),
    frozenset({"left", "right", "bilateral"}),
)
_COURSE: Final = frozenset(word for group in OPPOSED for word in group) | {"unilateral"}
_CLAUSE: Final = frozenset(
    "due caused because with complicated from in following after to by".split()
    + "mimicking resembling simulating".split()
)
_EMPTY: Final = frozenset({"the", "a", "an", "and", "et", "this", "is", "his", "her", "patient"})
_BEFORE_ARTICLE: Final = _CLAUSE | {"of"}
_ADJECTIVES: Final = frozenset({"secondary", "induced", "related", "associated"})
_JOINED: Final = frozenset({"induced", "related", "associated"})
_PREFIX_WORDS: Final = frozenset(
    "non without gastro post pre anti broncho cardio cerebro haemo hemo hyper hypo intra micro macro musculo "
    "naso neuro osteo poly pseudo retro sub thrombo".split()
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_ISE: Final = re.compile(r"is(?=(?:e|ed|es|ing|ation)$)")
_POSSESSIVE: Final = re.compile(r"['’`´]s\b")
_SUBSTITUTES: Final = (("leuco", "leuko"), ("sulph", "sulf"), ("ae", "e"), ("ooe", "oe"), ("oe", "e"))
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
_KEPT_S: Final = ("ss", "us", "is", "os", "as", "ous")


class Name(NamedTuple):
    """One reading of a name. `heads` are the words that a broader name must keep."""

    core: frozenset[str]
    rest: frozenset[str]
    course: frozenset[str]
    heads: frozenset[str]
    order: Words


class _Tables(NamedTuple):
    """`names`: a known name, its words joined, and what it is read as; `broader`: by core and course."""

    names: dict[str, Words]
    longest: int
    broader: dict[tuple[frozenset[str], frozenset[str]], tuple[Name, ...]]
    generic: frozenset[str]
    tails: frozenset[str]
    noun_first: frozenset[str]
    hedges: frozenset[str]
    alone: frozenset[str]
    sites: frozenset[str]
    known_words: frozenset[str]
    cores: frozenset[frozenset[str]]


@lru_cache(maxsize=1)
def _synonym_words() -> dict[str, Words]:
    return {_one_form(key): (_one_form(word),) for key, word in vocabulary().words.items()}


@lru_cache(maxsize=8192)
def _one_form(word: str) -> str:
    """A word in American spelling and the singular; the same for both sides is all that matters."""
    for old, new in _SUBSTITUTES:
        word = word.replace(old, new)
    if len(word) > 6:
        word = _ISE.sub("iz", word)
    if len(word) > 5 and word.endswith("our"):
        word = f"{word[:-3]}or"
    if len(word) > 5 and word.endswith("mata"):
        return word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(_KEPT_S):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def _forms(word: str) -> Words:
    plain = _one_form(word)
    if plain.startswith("adenocarcinoma"):
        return ("adeno", "carcinoma")
    return _synonym_words().get(plain, (plain,))


def words_of(text: str) -> Words:
    """The words of a text, each in its one form; `non x`, `post-x` and `x-like` are one word each."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in text if not unicodedata.combining(char))
    plain = _POSSESSIVE.sub("", text.lower().replace("&", " and ").replace("in situ", "insitu"))
    found: list[str] = []
    glue = ""
    for word in _WORD.findall(plain):
        if word == "like" and found:
            found[-1] += word
        elif word in _PREFIX_WORDS:
            glue += word
        elif word not in _EMPTY or (word == "a" and found and found[-1] not in _BEFORE_ARTICLE):
            found.extend(_forms(glue + word))
            glue = ""
    if glue:
        found.append(glue)
    return tuple(found)


@lru_cache(maxsize=1)
def tables() -> _Tables:
    """What the vocabulary says, in the form of words."""
    return _tables(vocabulary().entries)


def _tables(entries: Sequence[Entry]) -> _Tables:
    lists = {key: _bag(value) for key, value in vocabulary().lists.items()}
    spelt = [(one, [words_of(name) for name in one.names]) for one in entries]
    names: dict[str, Words] = {}
    looser: dict[str, Words] = {}
    alone = set(lists["alone"])
    for one, forms in spelt:
        chosen = ("".join(forms[0]),) if one.whole else forms[0]
        for words in forms:
            names.setdefault("".join(words), chosen)
            for short in _looser(words):
                looser.setdefault("".join(short), chosen)
                if len(short) == 1:
                    alone.update(short)
    alone -= {words[0] for _, forms in spelt for words in forms if len(words) == 1} - lists["alone"]
    known = {word for _, forms in spelt for words in forms for word in words}
    known |= lists["generic"] | lists["confusable"] | lists["noun_first"] | lists["hedges"] | lists["sites"]
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
        frozenset(known),
        frozenset(),
    )
    cores = {_shape(name, partial).core for name in set(names.values())}
    return partial._replace(broader=_ancestors(entries, partial), cores=frozenset(cores))


def _looser(words: Words) -> Iterator[Words]:
    """A name that ends in "disease" or "syndrome" is also called by the other word, or by neither."""
    if len(words) > 1 and words[-1] in _TITLES:
        yield words[:-1]
        for title in _TITLES:
            yield (*words[:-1], title)


@lru_cache(maxsize=8192)
def name_of(text: str) -> Name:
    """Read one name."""
    return _shape(tuple(map(_mended, words_of(text))), tables())


@lru_cache(maxsize=16384)
def _mended(word: str) -> str:
    """A long word nobody knows, put right where exactly one known word lies a slip of the pen away."""
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
    """Whether two long words differ by a slip: one letter, or two within a very long word."""
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
    """Whether the matcher knows this condition."""
    return name.core in tables().cores


def _bag(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(word for entry in entries for word in words_of(entry))


def _ancestors(
    entries: Sequence[Entry], known: _Tables
) -> dict[tuple[frozenset[str], frozenset[str]], tuple[Name, ...]]:
    direct: dict[Words, list[Words]] = {}
    for one in entries:
        if one.kinds:
            above = direct.setdefault(_renamed(words_of(one.names[0]), known), [])
            above.extend(_renamed(words_of(kind), known) for kind in one.kinds)
    found = {}
    for words in direct:
        name = _shape(words, known)
        kinds = (_shape(kind, known) for kind in _reached(words, direct))
        found[name.core, name.course] = tuple(kind for kind in kinds if kind.core != name.core)
    return found


def _reached(words: Words, direct: dict[Words, list[Words]]) -> list[Words]:
    """The kinds of a condition, the kinds of these, and so on."""
    reached: list[Words] = []
    ahead = [words]
    while ahead:
        for above in direct.get(ahead.pop(), ()):
            if above not in reached:
                reached.append(above)
                ahead.append(above)
    return reached


def _renamed(words: Words, known: _Tables) -> Words:
    """Known names replaced by the first name of their group, longest first, left to right."""
    found: list[str] = []
    crowded = sum(word not in known.hedges and word not in _COURSE for word in words) > 1
    at = 0
    while at < len(words):
        for length in range(min(known.longest, len(words) - at), 0, -1):
            joined = "".join(words[at : at + length])
            name = known.names.get(joined)
            if name is not None and not (crowded and joined in known.alone):
                found.extend(name)
                at += length
                break
        else:
            found.append(words[at])
            at += 1
    return tuple(found)


def _shape(words: Words, known: _Tables) -> Name:
    words = _renamed(words, known)
    core, rest = _clauses(words)
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
    """What the name says, and what follows "due to", "with" and the like ("x-induced y" is "y due to x")."""
    for at, word in enumerate(words[:-1]):
        if at and word in _JOINED and words[at + 1] not in _CLAUSE:
            return words[at + 1 :], words[:at]
        if at and (word in _CLAUSE or (word in _ADJECTIVES and words[at + 1] in _CLAUSE)):
            return words[:at], tuple(w for w in words[at + 1 :] if w not in _CLAUSE)
    return words, ()
