"""Reading the name of a condition: from free words to a core, what follows it, and how it is qualified.

    "Probable acute inferior STEMI due to plaque rupture"
        core {st, elevation, myocardial, infarction, inferior}, rest {plaque, rupture}, course {acute}

Words are brought to one form each (spelling, plural, adjective and noun), known names to the first name of
their group in `diagnosis.yaml`, whose head says what each list is for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple, TypedDict

import yaml

Words = tuple[str, ...]

DATA: Final = files("osler.judging").joinpath("diagnosis.yaml").read_text("utf-8")

OPPOSED: Final = (
    frozenset({"acute", "subacute", "chronic"}),
    frozenset({"left", "right", "bilateral"}),
)
_COURSE: Final = frozenset(word for group in OPPOSED for word in group) | {"unilateral"}
_CLAUSE: Final = frozenset(
    {
        "due",
        "secondary",
        "caused",
        "because",
        "with",
        "associated",
        "complicated",
        "from",
        "in",
        "following",
        "after",
    }
)
_EMPTY: Final = frozenset({"the", "a", "an", "and", "et", "to", "by", "this", "is", "his", "her", "patient"})
_BEFORE_ARTICLE: Final = _CLAUSE | {"of"}
_JOINED: Final = frozenset({"induced", "related"})
_PREFIX_WORDS: Final = frozenset(
    {
        "non",
        "without",
        "gastro",
        "post",
        "pre",
        "anti",
        "broncho",
        "cardio",
        "cerebro",
        "haemo",
        "hemo",
        "hyper",
    }
    | {
        "hypo",
        "intra",
        "micro",
        "macro",
        "musculo",
        "naso",
        "neuro",
        "osteo",
        "poly",
        "retro",
        "sub",
        "thrombo",
    }
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_POSSESSIVE: Final = re.compile(r"['’`´]s\b")
_SUBSTITUTES: Final = (("leuco", "leuko"), ("sulph", "sulf"), ("ae", "e"), ("ooe", "oe"), ("oe", "e"))
_KEPT_S: Final = ("ss", "us", "is", "os", "as", "ous")


class Name(NamedTuple):
    """One reading of a name. `heads` are the words that a broader name must keep."""

    core: frozenset[str]
    rest: frozenset[str]
    course: frozenset[str]
    heads: frozenset[str]
    order: Words


class _Data(TypedDict):
    groups: list[list[str]]
    is_a: dict[str, str]
    generic: list[str]
    tails: list[str]
    noun_first: list[str]
    hedges: list[str]
    alone: list[str]
    words: dict[str, str]
    confusable: list[str]


class _Tables(NamedTuple):
    names: dict[Words, Words]
    longest: int
    broader: dict[frozenset[str], frozenset[frozenset[str]]]
    generic: frozenset[str]
    tails: frozenset[str]
    noun_first: frozenset[str]
    hedges: frozenset[str]
    alone: frozenset[str]
    known_words: frozenset[str]
    cores: frozenset[frozenset[str]]


@lru_cache(maxsize=1)
def _synonym_words() -> dict[str, Words]:
    return {_one_form(key): (_one_form(word),) for key, word in _loaded()["words"].items()}


@lru_cache(maxsize=1)
def _loaded() -> _Data:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: _Data = yaml.load(DATA, Loader=loader)  # noqa: S506 - a safe loader, ours in C
    return found


@lru_cache(maxsize=8192)
def _one_form(word: str) -> str:
    """A word in American spelling and the singular; the same for both sides is all that matters."""
    for old, new in _SUBSTITUTES:
        word = word.replace(old, new)
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
    """The words of a text, each in its one form; `non x`, `without x` and `post-x` are one word each."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in text if not unicodedata.combining(char))
    plain = _POSSESSIVE.sub("", text.lower().replace("&", " and ").replace("in situ", "insitu"))
    found: list[str] = []
    glue = ""
    for word in _WORD.findall(plain):
        if word in _PREFIX_WORDS:
            glue += word
        elif word not in _EMPTY or (word == "a" and found and found[-1] not in _BEFORE_ARTICLE):
            found.extend(_forms(glue + word))
            glue = ""
    if glue:
        found.append(glue)
    return tuple(found)


@lru_cache(maxsize=1)
def tables() -> _Tables:
    """What `diagnosis.yaml` says, in the form of words."""
    data = _loaded()
    names: dict[Words, Words] = {}
    for group in data["groups"]:
        chosen = words_of(group[0])
        for name in group:
            names.setdefault(words_of(name), chosen)
    known = {word for name in names for word in name}
    known |= _bag(data["generic"]) | _bag(data["confusable"]) | _bag(data["noun_first"])
    partial = _Tables(
        names,
        max(map(len, names)),
        {},
        _bag(data["generic"]),
        _bag(data["tails"]),
        _bag(data["noun_first"]),
        _bag(data["hedges"]),
        _bag(data["alone"]),
        frozenset(known),
        frozenset(),
    )
    cores = {_shape(name, partial).core for name in set(names.values())}
    return partial._replace(broader=_ancestors(data["is_a"], partial), cores=frozenset(cores))


@lru_cache(maxsize=8192)
def name_of(text: str) -> Name:
    """Read one name."""
    return _shape(words_of(text), tables())


def is_known(name: Name) -> bool:
    """Whether the matcher knows this condition."""
    return name.core in tables().cores


def _bag(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(word for entry in entries for word in words_of(entry))


def _ancestors(pairs: dict[str, str], known: _Tables) -> dict[frozenset[str], frozenset[frozenset[str]]]:
    direct = {_shape(words_of(k), known).core: _shape(words_of(v), known).core for k, v in pairs.items()}
    return {core: frozenset(_chain(core, direct)) for core in direct}


def _chain(core: frozenset[str], direct: dict[frozenset[str], frozenset[str]]) -> Iterator[frozenset[str]]:
    seen = {core}
    while (above := direct.get(core)) is not None and above not in seen:
        seen.add(above)
        yield above
        core = above


def _renamed(words: Words, known: _Tables) -> Words:
    """Known names replaced by the first name of their group, longest first, left to right."""
    found: list[str] = []
    crowded = sum(word not in known.hedges and word not in _COURSE for word in words) > 1
    at = 0
    while at < len(words):
        for length in range(min(known.longest, len(words) - at), 0, -1):
            name = known.names.get(words[at : at + length])
            if name is not None and (length > 1 or not crowded or words[at] not in known.alone):
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
    for at, word in enumerate(words):
        if word in _JOINED and 0 < at < len(words) - 1:
            return words[at + 1 :], words[:at]
        follows = words[at + 1] if at + 1 < len(words) else ""
        if word in _CLAUSE and at and follows and not (word == "secondary" and at == 0):
            return words[:at], tuple(w for w in words[at + 1 :] if w not in _CLAUSE)
    return words, ()
