"""Prose on an examination or on tests, cut into findings that can be ordered by name.

Each sentence belongs to the finding whose cue stands first in it; one without a cue goes with the sentence
before it. No sentence is lost or told twice.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.importers.findings import Found, kind_of
from osler.cases.importers.sentences import sentences
from osler.seats.examination import FindingKind


class Cue(NamedTuple):
    """Words that name a finding, what it is called, its other names, and of what kind it is."""

    words: re.Pattern[str]
    name: str
    aliases: tuple[str, ...] = ()
    kind: FindingKind = "test"


def cue(words: str, name: str, *aliases: str, kind: FindingKind = "test") -> Cue:
    """A cue of words in any capitals."""
    return Cue(re.compile(words, re.IGNORECASE), name, aliases, kind)


def _examined(words: str, name: str) -> Cue:
    return cue(rf"\b(?:{words})\b", name, kind="examination")


def _tested(words: str, name: str) -> Cue:
    return cue(rf"\b(?:{words})", name, kind=kind_of(name, "test"))


_CUES: Final = (
    _examined(
        r"vital signs|temperature|blood pressure|heart rate|pulse(?: rate)?|respiratory rate|respirations|"
        r"oxygen saturation|saturation|body[- ]mass index|afebrile|febrile|tachycardi[ac]|tachypnea|weight",
        "Vital signs",
    ),
    _examined(
        r"general(?: physical)? (?:exam\w*|appearance)|ill-appearing|well-appearing|distress",
        "General examination",
    ),
    _examined(
        r"skin|rash|lesions?|plaques?|papules?|nodules?|macules?|vesicles?|bullae|"
        r"erythema\w*|petechiae|purpur\w+|"
        r"nails?|scalp|hair",
        "Skin examination",
    ),
    _examined(
        r"lungs?|breath sounds|crackles|rales|wheez\w+|rhonchi|respiratory exam\w*|"
        r"chest (?:exam\w*|auscultation|wall)|"
        r"percussion of the chest|auscultation of the (?:lungs?|chest)",
        "Respiratory examination",
    ),
    _examined(
        r"heart sounds?|murmurs?|gallop|jugular venous|cardiac exam\w*|"
        r"cardiovascular exam\w*|apical|precordi\w+|"
        r"auscultation of the heart|pulses|pulsus \w+",
        "Cardiovascular examination",
    ),
    _examined(
        r"abdom\w+|liver|spleen|splenomegaly|hepatomegaly|bowel sounds|ascites|flank|inguinal",
        "Abdominal examination",
    ),
    _examined(r"lymph nodes?|lymphadenopathy|adenopathy", "Lymph node examination"),
    _examined(
        r"eyes?|eyelids?|pupils?|conjunctiv\w+|corneal?|sclera\w*|retina\w*|fundus|fundusc?o\w+|visual \w+|"
        r"slit[- ]lamp|ocular|ophthalmo\w+|intraocular \w+|iris|optic \w+",
        "Eye examination",
    ),
    _examined(
        r"oral \w+|mouth|tongue|lips?|gums?|gingiva\w*|palate|pharynx|oropharyn\w+|"
        r"tonsils?|throat|teeth|buccal \w+",
        "Mouth and throat examination",
    ),
    _examined(r"ears?|tympanic \w+|otosc\w+|auricle|pinna|hearing", "Ear examination"),
    _examined(r"nose|nasal \w+|nares", "Nose examination"),
    _examined(r"neck|thyroid|goiter|goitre", "Neck examination"),
    _examined(
        r"neurologic\w*|reflex\w*|cranial[- ]nerves?|gait|strength|sensation|sensory|"
        r"motor|cognit\w+|mental status|"
        r"orient\w+|babinski|romberg|tremor|nystagmus|facial (?:droop|weakness)|paralysis",
        "Neurological examination",
    ),
    _examined(
        r"joints?|knees?|hips?|wrists?|fingers?|hands?|feet|foot|toes?|ankles?|elbows?|"
        r"shoulders?|arms?|legs?|"
        r"extremit\w+|spine|back|musculoskeletal|range of motion|limbs?|edema|oedema",
        "Musculoskeletal examination",
    ),
    _examined(r"breasts?|nipples?", "Breast examination"),
    _examined(r"pelvic exam\w*|cervix|vagina\w*|uter\w+|adnexa\w*|speculum|vulva\w*", "Pelvic examination"),
    _examined(r"genital\w*|penis|penile|scrot\w+|testic\w+|testis|testes|glans", "Genital examination"),
    _examined(r"rectal|perianal|anus|anal", "Rectal examination"),
    _tested(r"electrocardiogra\w+|ECG\b|EKG\b", "Electrocardiogram"),
    _tested(r"(?:transthoracic |transesophageal )?echocardiogra\w+", "Echocardiogram"),
    _tested(r"chest (?:x-?\s?ray|radiogra\w+|film)|(?:x-?\s?ray|radiogra\w+) of the chest", "Chest X-ray"),
    _tested(r"(?:plain |abdominal )?(?:radiogra\w+|x-?\s?rays?)\b", "X-ray"),
    _tested(
        r"(?:computed tomogra\w+|CT)(?: \(CT\))?(?: \w+){0,3} of the (?:head|brain)|(?:head|brain) CT\b",
        "CT of the head",
    ),
    _tested(
        r"(?:computed tomogra\w+|CT)(?: \(CT\))?(?: \w+){0,3} of the chest|chest CT\b", "CT of the chest"
    ),
    _tested(
        r"(?:computed tomogra\w+|CT)(?: \(CT\))?(?: \w+){0,3} of the abdomen|abdominal CT\b",
        "CT of the abdomen",
    ),
    _tested(r"computed tomogra\w+|CT\b", "CT scan"),
    _tested(
        r"(?:magnetic resonance imag\w+|MRI)(?: \(MRI\))?(?: \w+){0,3} of the (?:head|"
        r"brain)|(?:head|brain) MRI\b",
        "MRI of the brain",
    ),
    _tested(r"magnetic resonance imag\w+|MRI\b", "MRI scan"),
    _tested(r"ultraso\w+|sonogra\w+", "Ultrasound"),
    _tested(r"angiogra\w+", "Angiogram"),
    _tested(
        r"(?:upper )?(?:gastrointestinal )?endoscop\w+|gastroscop\w+", "Upper gastrointestinal endoscopy"
    ),
    _tested(r"colonoscop\w+", "Colonoscopy"),
    _tested(r"bronchoscop\w+", "Bronchoscopy"),
    _tested(r"(?:\w+ )?biops\w+|histolog\w+|histopatholog\w+", "Biopsy"),
    _tested(r"peripheral[- ]blood smear|blood (?:smear|film)", "Blood film"),
    _tested(r"urinalysis|urine (?:dipstick|sediment)", "Urinalysis"),
    _tested(r"blood cultures?", "Blood cultures"),
    _tested(r"cerebrospinal|lumbar puncture", "Lumbar puncture"),
    _tested(
        r"laborator\w+|complete blood count|white[- ](?:blood[- ])?cell|leukocyt\w+|"
        r"h(?:a)?emoglobin|h(?:a)?ematocrit|"
        r"platelet\w*|serum|plasma|blood (?:tests?|level)|creatinine|C-reactive|erythrocyte sedimentation|"
        r"antibod\w+|titers?|serolog\w+|polymerase[- ]chain",
        "Blood tests",
    ),
)
_DEFAULT: Final = _examined("physical exam", "Physical examination")


def grouped(pieces: list[str], cues: tuple[Cue, ...], default: Cue) -> dict[Cue, list[str]]:
    """Each piece under the cue that stands first in it, else under the one before; in order of appearance."""
    found: dict[Cue, list[str]] = {}
    now = default
    for piece in pieces:
        hits = [
            (hit.start(), -hit.end(), n) for n, one in enumerate(cues) if (hit := one.words.search(piece))
        ]
        now = cues[min(hits)[2]] if hits else now
        found.setdefault(now, []).append(piece)
    return found


def findings_told(text: str, path: str) -> list[Found]:
    """The findings in English prose; all of them stand at `path`."""
    return [
        Found(path, found.kind, found.name, found.aliases, " ".join(told))
        for found, told in grouped(list(sentences(text)), _CUES, _DEFAULT).items()
    ]
