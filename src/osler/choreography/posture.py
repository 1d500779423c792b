"""Distress that shows in posture, read off the words that a view was told of somebody's looks.

Only how somebody holds themselves is drawn, never a face; and only from what was seen or found on
examination, so that a posture never comes before its evidence.
"""

from __future__ import annotations

import re
from typing import Final

from osler.choreography.scene import Strain

_DOUBLED_UP: Final = re.compile(
    r"\b(?:doubled? (?:up|over)|doubles up|curled? up|curls up|writh\w+|gasp\w*|fight\w* for (?:breath|air)"
    r"|cannot (?:speak|finish)|hangs over|arms (?:a)?round (?:her|his|their) knees|screams?|agony)\b",
    re.IGNORECASE,
)
_BENT: Final = re.compile(
    r"\b(?:shiver\w*|sweat\w*|clammy|breathless|short of breath|in (?:\w+ )?(?:pain|distress)|hunched|stooped"
    r"|weeps?|weeping|sobs?|sobbing|trembl\w+|wheez\w+|retch\w*|vomits?|vomiting|groans?|moans?|winces?"
    r"|clutch\w*|bent (?:over|forwards?)|unwell|distressed|restless)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:no|not|without|never|nor|denies|neither|stopped|no longer)\b[^.;:]*$", re.IGNORECASE
)


def strain_of(words: str) -> Strain:
    """The bend of somebody of whose looks these words tell: 0 not at all, 1 bent, 2 doubled up."""
    if _stated(_DOUBLED_UP, words):
        return 2
    return 1 if _stated(_BENT, words) else 0


def _stated(looks: re.Pattern[str], words: str) -> bool:
    return any(not _DENIED.search(words[: match.start()]) for match in looks.finditer(words))
