"""Body regions: which words name which, and which lies within which.

`regions_in` reads the words of a name in canonical spelling (`osler.knowledge.order_names.words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

# A region, and the words that name it or a part of it. A word that is a region too lies within.
_WITHIN: Final = {
    "body": "head neck chest abdomen pelvis spine arm leg",
    "head": "brain skull face orbit sinus pituitary ear temporal cranium brainstem cerebellum sella jaw nose "
    "fontanelle",
    "brain": "cerebellopontine neuraxis",
    "face": "mandible maxilla maxillofacial zygoma",
    "orbit": "eye retina optic",
    "jaw": "tmj temporomandibular tooth dental",
    "mouth": "tongue tonsil oral lip gum mucosa palate",
    "ear": "mastoid auditory cochlea iam iac tympanic",
    "neck": "thyroid parathyroid larynx pharynx parotid submandibular salivary carotid throat nape",
    "chest": "aorta lung mediastinum thymus rib sternum pleura heart esophagus airway bronchus",
    "abdomen": "aorta liver gallbladder biliary bile pancreas spleen kidney adrenal appendix bowel colon "
    "stomach duodenum ruq mesentery mesenteric flank ureter hepatobiliary intestine abdominopelvic "
    "peritoneum",
    "pelvis": "uterus ovary bladder prostate sacroiliac cervix endometrium adnexa vagina fetus hip tubal "
    "abdominopelvic coccyx sacrum transvaginal rectum gravid obstetric urethra pubis",
    "spine": "cervical-spine thoracic-spine lumbar-spine cord back vertebra neuraxis sacrum",
    "leg": "thigh lower-leg hip knee ankle foot",
    "thigh": "femur",
    "lower-leg": "tibia fibula calf shin popliteal",
    "knee": "patella popliteal",
    "foot": "toe heel calcaneus metatarsal",
    "arm": "upper-arm shoulder elbow forearm wrist hand",
    "shoulder": "clavicle scapula scapular rotator collarbone acromioclavicular",
    "upper-arm": "humerus",
    "forearm": "radius ulna",
    "wrist": "scaphoid carpal",
    "hand": "finger thumb",
    "breast": "axilla nipple",
    "scrotum": "testis",
    "anus": "perianal rectum",
    "skin": "dermal nail scalp cutaneous",
    "node": "lymph",
    "marrow": "trephine",
    "bone": "skeletal",
    "muscle": "",
    "nerve": "sural",
    "vulva": "vulvar",
    "synovium": "synovial joint",
    "temporal": "temporal-artery",
}
_PHRASES: Final = (
    ("lower extremity", "leg"),
    ("lower limb", "leg"),
    ("upper extremity", "arm"),
    ("upper limb", "arm"),
    ("upper arm", "upper-arm"),
    ("lower leg", "lower-leg"),
    ("lower back", "lumbar-spine"),
    ("cervical spine", "cervical-spine"),
    ("thoracic spine", "thoracic-spine"),
    ("lumbar spine", "lumbar-spine"),
    ("c spine", "cervical-spine"),
    ("t spine", "thoracic-spine"),
    ("l spine", "lumbar-spine"),
    ("ls spine", "lumbar-spine"),
    ("cervical mri", "cervical-spine"),
    ("mri cervical", "cervical-spine"),
    ("cervical xray", "cervical-spine"),
    ("xray cervical", "cervical-spine"),
    ("cervical ct", "cervical-spine"),
    ("ct cervical", "cervical-spine"),
    ("urine tract", "kidney"),
    ("cervical motion", "cervix"),
    ("cervical excitation", "cervix"),
    ("cervical biopsy", "cervix"),
    ("cervical swab", "cervix"),
    ("cervical smear", "cervix"),
    ("cervical culture", "cervix"),
    ("cervical cytology", "cervix"),
    ("cervical length", "cervix"),
    ("lymph node", "node"),
    ("bone marrow", "marrow"),
    ("upper quadrant", "ruq"),
    ("soft tissue", ""),
    ("nerve conduction", ""),
    ("chest wall", "chest"),
    ("temporal artery", "temporal-artery"),
    ("right lower quadrant", "appendix"),
)
_ALSO: Final = {
    "abdominopelvis": "abdomen pelvis",
    "fetal": "fetus",
    "lumbar": "lumbar-spine",
    "lumbosacral": "lumbar-spine",
    "lumbo": "lumbar-spine",
    "dorsal": "thoracic-spine",
    "thoracolumbar": "thoracic-spine lumbar-spine",
    "extremity": "arm leg",
    "limb": "arm leg",
    "renal": "kidney",
    "vulval": "vulva",
    "intestinal": "intestine",
    "testicular": "testis",
    "groin": "pelvis",
    "mammogram": "breast",
    "tib": "tibia",
    "fib": "fibula",
    "endometrial": "endometrium",
    "obstetrical": "obstetric",
    "pregnancy": "obstetric",
    "coronary": "heart",
    "aortogram": "aorta",
    "colonic": "colon",
    "gastric": "stomach",
    "duodenal": "duodenum",
    "axillary": "axilla",
    "supraclavicular": "neck",
    "cervical": "neck",
    "thoracic": "chest",
    "thoracoabdominal": "chest abdomen",
    "hepatobiliary": "liver",
    "gynecologic": "pelvis",
    "adnexal": "adnexa",
}
_NAMED: Final = frozenset(_WITHIN) | {part for parts in _WITHIN.values() for part in parts.split()}


@cache
def _above(region: str) -> frozenset[str]:
    """The region itself and every one that it lies within."""
    result = {region}
    for outer, parts in _WITHIN.items():
        if region in parts.split():
            result |= _above(outer)
    return frozenset(result)


def regions_in(said: Sequence[str]) -> frozenset[str]:
    """The regions named by the words of a name, in order; "lumbar spine" is one, and not the whole spine."""
    text = f" {' '.join(said)} "
    result = set[str]()
    for phrase, region in _PHRASES:
        if f" {phrase} " in text:
            result.update(region.split())
            text = text.replace(f" {phrase} ", " ")
    rest = text.split()
    if "spine" in rest:
        levels = {"cervical", "thoracic", "chest", "lumbar", "dorsal", "lumbosacral", "lumbo"} & set(rest)
        result |= {f"{_level(word)}-spine" for word in levels} or {"spine"}
        rest = [word for word in rest if word not in levels and word != "spine" and (word != "sacral")]
    for word in rest:
        result.update(_ALSO.get(word, word if word in _NAMED else "").split())
    return frozenset(result)


def _level(word: str) -> str:
    return {"chest": "thoracic", "dorsal": "thoracic", "lumbosacral": "lumbar", "lumbo": "lumbar"}.get(
        word, word
    )


def overlap(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a region of the one set is, holds or lies within one of the other."""
    there = tuple(others)
    return any(one in _above(other) or other in _above(one) for one in some for other in there)


def within(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a region of `some` is, or lies within, one of `others`."""
    there = frozenset(others)
    return any(_above(one) & there for one in some)
