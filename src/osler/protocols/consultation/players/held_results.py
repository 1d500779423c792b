"""The results of one case, indexed by everything that an order for them can be recognized by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

from osler.cases.importers.sentences import says_nothing
from osler.knowledge.body_regions import overlap, regions_in, within
from osler.knowledge.findings import finding
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import (
    KnownTest,
    is_known_word,
    is_panel,
    meant_test,
    named_test,
    parts_of,
    wordings_of,
)
from osler.knowledge.order_names import SIDES, SITES, SPECIMENS, normal_name, words
from osler.knowledge.vocabulary import FindingKind
from osler.text.findings_in_text import mentions
from osler.text.order_reading import BY_HAND, Reading, reading

EVERYTHING: Final = "Physical examination"
_TEXT: Final = 4000  # characters of a result that are searched
_INTIMATE: Final = frozenset(
    "anus bimanual breast genital genitalia genitourinary perineum pelvis penis prostate rectovaginal "
    "rectum scrotum speculum testis vagina vulva".split()
)
# Words in the names of collective findings, such as "Blood work" or "Imaging and other tests".
_COLLECTIVE: Final = frozenset(
    "additional basic blood chemistry exam finding general image imaging investigation laboratory other "
    "panel result serology special test tool".split()
)
# The material examined: glucose in urine does not answer for glucose in blood.
_MATERIAL: Final = (SPECIMENS - {"blood"}) | frozenset(
    "arthrocentesis aspiration biopsy culture lumbar sweat swab urinalysis".split()
)
_MATERIALS: Final = SPECIMENS | {"fluid"}
# Labels that say how something was examined or described, not what was.
_EMPTY_LABELS: Final = frozenset(
    "abnormality appearance auscultation finding general inspection observation palpation percussion "
    "pulse tone".split()
)
# A statement in a collective result gives a value if it has one of these words or a number.
_VALUES: Final = frozenset(
    "abnormal absent decreased detected elevated high increased is low negative nonreactive normal "
    "positive present raised reactive reduced trace was within".split()
)
_LONGEST: Final = 6  # maximum number of words in a name searched for in a result
_STATEMENT: Final = re.compile(r"[\n.;:,{}()\"]")
_PARTS: Final = re.compile(r"[;\n]")
_LABEL: Final = 60  # characters of a label
# "Cranial nerves (Ptosis: ...)": the name of a part that has parts of its own.
_HEADING: Final = re.compile(r"(?:^|[;(]) ?([^:;().,]{2,60}) \(")
_LINE: Final = re.compile(r"[\n.;,{}()]")

# How something was detected: a culture is no antibody.
_METHODS: Final = (
    frozenset({"pcr", "naat", "rna", "dna", "load"}),
    frozenset({"antibody", "igg", "igm", "iga", "serology", "titer"}),
    frozenset({"antigen"}),
    frozenset({"culture"}),
    frozenset({"breath"}),
    frozenset({"smear", "film", "stain", "microscopy"}),
)
_CLASSES: Final = frozenset({"iga", "ige", "igg", "igm"})
_FREE_OF_METHOD: Final = frozenset({"screen", "panel", "test", "combo"})

_PICTURES: Final = {
    "ct": "ct",
    "cta": "ct",
    "mri": "mri",
    "mr": "mri",
    "mra": "mri",
    "xray": "xray",
    "film": "xray",
    "ultrasound": "ultrasound",
    "doppler": "ultrasound",
    "imaging": "any",
    "neuroimaging": "any",
}
_VESSELS: Final = frozenset({"angiogram", "cta", "mra", "arteriogram"})
# Words of techniques so different that with and without them are two tests.
_SPECIAL: Final = frozenset(
    "barium colonogram densitometry elastogram endoscopic enema enterogram guided mammogram meal mrcp "
    "perfusion pet scintigram spect spectroscopy stress swallow trauma urogram venogram transesophageal "
    "followthrough cholangiopancreatogram bronchial intravascular survey".split()
)
_TELLING_NOTHING: Final = BY_HAND | {"sign", "test", "finding", "check", "maneuver", "for"}
_ARTERIES: Final = frozenset({"arterial", "artery"})
_VEINS: Final = frozenset({"vein", "venous"})
_VESSEL_KINDS: Final = ((_ARTERIES, _VEINS), (_VEINS, _ARTERIES))
_SAME_MATERIAL: Final = {"urinalysis": "urine", "lumbar": "csf", "arthrocentesis": "synovial"}
_TISSUES: Final = frozenset({"biopsy", "histology", "histopathology", "pathology", "fna", "excision"})
# Everybody is examined here, so the name of such an examination says nothing of the complaint.
_USUAL: Final = frozenset({"chest", "lung", "heart", "abdomen", "head", "neck", "skin", "eye", "ear"})
# A biopsy of a lesion there is one of the skin.
_LESIONS: Final = frozenset("lesion mole papule patch plaque rash ulcer".split())
_SURFACE: Final = frozenset(
    "abdomen arm back chest face foot forearm hand head leg lower-leg neck scalp shin shoulder skin "
    "thigh upper-arm".split()
)
_LIMBS: Final = frozenset({"leg", "arm", "spine"})
_ORGANS: Final = frozenset({"liver", "spleen"})


class Item:
    """A finding, indexed with everything it is compared by."""

    def __init__(self, id: str, kind: FindingKind, name: str, aliases: Sequence[str], result: str) -> None:
        self.id, self.kind, self.name, self.result = id, kind, name, told(result[:_TEXT])
        self.named = reading(name)
        self.key, self.words = self.named.key, self.named.words
        others = [other for each in aliases if not (other := reading(each)).general]
        own = [self.named] if not self.named.general else []
        self.keys = frozenset(each.key for each in (*own, *others))
        tests = [each.test for each in (*own, *others) if each.test]
        self.tests = frozenset(test.name for test in tests)
        self.holds = frozenset().union(*(parts_of(test.name) for test in tests)) if tests else frozenset()
        entries = [test.entry for test in tests[:1] if test.entry]
        self.intimate = entries[0].intimate if entries else bool(self.words & _INTIMATE)
        self.collective = self.words <= _COLLECTIVE
        self.examined = kind == "examination"
        self.material = _material_of(self.words)
        self.regions = regions_in(words(name)) or self.named.regions
        self.pictures = frozenset[str]()
        if kind == "image":
            known = frozenset(words(tests[0].name)) if tests else frozenset[str]()
            self.pictures = modalities(self.words) or modalities(known)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels in the result ("Haemoglobin: ..."): their keys, and the tests that they name."""
        found = set[str]()
        lines = _LINE.split(self.result.replace('"', ""))
        for label in (part for line in lines for part in line.split(":")[:-1] if len(part) <= _LABEL):
            key, test = normal_name(label), named_test(label)
            if test is None and self.material:
                test = named_test(" ".join(word for word in words(label) if word not in _MATERIALS))
            # "Skin: ..." in a biopsy's result is the site of the sample; in an examination it is a heading.
            if key and key not in _EMPTY_LABELS and (self.examined or not SITES.issuperset(key.split())):
                found |= {key, test.name} if test else {key}
        for heading in _HEADING.findall(self.result):
            if self.examined and (test := named_test(heading)):
                found.add(test.name)
        return frozenset(found)

    @cached_property
    def specimens(self) -> frozenset[str]:
        """The tests that the labels name together with the finding's own material: "Na" of a urinalysis."""
        found = (
            named_test(f"{material} {label}")
            for material in self.material & SPECIMENS
            for line in _LINE.split(self.result.replace('"', ""))
            for label in line.split(":")[:-1]
            if len(label) <= _LABEL
        )
        return frozenset(test.name for test in found if test)

    @cached_property
    def statements(self) -> list[list[str]]:
        """The words of each statement of the result."""
        return [found for part in _STATEMENT.split(self.result) if (found := words(part))]

    @cached_property
    def text(self) -> str:
        """The words of the result, separated and surrounded by single spaces."""
        return f" {' '.join(word for statement in self.statements for word in statement)} "

    @cached_property
    def places(self) -> frozenset[str]:
        """The body regions in the result's text."""
        return regions_in(self.text.split())

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

    @cached_property
    def summary(self) -> bool:
        """Whether a panel's result names none of its members, as in "Within normal limits"."""
        if not any(map(is_panel, self.tests)):
            return False
        return not self.labels and not any(
            f" {term} " in self.text for part in self.holds for term in wordings_of(part)
        )

    @cached_property
    def signs(self) -> frozenset[str]:
        """The examinations that reveal the signs which an examination's text affirms."""
        if not self.examined:
            return frozenset()
        found = (finding(id) for id, present in mentions(self.result).items() if present)
        entries = (formulary().find(each.order) for each in found if each.kind == "sign" and each.order)
        return frozenset(entry.name for entry in entries if entry)


