"""Whether an order asks for a result that a case holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.body_regions import overlap, regions_in, within
from osler.knowledge.known_tests import (
    KnownTest,
    is_examination,
    is_known_word,
    meant_test,
    parts_of,
    wordings_of,
)
from osler.knowledge.order_names import SIDES, SITES, normal_name, words
from osler.protocols.consultation.players.held_item import (
    MATERIALS,
    TISSUES,
    IndexedFinding,
    material_of,
    modalities,
)
from osler.text.order_reading import BY_HAND, Reading

EVERYTHING: Final = "Physical examination"

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
# Everybody is examined here, so the name of such an examination says nothing of the complaint.
_USUAL: Final = frozenset({"chest", "lung", "heart", "abdomen", "head", "neck", "skin", "eye", "ear"})
# A biopsy of a lesion there is one of the skin.
_LESIONS: Final = frozenset("lesion mole papule patch plaque rash ulcer".split())
_SURFACE: Final = frozenset(
    "abdomen arm back chest face foot forearm hand head leg lower-leg neck scalp shin shoulder skin "
    "thigh upper-arm".split()
)
_ABOVE_NECK: Final = frozenset({"head", "brain", "skull"})
_LIMBS: Final = frozenset({"leg", "arm", "spine"})
_ORGANS: Final = frozenset({"liver", "spleen"})


def is_it(order: Reading, item: IndexedFinding) -> bool:
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
    return item.named.test is not None and item.named.test.name in parts_of(test.name)


def contains_it(order: Reading, item: IndexedFinding) -> bool:
    """Whether the finding covers more than is ordered, and its result has the ordered part."""
    if order.general:
        return False
    agrees = same_side(order, item) if item.examined else _agrees(order, item)
    return agrees and (
        _labelled(order, item) or _part_of(order, item) or _names_most(order, item) or _tells_of(order, item)
    )


def shows_it(order: Reading, item: IndexedFinding, others: Sequence[IndexedFinding]) -> bool:
    """Whether the finding is a picture or a biopsy of what is ordered, or an examination of that limb."""
    if order.general or not same_side(order, item):
        return False
    return (
        _pictures_it(order, item, others)
        or _is_tissue_of_it(order, item, others)
        or _examines_it(order, item)
    )


def reveals_it(order: Reading, item: IndexedFinding) -> bool:
    """Whether the text of another examination affirms a sign that the ordered examination reveals."""
    test = order.test
    if test is None or test.entry is None or test.entry.kind != "examination" or item.intimate:
        return False
    return test.entry.name in item.signs


def _agrees(order: Reading, item: IndexedFinding) -> bool:
    """Whether body part, side, material, antibody class and method do not contradict each other."""
    return (
        same_side(order, item)
        and (not order.regions or not item.regions or overlap(order.regions, item.regions))
        and not _conflict(order.words & _CLASSES, item.words & _CLASSES)
        and not _other_method(order.words, item.words)
    )


def _conflict(some: frozenset[str], others: frozenset[str]) -> bool:
    return bool(some) and bool(others) and some.isdisjoint(others)


def _other_method(some: frozenset[str], others: frozenset[str]) -> bool:
    ours = {n for n, method in enumerate(_METHODS) if some & method}
    theirs = {n for n, method in enumerate(_METHODS) if others & method}
    return bool(ours) and bool(theirs) and ours.isdisjoint(theirs)


def same_side(order: Reading, item: IndexedFinding) -> bool:
    """Whether an order and a finding are not of opposite sides."""
    ours, theirs = order.words & SIDES, item.words & SIDES
    return not ({"left", "right"} <= ours | theirs and not ours & theirs)


def _material(order: Reading) -> frozenset[str]:
    """The materials that may be examined for an order: a lumbar puncture yields CSF."""
    entry = order.test.entry if order.test else None
    aliases = entry.aliases if entry and order.test and entry.name == order.test.name else ()
    return material_of(order.words.union(*(normal_name(alias).split() for alias in aliases)))


def _labelled(order: Reading, item: IndexedFinding) -> bool:
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
            " ".join(sorted(word for word in order.words - MATERIALS if not regions_in([word])))
        )
        if bare and (bare.name in item.labels or not item.measured.isdisjoint(_terms(bare.name))):
            return True
    if test is None or is_examination(test) != item.examined:
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


def _part_of(order: Reading, item: IndexedFinding) -> bool:
    """Whether the finding is a panel, or a collection such as "Blood work", whose result has the test."""
    test = order.test
    if test is None:
        return False
    if is_examination(test) != item.examined:
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


def _names_most(order: Reading, item: IndexedFinding) -> bool:
    """Whether all words of the finding's name are ordered, and the others tell no other test from it.

    Or the other way round, for a name that nobody knows.
    """
    if order.test is not None or modalities(item.words) or item.words & TISSUES:
        return False
    ours, theirs = order.words, item.words - {"test"}
    if theirs and theirs <= ours and not item.named.general:
        # "Bacterial culture of the skin scraping", whose result has a line for the culture.
        if any(ours.issuperset(label.split()) for label in item.labels):
            return True
        return not any(is_known_word(word) for word in ours - theirs)
    return len(ours) > 1 and ours <= theirs and not item.tests


def _tells_of(order: Reading, item: IndexedFinding) -> bool:
    """Whether an examination's text has every telling word of an order for a sign: "Nikolsky sign"."""
    telling = order.words - _TELLING_NOTHING - SIDES
    examines = order.test is None or is_examination(order.test)
    if not telling or not examines or not item.examined or telling <= SITES:
        return False
    if item.intimate and not (order.test and order.test.entry and order.test.entry.intimate):
        return False
    return all(f" {word} " in item.text for word in telling)


