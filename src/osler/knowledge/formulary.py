"""The formulary: what can be ordered, with its names, turnaround, cost and normal result.

`formulary()` reads `formulary.yaml` once. `find` looks up a name or an alias in any spelling; `near` guesses
at misspelt and incomplete names, which is good enough to ask back but never to answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal

import yaml
from pydantic import Field, TypeAdapter, model_validator
from rapidfuzz import fuzz, process

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.knowledge.order_names import SIDES, normal_name
from osler.knowledge.vocabulary import FindingKind

ADULT: Final = 40.0
_LIKE: Final = 80  # percent similarity (`fuzz.ratio`) from which a word counts as a misspelling of another


class NormalFor(Frozen):
    """A normal result for a group of patients: `min_age` and `max_age` in years, both inclusive."""

    text: str = Field(min_length=1)
    sex: Literal["female", "male"] | None = None
    min_age: float | None = None
    max_age: float | None = None

    @property
    def for_all(self) -> bool:
        return self.sex is None and self.min_age is None and self.max_age is None

    def fits(self, age_years: float, sex: str | None) -> bool:
        """Whether it applies to a patient of this age and sex."""
        return (
            self.sex in (None, sex)
            and (self.min_age is None or age_years >= self.min_age)
            and (self.max_age is None or age_years <= self.max_age)
        )


class Entry(Frozen):
    """An item that can be ordered.

    `minutes` is the turnaround, `cost` is in illustrative tariff points, `parts` names a panel's members.
    `grouped`: the aliases name different members of a group, so they are not interchangeable.
    `intimate` examinations need a chaperone.
    """

    name: str = Field(min_length=1)
    kind: FindingKind
    aliases: tuple[str, ...] = ()
    minutes: int = Field(gt=0)
    cost: int = Field(gt=0)
    parts: tuple[str, ...] = ()
    normal: str | tuple[NormalFor, ...] = Field(min_length=1)
    grouped: bool = False
    intimate: bool = False

    @model_validator(mode="after")
    def _somebody_always_fits(self) -> Entry:
        if not isinstance(self.normal, str) and not self.normal[-1].for_all:
            raise ValueError("the last normal result must be for everybody")
        return self


class Formulary:
    """All entries, indexed by name. Immutable. The first lookup of a name takes some microseconds."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        """Index `entries`. Raises `BadInput` for a duplicate name, an unknown part or a circular panel."""
        self._entries = {entry.name: entry for entry in entries}
        self._by_key: dict[str, Entry] = {}
        for entry in entries:
            for name in (entry.name, *entry.aliases):
                holder = self._by_key.setdefault(normal_name(name), entry)
                if holder is not entry:
                    raise _wrong(f"{name!r} names both {holder.name!r} and {entry.name!r}")
        self._by_letters = {_letters(key): entry for key, entry in self._by_key.items()}
        self._by_letters.update(
            (_letters(name), entry) for entry in entries for name in (*entry.aliases, entry.name)
        )
        self._parts = {entry.name: self._all_parts(entry, ()) for entry in entries}
        self._keys_with: dict[str, set[str]] = {}
        for key in self._by_key:
            for word in key.split():
                self._keys_with.setdefault(word, set()).add(key)
        self._words = sorted(word for word in self._keys_with if len(word) > 3)
        self._found = lru_cache(maxsize=8192)(self._find)
        self._guessed = lru_cache(maxsize=8192)(self._near)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def names(self) -> tuple[str, ...]:
        """The canonical names, in file order."""
        return tuple(self._entries)

    def find(self, name: str) -> Entry | None:
        """The entry with that name or alias; sides are ignored ("left knee X-ray" is a knee X-ray)."""
        return self._found(name)

    def near(self, name: str) -> Entry | None:
        """The closest entry to a misspelt or incomplete `name`; `None` if nothing is similar."""
        return self._guessed(name)

    def parts(self, entry: Entry) -> frozenset[str]:
        """The names of all members of a panel, recursively; empty if it is not a panel."""
        return self._parts[entry.name]

    def normal(self, entry: Entry, age_years: float | None, sex: str | None) -> str:
        """The normal result. An unknown age counts as an adult's; an unknown sex gets the general text."""
        if isinstance(entry.normal, str):
            return entry.normal
        age = ADULT if age_years is None else age_years
        return next(normal.text for normal in entry.normal if normal.fits(age, sex))

    def _find(self, name: str) -> Entry | None:
        key = normal_name(name)
        if entry := self._by_key.get(key):
            return entry
        words = key.split()
        sideless = [word for word in words if word not in SIDES]
        # "blood troponin" is troponin, but in "urine blood" the blood is what is tested for.
        bloodless = [word for word in sideless if word != "blood"]
        for fewer in (sideless, bloodless):
            if 0 < len(fewer) < len(words) and (entry := self._by_key.get(" ".join(fewer))):
                return entry
        return self._by_letters.get(_letters(name))

    def _near(self, name: str) -> Entry | None:
        if entry := self.find(name):
            return entry
        words = [word for word in normal_name(name).split() if word not in SIDES]
        likely = [self._likely_word(word) for word in words]
        if not words or not all(likely):
            return None
        meant = sorted({word for word in likely if word})
        if whole := self._by_key.get(" ".join(meant)):
            return whole
        keys = set.intersection(*(self._keys_with[word] for word in meant))
        return self._by_key[min(keys, key=lambda key: (len(key), key))] if keys else None

    def _likely_word(self, word: str) -> str | None:
        """`word` itself if some name contains it, else the word it may be a misspelling of."""
        if word in self._keys_with:
            return word
        if len(word) < 4:
            return None
        best = process.extractOne(word, self._words, scorer=fuzz.ratio, score_cutoff=_LIKE)
        return None if best is None or (len(word) == 4 and best[1] < 85) else best[0]

    def _all_parts(self, entry: Entry, above: tuple[str, ...]) -> frozenset[str]:
        if entry.name in above:
            raise _wrong(f"{entry.name!r} is a part of itself")
        result = set(entry.parts)
        for name in entry.parts:
            if name not in self._entries:
                raise _wrong(f"{entry.name!r} has a part {name!r} that is not there")
            result |= self._all_parts(self._entries[name], (*above, entry.name))
        return frozenset(result)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _wrong(what: str) -> BadInput:
    return BadInput(what, where="formulary", hint="give each name to one entry, and each part an entry")


def read_formulary(text: str) -> Formulary:
    """Parse a formulary from YAML. Raises `BadInput` if it breaks the rules in the packaged file's header."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return Formulary(TypeAdapter(tuple[Entry, ...]).validate_python(yaml.load(text, Loader=loader)))  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError) as error:
        raise _wrong(f"cannot be read: {error}") from error


@lru_cache(maxsize=1)
def formulary() -> Formulary:
    """The formulary that ships with Osler."""
    return read_formulary(files("osler.knowledge").joinpath("formulary.yaml").read_text("utf-8"))
