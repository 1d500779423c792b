"""Recognition of a model's refusal in prose: "I'm sorry, but I can't provide medical advice." """

from __future__ import annotations

import re
from typing import Final

_LOOKED_AT: Final = 400
_NOT_ABLE: Final = r"(?: can(?:no|')?t| cannot| can not|(?: a|')m (?:not able|unable) to| won'?t| will not)"
_WHAT: Final = (
    r"assist|help|provide|offer|give|comply|fulfil\w*|engage|continue|participate|play|diagnos\w+|role-?play"
    r"|simulate|do that|answer"
)
_DECLINES: Final = re.compile(
    rf"\bI{_NOT_ABLE}(?: \w+){{0,3}}? (?:{_WHAT})\b"
    rf"|\bI(?:'m| am) (?:sorry|afraid),?(?: but)?(?: that)? I{_NOT_ABLE}"
    r"|\bI(?:'m| am) (?:just |only )?an AI\b.{0,80}\b(?:not|can't|cannot)\b"
    r"|\bI must (?:decline|refuse)\b|\bas an AI(?: language)? model\b",
    re.IGNORECASE | re.DOTALL,
)


def declines(text: str) -> bool:
    """Whether an answer in words declines what it was asked for. Only the beginning is looked at."""
    return _DECLINES.search(text[:_LOOKED_AT].replace("’", "'")) is not None