def told(result: str) -> str:
    """`result` without the parts of which it says only that nothing is known: "Pulse: not recorded"."""
    parts = _PARTS.split(result)
    return "; ".join(
        part for part in parts if not part.strip() or not says_nothing(part.rpartition(":")[2] or part)
    )


def _material_of(said: frozenset[str]) -> frozenset[str]:
    return frozenset(_SAME_MATERIAL.get(word, word) for word in said & _MATERIAL)


def modalities(said: frozenset[str]) -> frozenset[str]:
    """The imaging modalities in the words of a name; `any` for imaging without saying which."""
    if said & (_TISSUES | {"guided"}):
        return frozenset()
    return frozenset(_PICTURES[word] for word in said if word in _PICTURES)


def is_it(order: Reading, item: Item) -> bool:
    """Whether the finding is what is ordered, under whatever name."""
    if order.general:
        return False
    if order.key in item.keys:
        return True
    test = order.test
    if test is None or not _agrees(order, item):
        return False
    if test.name in item.tests:
        return True
    if item.examined and item.intimate and not (test.entry and test.entry.intimate):
        return False
    if test.name == EVERYTHING:
        return item.examined
    return not parts_of(test.name).isdisjoint(item.tests)


def contains_it(order: Reading, item: Item) -> bool:
    """Whether the finding covers more than is ordered, and its result has the ordered part."""
    if order.general:
        return False
    agrees = _same_side(order, item) if item.examined else _agrees(order, item)
    return agrees and (
        _labelled(order, item) or _part_of(order, item) or _names_most(order, item) or _tells_of(order, item)
    )


