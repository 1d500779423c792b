"""Reading the name of one test: its words, the test that it means, the parts of the body that it names."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import QUALIFIERS, KnownTest, meant_test
from osler.knowledge.order_names import MODALITIES, normal_name, words

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
    test = meant_test(text)
    telling = frozenset(key.split())
    if test is None and telling & BY_HAND and regions_in(said):
        test = meant_test(" ".join(word for word in said if word not in BY_HAND) + " examination")
    general = telling - QUALIFIERS <= _GENERAL if test is None else test.name in _WHOLE_CATEGORIES
    regions = regions_in(said)
    for name in (test.name, test.entry.name if test.entry else "") if test else ():
        regions = regions or regions_in(words(name))
    return Reading(text, key, telling, None if general else test, regions, general)


def names_category(name: str) -> bool:
    """Whether an order names only a category of tests."""
    return reading(name).general
