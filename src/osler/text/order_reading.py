"""Reading an order: the single tests it lists, and ever plainer readings of each.

"Urgent CBC with differential, and a CT of the abdomen to look for stones" lists two tests. Each is read in
full first, then without remarks in brackets, without its purpose ("to look for ..."), and without how it is
done ("with ..."); the first reading that means something counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import (
    QUALIFIERS,
    KnownTest,
    is_full_name,
    is_known_word,
    meant_test,
    named_test,
)
from osler.knowledge.order_names import MODALITIES, SIDES, SITES, SPECIMENS, normal_name, words

_MOST_PIECES: Final = 16
_LISTED: Final = re.compile(r"[,;\n\r+]|\.\s+(?=[A-Z])")
_JOINED: Final = re.compile(
    r"\b(?:and/or|and(?!\s+\d)|plus|as\s+well\s+as|then|along\s+with|together\s+with|followed\s+by)\b|\s&\s",
    re.IGNORECASE,
)
_AND_SIGN: Final = re.compile(r"&(?!\s*s\b)", re.IGNORECASE)
_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)
_SLASH: Final = re.compile(r"/")
# "Blood lead" is one test; "bloods and lead" are two orders.
_BLOODS: Final = re.compile(r"\bbloods\b", re.IGNORECASE)
_BRACKET: Final = re.compile(r"[(\[{]([^()\[\]{}]{0,200})[)\]}]?")
_LEAD: Final = re.compile(
    r"^\W*(?:(?:please|and|ok(?:ay)?|so|now|next|well|first|also|then|additionally|finally|urgently"
    r"|(?:can|could|may|might|shall|should|would|will|do)\s+(?:i|we|you)|(?:i|we)(?:['’](?:d|ll|m|re))?|let['’]?s|let\s+(?:us|me)"
    r"|what(?:['’]s|\s+(?:is|are|was|were))|how\s+(?:low|high|many|much|raised)?\s*(?:is|are|was|were)"
    r"|(?:is|are|was|were)\s+there(?:\s+any)?|would|will|should|want|need|going|think|am|are|mind|if|order(?:ing)?|request(?:ing|_test)?|send|draw|pull|take|run|add"
    r"|get|getting|obtain|perform|arrange|book|schedule|start|begin|proceed|go|repeat|check|do|doing|have|having|see|like|to|with|off"
    r"|for|on|out|ahead|up|just|quickly|some|a|an|the|your|his|her|their|my|patient(?:['’]s)?)\b\s*[:,]?\s*)+",
    re.IGNORECASE,
)
_PURPOSE: Final = re.compile(
    r"\s*(?:\b(?:to\s+(?:look|rule|assess|check|evaluate|see|exclude|confirm|find|determine|screen|detect|identify|help|investigate|get"
    r"|characteri[sz]e|establish|clarify|stage|visuali[sz]e|document|diagnose|make|be|test|work|\w+\s+(?:for|out|if|whether|any|the|her|his|their|your))|in\s+order\s+to|so\s+that|because|given|since|in\s+view\s+of|due\s+to|as\s+(?:she|he|they|there|part)|if"
    r"|looking|look\s+for|searching|checking|assessing|evaluating|ruling|rule\s+out|r/o|for|suspect\w*|concern\w*"
    r"|specifically|especially|particularly|focus\w*|targeting|paying|on\s+this|in\s+this|from\s+(?:this|the\s+patient))\b"
    r"|[-–—]\s|[:?!]\s|\bof\s+(?:this|the)\s+patient\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_MANNER: Final = re.compile(
    r"\s*\b(?:with(?:\s+(?:and|or)\s+without)?|without|w/o|w/|using|via|under|by|including|incl|such\s+as|like|plus)\b\s*",
    re.IGNORECASE,
)
_WITH: Final = re.compile(r"^with\b(?!\s+(?:and|or)\s+without)|^including\b|^plus\b|^w/(?!o)", re.IGNORECASE)
_REMARK: Final = re.compile(r":\s|\s[-–—]\s")
_INSIDE: Final = re.compile(r"\s+(?:in|on)\s+(?:the|his|her|their|that|this)\s+", re.IGNORECASE)
_HEADS: Final = MODALITIES | {"exam", "mr", "reflex"}
_TISSUES: Final = frozenset({"biopsy", "histology", "histopathology", "fna"})
_BARE: Final = SITES | SPECIMENS | SIDES | {"of", "the", "a", "his", "her", "upper", "lower", "lobe"}
_TECHNIQUE: Final = frozenset(
    "ap and axial axillary contrast coronal enhanced frontal gadolinium iv lateral non noncontrast "
    "oblique oral pa rectal sagittal scapular skyline standing sunrise view weight weighted bearing "
    "without y".split()
)
# Words for examining by hand, ear and eye; with a body part they are an examination of it.
BY_HAND: Final = frozenset(
    "auscultate auscultation effusion exam feel inspect inspection listen look motion move movement "
    "palpate palpation percuss percussion press pulse range rom swelling tap tender tenderness touch".split()
)
# Words of the laboratory, of samples and of devices: no finding of a physical examination answers these.
TECHNICAL: Final = MODALITIES | frozenset(
    "abi abpi acid antibody antigen aspirate aspiration assay audiogram bacilli brachial conduction cytology "
    "dna ecg echocardiogram eeg ekg electrocardiogram electroencephalogram electromyogram emg excision "
    "excise fna genetic genotyping histology histopathology immunofluorescence koh laboratory lp mammogram "
    "marker microscopy mr mrcp naat ncs neuroimaging pathology pcr puncture rna scope scraping "
    "sequencing serology smear stain tomography titer typing workup".split()
)
_ANALYSES: Final = frozenset(
    "and cell chemistry count crystal culture cytology for glucose gram ldh microscopy of protein "
    "sensitivity stain wbc wcc ph histology histopathology immunohistochemistry".split()
)
_SAMPLES: Final = frozenset(
    "arthrocentesis aspirate aspiration biopsy csf fluid fna lp lumbar paracentesis puncture tap "
    "thoracentesis".split()
)
# The words of a whole category of tests: nothing tells which is meant.
_GENERAL: Final = frozenset(
    "additional advanced all antibody any appropriate aspiration autoantibody basic blood culture "
    "cytology cytopathology diagnostic endoscopy finding further general genetic histology "
    "histopathology image imaging infectious initial investigation ct biopsy lab laboratory marker mri "
    "mr necessary neuroimaging other panel pathology pcr radiologic radiology relevant necessary sample "
    "scan scope screen serologic serology special specific standard swab test tissue titer ultrasound "
    "value various workup work xray doppler angiogram diagnostics analysis fna study sampling more "
    "confirmatory urgent repeat bloodwork infection disease level bloods".split()
)
_WHOLE_CATEGORIES: Final = frozenset({"Blood tests", "Autoantibodies", "Fine needle aspiration"})


class Reading(NamedTuple):
    """One reading of an order: its key and words, the test that it means, and the body regions it names."""

    text: str
    key: str
    words: frozenset[str]
    test: KnownTest | None
    regions: frozenset[str]
    general: bool
    """Whether it names only a category of tests, such as imaging or blood tests."""


@lru_cache(maxsize=8192)
def reading(text: str) -> Reading:
    """Read the name of one test."""
    key, said = normal_name(text), words(text)
    meant = meant_test(text)
    telling = frozenset(key.split())
    if meant is None and telling & BY_HAND and regions_in(said):
        meant = meant_test(" ".join(word for word in said if word not in BY_HAND) + " examination")
    general = telling - QUALIFIERS <= _GENERAL if meant is None else meant.name in _WHOLE_CATEGORIES
    regions = regions_in(said)
    for name in (meant.name, meant.entry.name if meant.entry else "") if meant else ():
        regions = regions or regions_in(words(name))
    return Reading(text, key, telling, None if general else meant, regions, general)


@lru_cache(maxsize=8192)
def readings(piece: str) -> tuple[Reading, ...]:
    """The readings of one order, the fullest first; a plainer one only if the fuller means no known test."""
    found: dict[str, Reading] = {}
    for text in _plainer(piece):
        if normal_name(text):
            read = reading(text)
            found.setdefault(read.key, read)
            if named_test(text) and not read.general:
                break
    return tuple(found.values())


def _plainer(piece: str) -> list[str]:
    bare = _unled(piece)
    unbracketed = _BRACKET.sub(" ", bare)
    aimless = _PURPOSE.sub("", unbracketed)
    plain = _MANNER.split(aimless)[0]
    inside = [_component(text) for text in (bare, aimless)]
    remarks = [text for text in _REMARK.split(bare)[1:] if named_test(text)]
    inner = [text for text in _BRACKET.findall(bare) if named_test(text)]
    return [
        text.strip()
        for text in (piece, bare, unbracketed, aimless, plain, *inner, *inside, *remarks)
        if text.strip()
    ]


def _component(text: str) -> str:
    """The component asked for in a test: "cocaine in the drug test"; empty if none is.

    With its specimen, as glucose in the urine is not that in blood.
    """
    first, *rest = _INSIDE.split(text, maxsplit=1)
    told = set(words(" ".join(rest)))
    if not rest or not named_test(first) or told & MODALITIES or regions_in(words(rest[0])):
        return ""
    return " ".join([*sorted(told & SPECIMENS - {"blood"}), first])


def _unled(piece: str) -> str:
    """The order without its first words of courtesy; all of it if nothing else is there."""
    rest = _LEAD.sub("", piece, count=1)
    return rest if normal_name(rest) else piece


def names_category(piece: str) -> bool:
    """Whether an order names only a category of tests."""
    return any(read.general for read in readings(piece)[:1])


def with_it(piece: str) -> tuple[str, ...]:
    """The tests that an order names beside its main one: "EMG with repetitive nerve stimulation"."""
    if is_full_name(piece):
        return ()
    aimless = _PURPOSE.sub("", _BRACKET.sub(" ", piece))
    cuts = list(_MANNER.finditer(aimless))
    return tuple(
        part
        for cut, following in zip_longest(cuts, cuts[1:])
        if _WITH.match(cut.group().strip())
        and (part := aimless[cut.end() : following.start() if following else None].strip())
        and (read := reading(part)).test
        and not read.general
    )


@lru_cache(maxsize=4096)
def single(order: str) -> bool:
    """Whether an order with separators in it names one thing: "U&E", "CT chest, abdomen and pelvis"."""
    if _BLOODS.search(order):
        return False
    if is_full_name(order) or is_full_name(_aimless(order)):
        return True
    said = frozenset(words(order))
    heads = said & _HEADS
    plain = said - heads - _TECHNIQUE - _BARE - SIDES
    return (
        len(heads) == 1
        and words(order).count(next(iter(heads))) == 1
        and all(not is_known_word(word) or regions_in([word]) or word in QUALIFIERS for word in plain)
        and heads <= frozenset({"ct", "mr", "mri", "mra", "xray", "ultrasound", "doppler"})
    )


@lru_cache(maxsize=4096)
def pieces(order: str) -> tuple[tuple[str, ...], ...]:
    """The single orders in a compound one, each with its alternatives ("CT or MRI of the brain")."""
    # "First trimester screen" begins with no "first, ...".
    text = order if is_full_name(order) else _LEAD.sub("", order, count=1) or order
    head, colon, _ = text.partition(":")
    if colon and not BY_HAND.isdisjoint(words(head)[:1]):
        # "Feel the lump: size, consistency?" is one examination.
        text = head
    if single(text):
        return ((text,),)
    parts: list[str] = []
    for item in _LISTED.split(_kept_brackets(text)):
        for part in [item] if single(item) else _joined(item):
            slashed = _SLASH.split(part)
            parts += [part] if len(slashed) < 2 or _known(part) else slashed
    parts = [part.strip() for part in parts]
    parts = [part for part in parts if normal_name(part) and not _only_technique(part)][:_MOST_PIECES]
    parts = [part for place, part in enumerate(parts) if not _analyses(part, parts[:place])]
    heads = [" ".join(_HEADS.intersection(words(part))) for part in parts]
    found: list[str] = []
    for place, part in enumerate(parts):
        bare = not heads[place] and not _BLOODS.search(part) and _bare(part)
        nearest = sorted((abs(place - other), head) for other, head in enumerate(heads) if head)
        if bare and nearest:
            found.append(f"{part} {nearest[0][1]}")
        elif bare and found and not _is_examined(found[-1]) and not _bare(found[-1]):
            # "Joint fluid cell count, right knee"
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    sites = sorted(frozenset[str]().union(*(reading(part).regions for part in found)))
    found = [f"{part} {' '.join(sites)}" if _wants_site(part) else part for part in found]
    return tuple(map(_alternatives, found)) or ((text,),)


def _joined(item: str) -> Iterator[str]:
    """The parts of "U&Es and D-dimer": joined by words, then by a sign that belongs to no name."""
    for part in _JOINED.split(item):
        yield from [part] if single(part) else _AND_SIGN.split(part)


def _analyses(part: str, before: list[str]) -> bool:
    """Whether a part of an order is for a sample already asked for: "LP, cell count, culture"."""
    return _ANALYSES.issuperset(words(part)) and any(_SAMPLES & set(words(other)) for other in before)


def _wants_site(part: str) -> bool:
    """Whether a picture or a biopsy is ordered without its body part, as in "mammogram and core biopsy"."""
    said = frozenset(words(part))
    return bool(said & (_TISSUES | {"ct", "mri", "xray", "ultrasound"})) and reading(part).general


def _is_examined(part: str) -> bool:
    test = reading(part).test
    return bool(test and test.entry and test.entry.kind == "examination")


def _aimless(order: str) -> str:
    """The order without its purpose, unless that lists something too."""
    purpose = _PURPOSE.search(order)
    if purpose is None or _LISTED.search(purpose.group()) or _JOINED.search(purpose.group()):
        return order
    return order[: purpose.start()]


def _kept_brackets(text: str) -> str:
    """`text` with the separators inside brackets made harmless."""
    return _BRACKET.sub(lambda found: f"({_LISTED.sub(' ', found.group(1))})", text)


def _known(part: str) -> bool:
    return any(read.test or read.general for read in readings(part))


def _bare(part: str) -> bool:
    said = set(words(part)) - _TECHNIQUE - (QUALIFIERS - _BARE)
    return bool(said) and all(word in _BARE or regions_in([word]) for word in said)


def _only_technique(part: str) -> bool:
    return _TECHNIQUE.issuperset(words(part))


def _alternatives(part: str) -> tuple[str, ...]:
    ways = [way.strip() for way in _OR.split(part)]
    if len(ways) < 2 or named_test(part):
        return (part,)
    sites = [regions_in(words(way)) for way in ways]
    # "CT or MRI of the brain": the first has the body part of the last.
    if not sites[0] and sites[-1] and frozenset(words(ways[0])) & MODALITIES:
        ways[0] = f"{ways[0]} {' '.join(word for word in words(ways[-1]) if regions_in([word]))}"
    known = tuple(way for way in ways if way and _known(way))
    return known if len(known) > 1 else (part,)