def shows_it(order: Reading, item: Item, others: Sequence[Item]) -> bool:
    """Whether the finding is a picture or a biopsy of what is ordered, or an examination of that limb."""
    if order.general or not _same_side(order, item):
        return False
    return (
        _pictures_it(order, item, others)
        or _is_tissue_of_it(order, item, others)
        or _examines_it(order, item)
    )


def reveals_it(order: Reading, item: Item) -> bool:
    """Whether the text of another examination affirms a sign that the ordered examination reveals."""
    test = order.test
    if test is None or test.entry is None or test.entry.kind != "examination" or item.intimate:
        return False
    return test.entry.name in item.signs


def _agrees(order: Reading, item: Item) -> bool:
    """Whether body part, side, material, antibody class and method do not contradict each other."""
    return (
        _same_side(order, item)
        and (not order.regions or not item.regions or overlap(order.regions, item.regions))
        and not _conflict(order.words & _CLASSES, item.words & _CLASSES)
        and not _other_method(order.words, item.words)
    )


def _is_examination(test: KnownTest) -> bool:
    return test.entry is not None and test.entry.kind == "examination"


def _conflict(some: frozenset[str], others: frozenset[str]) -> bool:
    return bool(some) and bool(others) and some.isdisjoint(others)


def _other_method(some: frozenset[str], others: frozenset[str]) -> bool:
    ours = {n for n, method in enumerate(_METHODS) if some & method}
    theirs = {n for n, method in enumerate(_METHODS) if others & method}
    return bool(ours) and bool(theirs) and ours.isdisjoint(theirs)


def _same_side(order: Reading, item: Item) -> bool:
    ours, theirs = order.words & SIDES, item.words & SIDES
    return not ({"left", "right"} <= ours | theirs and not ours & theirs)


def _material(order: Reading) -> frozenset[str]:
    """The materials that may be examined for an order: a lumbar puncture yields CSF."""
    entry = order.test.entry if order.test else None
    aliases = entry.aliases if entry and order.test and entry.name == order.test.name else ()
    return _material_of(order.words.union(*(normal_name(alias).split() for alias in aliases)))


def _labelled(order: Reading, item: Item) -> bool:
    """Whether the result has a line labelled with the ordered test, or with one of the ordered panel's."""
    test = order.test
    if test and test.name in item.specimens:
        return True
    if not item.material <= _material(order):
        return False
    if order.key in item.labels or (test and test.name in item.labels):
        return True
    if item.material:
        bare = meant_test(
            " ".join(sorted(word for word in order.words - _MATERIALS if not regions_in([word])))
        )
        if bare and (bare.name in item.labels or not item.measured.isdisjoint(_terms(bare.name))):
            return True
    if test is None or _is_examination(test) != item.examined:
        return False
    wanted = parts_of(test.name) | {test.name}
    return not wanted.isdisjoint(item.labels) or (
        item.examined
        and any(
            test.name in parts_of(label) and not (label.endswith("examination") and _is_maneuver(test))
            for label in item.labels
        )
    )


def _is_maneuver(test: KnownTest) -> bool:
    """Whether a test is a single manoeuvre or sign, which only its own name in a result answers for."""
    return test.name.endswith((" test", " tests", " sign"))


def _part_of(order: Reading, item: Item) -> bool:
    """Whether the finding is a panel, or a collection such as "Blood work", whose result has the test."""
    test = order.test
    if test is None:
        return False
    if _is_examination(test) != item.examined:
        return False
    if not item.collective:
        return (test.name in item.holds or item.named.general or (item.examined and _is_maneuver(test))) and (
            not item.measured.isdisjoint(_terms(test.name))
            # A letter or two ("K") may be part of any word.
            or any(len(term) > 2 and f" {term} " in item.text for term in _terms(test.name))
            or (test.name in item.holds and item.summary)
        )
    told = item.topics if item.examined else item.measured
    return not told.isdisjoint(_terms(test.name))