def _pictures_it(order: Reading, item: IndexedFinding, others: Sequence[IndexedFinding]) -> bool:
    """Whether both are pictures by the same means of the same or a larger or smaller part of the body."""
    wanted = modalities(order.words)
    if not wanted and "scan" in order.words and order.regions:
        wanted = item.pictures if _is_the_scan(order, item, others) else frozenset()
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
    if item.regions <= _ABOVE_NECK and not order.regions & _ABOVE_NECK and _both_known(order, item):
        return False  # the CT of the temporal bones is not that of the head
    if ("doppler" in order.words) != ("doppler" in item.words) and _both_known(order, item):
        return False
    if not order.regions:
        return False
    if item.regions:
        return overlap(order.regions, item.regions)
    return _fits_the_case(order, item, others)


def _is_the_scan(order: Reading, item: IndexedFinding, others: Sequence[IndexedFinding]) -> bool:
    """Whether a picture is what "scan the bladder" means: the one that the case has of it but for X-rays, or
    the one ultrasound."""
    findings = {
        other
        for other in (item, *others)
        if other.pictures - {"xray"} and overlap(order.regions, other.regions)
    }
    sounds = {other for other in findings if "ultrasound" in other.pictures}
    return item in findings and 1 in (len(findings), len(sounds)) and (len(findings) == 1 or item in sounds)


def _both_known(order: Reading, item: IndexedFinding) -> bool:
    """Whether order and finding are two different known tests, neither a part of the other."""
    return bool(order.test and item.tests and order.test.name not in item.tests | item.holds)


def _fits_the_case(order: Reading, item: IndexedFinding, others: Sequence[IndexedFinding]) -> bool:
    """Whether a finding that names no body part ("Radiographs", "Biopsy") is of the one ordered.

    The text of its result tells, or else the parts of the body that the other findings are about.
    """
    if item.places:
        return overlap(order.regions, item.places)
    elsewhere = [other.regions for other in others if other is not item and other.regions]
    about = frozenset().union(*elsewhere)
    return overlap(order.regions, about - _USUAL or about)


def _is_tissue_of_it(order: Reading, item: IndexedFinding, others: Sequence[IndexedFinding]) -> bool:
    """Whether both are biopsies of the same tissue."""
    if not (order.words & TISSUES and (item.words & TISSUES or "biopsy" in item.words)):
        return False
    sites = order.regions
    if order.words & _LESIONS and sites <= _SURFACE:
        sites |= {"skin"}
    if not sites:
        return False
    if item.regions:
        return overlap(sites, item.regions)
    return _fits_the_case(order._replace(regions=sites), item, others)


def _examines_it(order: Reading, item: IndexedFinding) -> bool:
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
