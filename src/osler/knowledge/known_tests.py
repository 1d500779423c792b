"""Which test a name means, and which tests a panel holds.

`named_test` knows the formulary's names and those of `known_tests.yaml`, which tells apart what the formulary
groups. A name with other words in it is read by the longest known name among them, but only if every other
word is a mere qualifier ("urgent", "fasting") or unknown: "urine sodium" is never sodium.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import yaml
from rapidfuzz import process
from rapidfuzz.distance import OSA

from osler.knowledge.body_regions import regions_in
from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.order_names import SIDES, normal_name, words

QUALIFIERS: Final = frozenset(
    "acute adult afternoon another auscultate baby bedside bilateral blood case child close complete "
    "comprehensive continuous core current diagnostic differential dual emergency emergent enhanced "
    "entire examination excisional extended fast fasting feel flexible follow followup formal full gently "
    "incisional infant inpatient inspect inspection lateral left lesion lesional limited listen look "
    "lower morning needle newborn non outpatient overnight paired palpate palpation panel patient "
    "percuss percussion perilesional peripheral plain point possible preoperative press pretreatment "
    "prior protocol punch qualitative random rapid reflex repeated review right same sample screen "
    "sequential serial series set shave simple single specimen spot standing tap timed titer total "
    "trough two up upper upright usual venous view visit watch whole".split()
)
"""Words that say how or when a test is done, not which it is. A known name that has them comes first."""

_ANTI: Final = frozenset({"anti", "antibody", "autoantibody"})
_CLASSES: Final = frozenset({"iga", "ige", "igg", "igm"})
_ABOUT_ANTIBODIES: Final = (
    _ANTI | _CLASSES | {"binding", "elisa", "panel", "serology", "specific", "test", "titer", "total"}
)
_VAGUE: Final = frozenset(
    "24h anti antibody antigen assay blood count factor igg igm level panel pcr serology test titer "
    "urine virus".split()
)


# Names too plain to stand for a test beside an unknown word: "zonulin protein" is not total protein.
_TOO_PLAIN: Final = _CLASSES | frozenset(
    "csf factor film iron protein smear sputum stool urine viral virus wound".split()
)


_EXAMINED: Final = frozenset({"exam"})
_MERE: Final = frozenset({"assay", "serology", "titer"})
# Not grouped in the formulary, but their other names are those of different parts.
_COLLECTIONS: Final = frozenset({"Lumbar puncture", "Antiphospholipid antibodies", "Coeliac serology"})
# Tests of any part of the body, which their names leave out.
_ANYWHERE: Final = frozenset(
    {
        "Direct immunofluorescence",
        "Electromyography",
        "Electromyography and nerve conduction studies",
        "Nerve conduction studies",
        "Skin scraping",
    }
)
WITHIN_LIMITS: Final = "Within normal limits."
_LEAST: Final = 6  # letters of a word that may be a misspelling


class KnownTest(NamedTuple):
    """A test, examination or image by its canonical name; `entry` is what the formulary charges for it."""

    name: str
    entry: Entry | None


class _Names:
    """Every known name, by its key, and the members of every panel."""

    def __init__(self, source: Mapping[str, object]) -> None:
        self.tests: dict[str, KnownTest] = {}
        self.bases: dict[frozenset[str], KnownTest] = {}
        self._wordings: dict[str, set[str]] = {}
        self._members: dict[str, set[str]] = {
            entry.name: set(formulary().parts(entry)) for entry in formulary()
        }
        antibodies = _lines(source["antibodies"])
        # One antibody is no panel of the others that cost the same.
        self._specific = {line[0] for line in antibodies}.union(*_lines([source["specific"]]))
        self._apart = frozenset[str]().union(*_lines(source["apart"]))
        for line in _lines(source["same"]):
            self._add(line)
        for line in antibodies:
            self._add_antibodies(line)
        for entry in formulary():
            self._add_entry(entry)
        self.panels = {entry.name for entry in formulary() if entry.parts}
        for panel, parts in _panels(source["panels"]):
            self.panels.add(panel)
            self._members.setdefault(panel, set()).update(parts)
        for ratio, parts in _panels(source["calculated"]):
            self._members.setdefault(ratio, set()).update(parts)
        self.every_wording = frozenset(way for ways in self._wordings.values() for way in ways)
        self.members = {name: frozenset(self._all(name, ())) for name in self._members}
        self._keys = {key: frozenset(key.split()) for key in self.tests}
        self._with: dict[str, list[str]] = {}
        self._long_words: list[str] = []
        for key, said in self._keys.items():
            for word in said:
                self._with.setdefault(word, []).append(key)
        self._long_words = sorted(word for word in self._with if len(word) >= _LEAST and word.isalpha())

    def _add(self, names: Iterable[str], group: Entry | None = None) -> KnownTest:
        first, *others = names
        test = KnownTest(first, _entry_of([first, *others]) or group)
        for name in (first, *others):
            self._name(name, test)
        return test

    def _name(self, name: str, test: KnownTest) -> None:
        self.tests.setdefault(normal_name(name), test)
        self._wordings.setdefault(test.name, set()).add(" ".join(words(name)))
        if entry := formulary().find(name):
            self._belongs(test.name, entry)

    def _belongs(self, test: str, entry: Entry) -> None:
        """Make a test a member of the group that the formulary has it in."""
        collects = entry.grouped or entry.kind == "examination" or entry.name in _COLLECTIONS
        own = test == entry.name or entry.name in self._specific or test in self._apart
        if collects and not own:
            self._members[entry.name].add(test)

    def _add_antibodies(self, line: list[str]) -> None:
        test = self._add([line[0]], _group_of(line))
        for name in line:
            base = frozenset(normal_name(name).split()) - _ABOUT_ANTIBODIES
            self.bases.setdefault(base, test)
            self._wordings[test.name].add(" ".join(words(name)))
            entry = formulary().find(name)
            if entry is None or entry.grouped or entry == test.entry:
                self._name(name, test)

    def _add_entry(self, entry: Entry) -> None:
        own = KnownTest(entry.name, entry)
        general = frozenset(normal_name(entry.name).split()) | _VAGUE
        for name in (entry.name, *entry.aliases):
            key = normal_name(name)
            if key in self.tests:
                continue
            said = frozenset(key.split())
            if name != entry.name and said & _ANTI and (test := self.antibody(said)):
                self.tests[key] = test
                self._belongs(test.name, entry)
            elif name == entry.name or not entry.grouped or (said <= general and len(said) > 1):
                self._name(name, own)
            else:
                plain = " ".join(sorted(said - {"exam", "test"}))
                self._name(name, self.tests.get(plain) or KnownTest(name, entry))

    def _all(self, panel: str, above: tuple[str, ...]) -> Iterator[str]:
        for name in self._members.get(panel, ()):
            if name not in above:
                yield name
                yield from self._all(name, (*above, panel))

    def antibody(self, said: frozenset[str]) -> KnownTest | None:
        """The antibody that words such as "AChR Ab serology" mean."""
        base = said - _ABOUT_ANTIBODIES
        plain = frozenset(w[4:] if w.startswith("anti") and len(w) > 6 else w for w in base)
        unnumbered = frozenset(word for word in plain if not word.isdigit())
        return next((self.bases[one] for one in (base, plain, unnumbered) if one and one in self.bases), None)

    def find(self, name: str) -> KnownTest | None:
        """The test whose full name this is."""
        key = normal_name(name)
        if test := self.tests.get(key):
            return test
        said = frozenset(key.split())
        if said & (_ANTI | _CLASSES | {"serology", "titer"}) and (test := self.antibody(said)):
            return test
        entry = formulary().find(name)
        return self._of_entry(entry, said) if entry else None

    def _of_entry(self, entry: Entry, said: frozenset[str]) -> KnownTest:
        # The formulary ignores sides and finds names without their spaces.
        sideless, bloodless = said - SIDES, said - SIDES - {"blood"}
        pairs = (self.tests.get(" ".join(sorted(one))) for one in (sideless, bloodless))
        return next(filter(None, pairs), KnownTest(entry.name, entry))

    def within(self, name: str) -> KnownTest | None:
        """The test of the longest known name in these words, if all other words qualify it or are unknown."""
        said = frozenset(normal_name(name).split()) - SIDES
        telling = frozenset(w for w in said if w not in QUALIFIERS)
        keys = {key for word in said for key in self._with.get(word, ()) if self._keys[key] <= said}
        longest = sorted(keys, key=lambda key: (-len(self._keys[key] & telling), len(key), key))
        result = next((test for key in longest if (test := self._qualified(key, telling))), None)
        return result or (self.antibody(telling) if telling & _ANTI else None)

    def _qualified(self, key: str, telling: frozenset[str]) -> KnownTest | None:
        """The test with this key, if none of the other telling words makes it another."""
        own, test = self._keys[key], self.tests[key]
        if not own - QUALIFIERS or (own <= _EXAMINED and telling != own):
            return None
        rest = telling - own - _MERE
        if test.name in _ANYWHERE or (is_examination(test) and not regions_in(words(test.name))):
            # "Reflexes of the legs", "EMG of the right arm": the test names no part of the body itself.
            rest = frozenset(word for word in rest if not regions_in([word]))
        if test.name.endswith(("serology", "antibodies")):
            rest -= _ABOUT_ANTIBODIES
        other = any(word in self._with or word in _ABOUT_ANTIBODIES for word in rest)
        plain = own <= _TOO_PLAIN or all(regions_in([word]) for word in own - QUALIFIERS)
        return None if other or (rest and plain) else test

    def corrected(self, word: str) -> str:
        if len(word) < _LEAST or word in self._with or word in QUALIFIERS:
            return word
        near = process.extract(
            word, self._long_words, scorer=OSA.distance, score_cutoff=1 + (len(word) > 8), limit=2
        )
        unsure = len(near) > 1 and near[0][1] == near[1][1]
        return word if not near or unsure or near[0][0][0] != word[0] else near[0][0]

    def known(self, word: str) -> bool:
        return word in self._with

    def wordings(self, name: str) -> frozenset[str]:
        return frozenset(self._wordings.get(name, ()))


def _lines(value: object) -> list[list[str]]:
    return [[str(name) for name in line] for line in value] if isinstance(value, list) else []


def _panels(value: object) -> list[tuple[str, list[str]]]:
    return list(value.items()) if isinstance(value, dict) else []


def is_examination(test: KnownTest) -> bool:
    """Whether a test is an examination."""
    return test.entry is not None and test.entry.kind == "examination"


def _group_of(antibody: Iterable[str]) -> Entry | None:
    """The group of the formulary that an antibody is charged with, where only its short names stand there."""
    ways = (way for name in antibody for way in (name, f"anti-{name}", f"{name} antibodies"))
    return next((entry for name in ways if (entry := formulary().find(name)) and entry.grouped), None)


def _entry_of(names: Iterable[str]) -> Entry | None:
    return next((entry for name in names if (entry := formulary().find(name))), None)


@cache
def _names() -> _Names:
    text = files("osler.knowledge").joinpath("known_tests.yaml").read_text("utf-8")
    return _Names(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506 - a safe loader


@lru_cache(maxsize=16384)
def named_test(name: str) -> KnownTest | None:
    """The test that `name` is a full name of, in any spelling and word order."""
    return _names().find(name)


def is_wording(name: str) -> bool:
    """Whether this is a name of a test in its own word order: "urea and electrolytes"."""
    return " ".join(words(name)) in _names().every_wording


def is_full_name(name: str) -> bool:
    """Whether this is a name of a test as it stands, every word counted."""
    return normal_name(name) in _names().tests


def priced_name(test: KnownTest, said: str) -> str | None:
    """The name under which a test that was called `said` is charged: its own where it is one of a group of
    the formulary, else its entry's; `None` if it is not there."""
    entry = test.entry or formulary().find(said)
    if entry is None:
        return None
    return test.name if test.entry and entry.grouped else entry.name


