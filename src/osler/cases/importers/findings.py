"""Examination and test sections of a source as findings that can be ordered by name.

A top-level key is a finding, unless it is a container ("Imaging", "Blood work"): then each of its entries is
one, with the container's name among its aliases, so that ordering the container brings them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.importers.agentclinic_keys import is_result
from osler.cases.importers.json_paths import below, children, clean, label, leaves_of, readable, words_of
from osler.core.pictures import ImageFile
from osler.knowledge.vocabulary import FindingKind
from osler.text.records.missing import is_missing


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The name of a container consists of these words alone.
_GENERAL_WORDS: Final = _set(
    "additional all analysis analyses and assessment assessments basic blood data diagnostic exam "
    "examination examinations exams finding findings further general image imaging initial "
    "investigation investigations lab laboratory labs list miscellaneous of other others panel physical "
    "procedure procedures radiological radiology relevant remainder rest result results routine scan "
    "scans screening serum special specialized specific studies study system systems test testing tests "
    "the tool tools urine value values various work workup x ray rays xray xrays radiographs advanced "
    "later followup follow up"
)
_NOT_CONTAINERS: Final = frozenset(
    (
        "urine analysis",
        "urine",
        "x ray",
        "x rays",
        "blood",
        "radiographs",
        "scan",
        "serum analysis",
        "analysis",
    )
)
# A child with one of these names describes its parent, so the parent is the finding.
_PARTS: Final = _set(
    "analysis appearance comment comments conclusion date description details finding findings general "
    "impression auscultation inspection observation palpation percussion indication interpretation level "
    "location method name normal note notes optional other others overall performed range reference "
    "remarks result results significance site status summary technique type unit units value"
)
_IMAGE: Final = re.compile(
    r"\b(?:x ?-?rays?|xrays?|ct|cta|cat scan|mri|mra|mrcp|pet|ultraso\w+|sonogra\w+|doppler|echo\w*|"
    r"radiogra\w+|angiogra\w+|mammogra\w+|imaging|scans?|scintigra\w+|dexa|fluorosc\w+|barium|pyelogra\w+|urogra\w+|"
    r"cholangio\w+|tomogra\w+|skeletal survey|venogra\w+|hysterosalping\w+|arteriogra\w+)\b",
    re.IGNORECASE,
)
_BEDSIDE: Final = re.compile(
    r"\b(?:vital signs?|vitals|physical exam\w*|(?:general|abdominal|neurological|cardiovascular|"
    r"respiratory|pelvic|rectal|skin|musculoskeletal|mental (?:state|status)|otoscopic|"
    r"fundoscopic|breast) exam\w*)\b",
    re.IGNORECASE,
)
_BRACKETED: Final = re.compile(r"\s*\(([^()]{1,60})\)")


class SourceResult(NamedTuple):
    """A result in the source: its path, name and text, and its picture."""

    path: str
    kind: FindingKind
    name: str
    aliases: tuple[str, ...]
    result: str
    picture: ImageFile | None = None


def findings_in(section: object, path: str, kind: FindingKind) -> Iterator[SourceResult]:
    """The findings of an examination or test section, in order; what is empty or has no name is left out."""
    name = label(path.rpartition(".")[2])
    if not isinstance(section, dict):
        yield from _numbered(section, path, kind, name)
        return
    for key, value in section.items():
        if is_result(key):
            yield from _entry(value, below(path, key), kind, label(key))


def _entry(value: object, path: str, kind: FindingKind, name: str) -> Iterator[SourceResult]:
    if is_container(name, value):
        for key, child in children(value):
            if is_result(str(key)):
                yield from _finding(child, below(path, key), kind, label(str(key)), (name,))
        return
    yield from _finding(value, path, kind, name, ())


def is_container(name: str, value: object) -> bool:
    """Whether a key is only a container: a general name over an object whose entries are named themselves."""
    words = re.findall(r"[a-z]+", name.lower())
    if not isinstance(value, dict) or not value or not words or " ".join(words) in _NOT_CONTAINERS:
        return False
    parts = {clean(key).lower().replace("_", " ") for key in value}
    return _is_general(name) and not parts & _PARTS


def _is_general(name: str) -> bool:
    return all(word in _GENERAL_WORDS for word in re.findall(r"[a-z]+", name.lower()))


def _numbered(value: object, path: str, kind: FindingKind, name: str) -> Iterator[SourceResult]:
    """A section that is text or a list: one finding, or one for each object in the list."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        for place, item in children(value):
            yield from findings_in(item, below(path, place), kind)
        return
    yield from _finding(value, path, kind, name, ())


def _finding(
    value: object, path: str, kind: FindingKind, name: str, aliases: tuple[str, ...]
) -> Iterator[SourceResult]:
    result = readable(value)
    # A general name ("Imaging") says nothing of what "None" would be an absence of.
    named = not _is_general(name) or isinstance(value, (dict, list))
    if (
        not name
        or is_missing(result, named=named)
        or not any(words_of(leaf.value) for leaf in leaves_of(value))
    ):
        return
    plain, other = _names(name)
    yield SourceResult(path, kind_of(plain, kind), plain, tuple(dict.fromkeys((*other, *aliases))), result)


def kind_of(name: str, section: FindingKind) -> FindingKind:
    """The kind of a finding: `image` for an X-ray, a scan and the like, else the section's kind."""
    if section == "examination":
        return section
    if _IMAGE.search(name):
        return "image"
    return "examination" if _BEDSIDE.search(name) else "test"


def _names(name: str) -> tuple[str, list[str]]:
    """Split a name from its bracket: `Complete blood count (CBC)`."""
    plain = _BRACKETED.sub("", name).strip() or name
    others = (inner.strip() for inner in _BRACKETED.findall(name))
    return plain, [other for other in others if other and other.lower() != plain.lower()]
