"""A canonical key for the name of a test, an image or an examination, however it is written.

Two names are compared by `normal_name`: "MRI of the brain", "Brain MRI" and "MRI_Brain" have the same key.
It never merges names that differ in body part, side, specimen or modality. Keys are for comparing, never for
display.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

MAX_LENGTH: Final = 400

SIDES: Final = frozenset({"left", "right", "bilateral", "both"})
SITES: Final = frozenset(
    "abdomen adrenal ankle anus aorta appendix arm back bladder bone brain breast carotid cervical "
    "cervix chest clavicle cord ear elbow extremity eye face femur fibula finger foot forearm "
    "gallbladder groin hand head heart hip humerus jaw joint kidney knee leg limb liver lower lumbar "
    "lung mandible mouth muscle neck nerve node nose orbit ovary pancreas parathyroid pelvis penis "
    "pituitary prostate radius rectum rib sacral scrotum shoulder sinus skin skull spine spleen sternum "
    "temporal testis thigh thoracic throat thumb thyroid tibia toe tongue ulna upper uterus vagina "
    "wrist".split()
)
SPECIMENS: Final = frozenset(
    "ascitic blood csf fluid pleural semen sputum stool synovial urine wound".split()
)
MODALITIES: Final = frozenset(
    "angiogram biopsy ct culture doppler endoscopy imaging mra mri pet scan swab ultrasound xray".split()
)
PICTURES: Final = frozenset({"ct", "doppler", "mammogram", "mra", "mri", "pet", "ultrasound", "xray"})

# With an imaging modality, these words describe the technique, not the body part.
_TECHNIQUE: Final = frozenset(
    "ap aspect contrast enhanced erect exam image imaging iv lateral non noncontrast pa panel plain "
    "portable scan test upright view".split()
)
# The "a" of hepatitis A is part of the name; `words` writes it as 'a' to distinguish it from the article.
FILLER: Final = frozenset(
    "a also an analysis and arrange at baseline book brief by can check concentration could detailed do "
    "finding focused for formal from further get have her him his i immediate immediately in initial "
    "level like me measure measurement my need new now obtain of off on or order our perform please "
    "quantitative repeat report request result routine run send serum plasma stat standard "
    "system take targeted that their them the this thorough to today urgent urgently value want we with "
    "without work workup would you your patient admission some let".split()
)
_WHOLE: Final = frozenset({"complete", "full", "comprehensive", "physical"})

_SPELLED: Final = {
    "ab": "antibody",
    "abdo": "abdomen",
    "abs": "antibody",
    "abdominal": "abdomen",
    "anal": "anus",
    "angio": "angiogram",
    "assess": "exam",
    "assessment": "exam",
    "aural": "ear",
    "aortic": "aorta",
    "axr": "abdomen xray",
    "armpit": "axilla",
    "behaviour": "behavior",
    "belly": "abdomen",
    "bili": "bilirubin",
    "bx": "biopsy",
    "dad": "father",
    "mcs": "culture",
    "mom": "mother",
    "mum": "mother",
    "mummy": "mother",
    "cardiac": "heart",
    "cat": "ct",
    "cerebral": "brain",
    "colour": "color",
    "cranial": "head",
    "cranium": "head",
    "cutaneous": "skin",
    "cxr": "chest xray",
    "cx": "culture",
    "dermal": "skin",
    "duplex": "doppler",
    "echograph": "ultrasound",
    "echography": "ultrasound",
    "tomography": "ct",
    "tomogram": "ct",
    "dermatologic": "skin",
    "dermatology": "skin",
    "electrocardiography": "electrocardiogram",
    "evaluate": "exam",
    "evaluation": "exam",
    "examination": "exam",
    "examine": "exam",
    "examining": "exam",
    "facial": "face",
    "fecal": "stool",
    "fece": "stool",
    "feet": "foot",
    "gase": "gas",
    "gut": "bowel",
    "hepatic": "liver",
    "hormonal": "hormone",
    "jerk": "reflex",
    "lab": "laboratory",
    "leucocyte": "leukocyte",
    "lt": "left",
    "lymphnode": "lymph node",
    "mammary": "breast",
    "maneuvre": "maneuver",
    "msk": "musculoskeletal",
    "nasal": "nose",
    "neuro": "neurologic",
    "ocular": "eye",
    "ophthalmic": "eye",
    "ophthalmologic": "eye",
    "oral": "mouth",
    "orbital": "orbit",
    "ovarian": "ovary",
    "pedis": "pedal",
    "pelvic": "pelvis",
    "penile": "penis",
    "profile": "panel",
    "prostatic": "prostate",
    "psych": "psychiatric",
    "pulmonary": "lung",
    "radiogram": "xray",
    "radiograph": "xray",
    "radiography": "xray",
    "radiologic": "xray",
    "rectal": "rectum",
    "renal": "kidney",
    "resp": "respiratory",
    "roentgenogram": "xray",
    "rt": "right",
    "screen": "panel",
    "screening": "panel",
    "scrape": "scraping",
    "scrotal": "scrotum",
    "sinuse": "sinus",
    "sonogram": "ultrasound",
    "sonography": "ultrasound",
    "spinal": "spine",
    "splenic": "spleen",
    "study": "test",
    "assay": "test",
    "testing": "test",
    "testicle": "testis",
    "testicular": "testis",
    "teste": "testis",
    "temple": "temporal",
    "thorax": "chest",
    "titre": "titer",
    "tummy": "abdomen",
    "tumour": "tumor",
    "ultrasonogram": "ultrasound",
    "ultrasonography": "ultrasound",
    "urinary": "urine",
    "us": "ultrasound",
    "usg": "ultrasound",
    "uss": "ultrasound",
    "uterine": "uterus",
    "vaginal": "vagina",
    "vertebral": "spine",
    "vit": "vitamin",
    "womb": "uterus",
    "xr": "xray",
}
_PHRASES: Final = {
    "x ray": "xray",
    "x rays": "xray",
    "plain film": "xray",
    "plain films": "xray",
    "computed tomography": "ct",
    "computed tomographic": "ct",
    "computerised tomography": "ct",
    "computerized tomography": "ct",
    "magnetic resonance imaging": "mri",
    "magnetic resonance angiography": "mra",
    "nuclear magnetic resonance": "mri",
    "joint fluid": "synovial fluid",
    "u s": "ultrasound",
    "ultra sound": "ultrasound",
    "resps": "respiratory rate",
    "magnetic resonance of": "mri of",
    "magnetic scan": "mri",
    "optical coherence tomography": "oct",
    "let us": " ",
    "12 lead": " ",
    "twelve lead": " ",
    "work up": " ",
    "two view": " ",
    "2 view": " ",
    "u es": "u e",
    "cerebrospinal fluid": "csf",
    "cervical cord": "cervical spine cord",
    "in situ": "situ",
    "on room air": " ",
    "on air": " ",
    "room air": " ",
    "mc s": "culture",
    "mc and s": "culture",
    "mean corpuscular haemoglobin concentration": "mchc",
    "mean corpuscular hemoglobin concentration": "mchc",
    "mean cell haemoglobin concentration": "mchc",
    "mean cell hemoglobin concentration": "mchc",
}
_PHRASE: Final = re.compile(r"\b(?:" + "|".join(sorted(_PHRASES, key=len, reverse=True)) + r")\b")
_BRACKET: Final = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]?")
_DOTTED: Final = re.compile(r"\b(\w)\.(?=\w\b)")
_HOURS: Final = re.compile(r"\b(\d+)\s*(?:hours?|hrs?)\b")
_BREAK: Final = re.compile(r"[\W_]+")
_LETTERED: Final = re.compile(
    r"\b(apolipoprotein|hepatitis|hep|immunoglobulin|influenza|vitamin|group|type) a\b"
)
_GREEK: Final = str.maketrans({"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "’": "'", "ß": "beta"})


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "sses", "shes", "ches")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=8192)
def _spelled(word: str) -> str:
    """The canonical spelling of a word: singular, American, a body part instead of its adjective."""
    word = _singular(word)
    if len(word) > 4:
        word = word.replace("ae", "e").replace("oe", "e")
    if word.endswith("ological"):
        word = word[:-2]
    word = _SPELLED.get(word, word)
    return word[:-6] + "gram" if word.endswith("graphy") else word


def words(text: str) -> list[str]:
    """The words of `text` in canonical spelling, in order; none is left out."""
    return list(_words(text[:MAX_LENGTH]))


@lru_cache(maxsize=32768)
def _words(text: str) -> tuple[str, ...]:
    plain = text[:MAX_LENGTH].lower().translate(_GREEK)
    if not plain.isascii():
        folded = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in folded if not unicodedata.combining(c))
    plain = _DOTTED.sub(r"\1", plain).replace("'s", "").replace("'", "")
    plain = _BREAK.sub(" ", plain).strip()
    plain = _PHRASE.sub(lambda match: _PHRASES[match.group()], _HOURS.sub(r"\1h", plain))
    plain = _LETTERED.sub(r"\1 'a'", plain)
    spelled = " ".join([_spelled(word) for word in plain.split()])
    return tuple(spelled.split())


def _unbracketed(text: str) -> str:
    """`text` without bracketed remarks; a body part, side or specimen in brackets is kept."""
    kept = SITES | SPECIMENS | SIDES
    outside = _BRACKET.sub(
        lambda match: " " + " ".join(w for w in words(match.group(1)) if w in kept) + " ", text
    )
    return outside if words(outside) else text


@lru_cache(maxsize=16384)
def normal_name(text: str) -> str:
    """The key of a name: its distinct content words in canonical spelling, sorted.

    Empty only if `text` has no letters or digits. Only the first 400 characters count.
    """
    if "(" in text or "[" in text or "{" in text:
        text = _unbracketed(text[:MAX_LENGTH])
    result = words(text)
    said = set(result)
    telling = said - FILLER
    if telling & PICTURES:
        telling -= _TECHNIQUE
        if "doppler" in telling:
            telling.discard("ultrasound")
    if "spine" not in telling and "thoracic" in telling:
        telling = telling - {"thoracic"} | {"chest"}
    if "exam" in telling:
        if telling & SPECIMENS:
            telling.discard("exam")
        elif telling - _WHOLE - {"exam"}:
            telling -= _WHOLE
        else:
            telling = {"exam"}
    if "test" in telling and not (telling - {"test"} <= SITES):
        telling.discard("test")
    return " ".join(sorted(telling or said))