def normal_result(name: str, entry: Entry, age_years: float | None, sex: str | None) -> str:
    """The normal result of what was ordered by `name`, which the formulary charges as `entry`: for one of a
    group nothing of the others."""
    text, test = formulary().normal(entry, age_years, sex), named_test(name)
    if test is None or test.name == entry.name or not entry.grouped:
        return text
    said = f" {' '.join(words(text))} "
    others = _names().members.get(entry.name, frozenset()) - {test.name}
    told = any(f" {wording} " in said for other in others for wording in wordings_of(other))
    return WITHIN_LIMITS if told else text


@lru_cache(maxsize=16384)
def meant_test(name: str) -> KnownTest | None:
    """The test that `name` means, which may have qualifiers beside its name."""
    return _names().find(name) or _names().within(name)


def parts_of(test: str) -> frozenset[str]:
    """The canonical names of all members of a panel, recursively; empty if it is not one."""
    return _names().members.get(test, frozenset())


def is_panel(test: str) -> bool:
    """Whether a test is a panel of others."""
    return test in _names().panels


@lru_cache(maxsize=4096)
def wordings_of(test: str) -> frozenset[str]:
    """The wordings by which a text may speak of a test, as `order_names.words` spells them."""
    return _names().wordings(test)


@lru_cache(maxsize=4096)
def corrected(word: str) -> str:
    """The known word that a word nobody knows is a misspelling of; itself if there is none."""
    return _names().corrected(word)


def is_known_word(word: str) -> bool:
    """Whether a word, in canonical spelling, is part of any known name."""
    return _names().known(word)
