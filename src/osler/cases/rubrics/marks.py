"""Marks in an item's wording: that it is critical, its points, or that it is a mere finding."""

from __future__ import annotations

import re
from typing import Final

_CRITICAL: Final = re.compile(
    r"^[^*]*\S\*{1,3}\s*$|^\W*critical(?:ly)? (?:actions?|items?|steps?|errors?|fail\w*|behaviou?rs?|"
    r"tasks?|elements?|points?|criteri\w+)\b"
    r"|^\W*critical\W*[:–—-]|[(\[]\s*(?:\w+ )?(?:critical|required|mandatory|must[- ]do|"
    r"essential)(?: (?:action|item|step|element|error|failure))?\s*[)\]]"
    r"|^\W*(?:mandatory|dangerous|harmful|fatal)\b|^\W*must\b(?! not (?:miss|be missed))|"
    r"\bdangerous actions?\b|\bautomatic fail",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"[(\[]\s*(?:worth\s+)?([+–-]?\d{1,3}(?:\.\d{1,2})?)\s*(?:points?|pts?\.?|marks?)\s*[)\]]"
    r"|[\s,;:–—-]([+–-]?\d{1,3}(?:\.\d{1,2})?)\s*(?:points?|pts\.?|marks?)\s*[.)\]]*\s*$",
    re.IGNORECASE,
)
_ABOUT_THE_PATIENT: Final = re.compile(
    r"^(?:the )?(?:patient|pt\.?|he|she|baby|infant|child|mother|his|her|vital signs?|vitals|"
    r"temperature|temp|pulse|bp|blood pressure|hr|heart rate"
    r"|rr|respiratory rate|spo2|o2 sats?|oxygen saturation|weight|bmi|gcs|ecg|ekg|cxr|chest x-?ray|"
    r"ct(?: \w+)?|mri|ultrasound|labs?|urinalysis|cbc|exam(?:ination)?"
    r"|abdomen|lungs?|heart|skin|pupils|neck|general appearance)(?:'s [\w ]{2,40}?)?\s*(?:(?:is|are|"
    r"was|were|has|have|had|reports?|reported|denies|denied|presents?|presented|complains?"
    r"|complained|shows?|showed|reveals?|revealed|remains?|becomes?|became|appears?|states?|stated|"
    r"develops?|worsens|improves|does not have|did not have)\b|[:=]|\d)"
)
_DONE_TO: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has been|have been|not)(?: not| never)?(?: \w+ly)? (?:ask|"
    r"told|tell|inform|given|educat|reassur|plac|intubat|examin|assess|check|obtain|"
    r"order|perform|review|monitor|treat|counsel|advis|position|transfer|admitt|discharg|call|consult|"
    r"explain|discuss|offer|provid|address|greet|"
    r"instruct|encourag|identif|recogni|measur|tak|taken|done|made|document|evaluat|inspect|palpat|"
    r"auscultat|stabili|prepar|prescrib|administ|start|"
    r"initiat|drap|warn|notif|sent|refer|involv|allow|kept|secur|resuscitat|ventilat|attach|connect|"
    r"immobili|elicit|establish|complet|interpret|ask|invit|thank|support)"
)
_MEASURED: Final = re.compile(
    r"\b\d{2,3}/\d{2,3}\b|\d\s?(?:mm ?hg|bpm|mg/dl|mmol/l|meq/l|g/dl|°|° ?[cf]\b|x ?10)|\b(?:bp|hr|rr|"
    r"spo2|temp)\b\W{0,3}\d",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"^(?:normal|abnormal|elevated|decreased|increased|positive|negative|absent|diminished|bilateral|"
    r"diffuse|mild|moderate|severe|acute|chronic|tender|"
    r"(?:no|absence of) (?:known|evidence|history|fever|pain|murmurs?|edema|allerg\w+|acute|signs?|"
    r"rash|masses|distress|symptoms?))\b"
    r"|^(?:[\w'-]+ ){1,3}(?:is|are|was|were) (?:poor|normal|abnormal|elevated|low|high|positive|"
    r"negative|present|absent|stable|unstable|unchanged|tender)\b"
)


def critical(text: str) -> bool:
    """Whether the item calls itself critical. "Uses critical thinking" does not."""
    return _CRITICAL.search(text) is not None


def points(text: str) -> float | None:
    """The points that the item states for itself; negative where they are deducted."""
    match = _POINTS.search(text)
    return float((match[1] or match[2]).replace("–", "-")) if match else None


def finding(text: str, acts: bool) -> bool:
    """Whether the item states a fact instead of an action. `acts`: it begins with a verb of doing."""
    low = " ".join(text.lower().split()).strip(" -•*")
    if _DONE_TO.search(low):
        return False
    if _ABOUT_THE_PATIENT.match(low):
        return True
    if low.startswith(("no ", "absence of ")):
        return _STATE.match(low) is not None
    return not acts and bool(_MEASURED.search(low) or _STATE.match(low))