@lru_cache(maxsize=2048)
def _terms(test: str) -> frozenset[str]:
    """The wordings a result may use for a test or its members."""
    return wordings_of(test).union(*(wordings_of(part) for part in parts_of(test)))


def _names_most(order: Reading, item: Item) -> bool:
    """Whether all words of the finding's name are ordered, and the others tell no other test from it.

    Or the other way round, for a name that nobody knows.
    """
    if order.test is not None or modalities(item.words) or item.words & _TISSUES:
        return False
    ours, theirs = order.words, item.words - {"test"}
    if theirs and theirs <= ours and not item.named.general:
        # "Bacterial culture of the skin scraping", whose result has a line for the culture.
        if any(ours.issuperset(label.split()) for label in item.labels):
            return True
        return not any(is_known_word(word) for word in ours - theirs)
    return len(ours) > 1 and ours <= theirs and not item.tests


def _tells_of(order: Reading, item: Item) -> bool:
    """Whether an examination's text has every telling word of an order for a sign: "Nikolsky sign"."""
    telling = order.words - _TELLING_NOTHING - SIDES
    examines = order.test is None or _is_examination(order.test)
    if not telling or not examines or not item.examined or telling <= SITES:
        return False
    if item.intimate and not (order.test and order.test.entry and order.test.entry.intimate):
        return False
    return all(f" {word} " in item.text for word in telling)


def _pictures_it(order: Reading, item: Item, others: Sequence[Item]) -> bool:
    """Whether both are pictures by the same means of the same or a larger or smaller part of the body."""
    wanted = modalities(order.words)
    if not wanted and order.words & _VESSELS:
        wanted = item.pictures if item.words & _VESSELS else frozenset()
    if not wanted and order.test and order.test.entry and order.test.entry.kind == "image":
        wanted = modalities(frozenset(words(order.test.name)))
    if not wanted or not item.pictures or item.examined or (wanted == {"any"} != item.pictures):
        return False
    if wanted.isdisjoint(item.pictures) and not (item.pictures == {"any"} and not wanted & {"any"}):
        return False
    if (order.words & _SPECIAL) != (item.words & _SPECIAL):
        return False
    if bool(order.words & _VESSELS) != bool(item.words & _VESSELS):
        return False
    shown = item.words.union(item.text.split())
    if any(order.words & ours and shown & theirs and not shown & ours for ours, theirs in _VESSEL_KINDS):
        return False
    if ("doppler" in order.words) != ("doppler" in item.words) and _both_known(order, item):
        return False
    if not order.regions:
        return False
    if item.regions:
        return overlap(order.regions, item.regions)
    return _fits_the_case(order, item, others)


def _both_known(order: Reading, item: Item) -> bool:
    """Whether order and finding are two different known tests, neither a part of the other."""
    return bool(order.test and item.tests and order.test.name not in item.tests | item.holds)


def _fits_the_case(order: Reading, item: Item, others: Sequence[Item]) -> bool:
    """Whether a finding that names no body part ("Radiographs", "Biopsy") is of the one ordered.

    The text of its result tells, or else the parts of the body that the other findings are about.
    """
    if item.places:
        return overlap(order.regions, item.places)
    elsewhere = [other.regions for other in others if other is not item and other.regions]
    about = frozenset().union(*elsewhere)
    return overlap(order.regions, about - _USUAL or about)


def _is_tissue_of_it(order: Reading, item: Item, others: Sequence[Item]) -> bool:
    """Whether both are biopsies of the same tissue."""
    if not (order.words & _TISSUES and (item.words & _TISSUES or "biopsy" in item.words)):
        return False
    sites = order.regions
    if order.words & _LESIONS and sites <= _SURFACE:
        sites |= {"skin"}
    if not sites:
        return False
    if item.regions:
        return overlap(sites, item.regions)
    return _fits_the_case(order._replace(regions=sites), item, others)


def _examines_it(order: Reading, item: Item) -> bool:
    """Whether an examination is of the limb, or the part of one, that is to be examined."""
    test = order.test
    wanted = test.name.endswith("examination") if test else not order.words.isdisjoint(BY_HAND)
    if not wanted or not item.examined or not order.regions or item.intimate or not item.regions:
        return False
    limbs = frozenset(region for region in order.regions if within([region], _LIMBS) or region in _ORGANS)
    # The pulses of a limb are no part of just any examination of it.
    if "pulse" in order.words and " pulse " not in item.text:
        return False
    return bool(limbs) and overlap(limbs, item.regions)
