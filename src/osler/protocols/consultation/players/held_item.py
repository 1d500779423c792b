"""A result of a case, with everything that an order for it can be recognized by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from osler.knowledge.body_regions import regions_in
from osler.knowledge.findings import finding
from osler.knowledge.formulary import formulary
from osler.knowledge.known_tests import (
    is_panel,
    named_test,
    parts_of,
    wordings_of,
)
from osler.knowledge.order_names import SITES, SPECIMENS, normal_name, words
from osler.knowledge.vocabulary import FindingKind
from osler.text.findings_in_text import mentions
from osler.text.order_reading import reading

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

MATERIALS: Final = SPECIMENS | {"fluid"}

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

# "Nil" and "None" are results; these are not.
_UNTOLD: Final = re.compile(
    r"\W*(?:n/?a|not applicable|unspecified|(?:(?:information|details?|data|results?|values?) )?"
    r"(?:is |are |was |were )?not (?:provided|specified|available|recorded|stated|given|mentioned|assessed"
    r"|known|obtained|measured|performed|done|reported|documented|tested|examined)"
    r"|no (?:information|details?|data|results?) (?:provided|available|given|recorded))\W*",
    re.IGNORECASE,
)

_LABEL: Final = 60  # characters of a label

# "Cranial nerves (Ptosis: ...)": the name of a part that has parts of its own.
_HEADING: Final = re.compile(r"(?:^|[;(]) ?([^:;().,]{2,60}) \(")

_LINE: Final = re.compile(r"[\n.;,{}()]")

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

# Words for a test that is done once more.
_AGAIN: Final = frozenset("repeat second serial later".split())

_SAME_MATERIAL: Final = {"urinalysis": "urine", "lumbar": "csf", "arthrocentesis": "synovial"}

AGAIN: Final = _AGAIN | {"again", "repeated", "another", "fresh"}

TISSUES: Final = frozenset({"biopsy", "histology", "histopathology", "pathology", "fna", "excision"})


class IndexedFinding:
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
        self.again = not _AGAIN.isdisjoint(words(name))
        self.holds = frozenset().union(*(parts_of(test.name) for test in tests)) if tests else frozenset()
        entries = [test.entry for test in tests[:1] if test.entry]
        self.intimate = entries[0].intimate if entries else bool(self.words & _INTIMATE)
        self.collective = self.words <= _COLLECTIVE
        self.examined = kind == "examination"
        self.material = material_of(self.words)
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
                test = named_test(" ".join(word for word in words(label) if word not in MATERIALS))
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
        tests = (
            named_test(f"{material} {label}")
            for material in self.material & SPECIMENS
            for line in _LINE.split(self.result.replace('"', ""))
            for label in line.split(":")[:-1]
            if len(label) <= _LABEL
        )
        return frozenset(test.name for test in tests if test)

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
        findings = (finding(id) for id, present in mentions(self.result).items() if present)
        entries = (formulary().find(each.order) for each in findings if each.kind == "sign" and each.order)
        return frozenset(entry.name for entry in entries if entry)


def told(result: str) -> str:
    """`result` without the parts of which it says only that nothing is known: "Pulse: not recorded"."""
    parts = _PARTS.split(result)
    return "; ".join(part for part in parts if not _UNTOLD.fullmatch(part.rpartition(":")[2]))


def material_of(said: frozenset[str]) -> frozenset[str]:
    """The materials, such as urine or fluid, named by these words."""
    return frozenset(_SAME_MATERIAL.get(word, word) for word in said & _MATERIAL)


def modalities(said: frozenset[str]) -> frozenset[str]:
    """The imaging modalities in the words of a name; `any` for imaging without saying which."""
    if said & (TISSUES | {"guided"}):
        return frozenset()
    return frozenset(_PICTURES[word] for word in said if word in _PICTURES)
