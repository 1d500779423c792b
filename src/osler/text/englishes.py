"""Speech in other Englishes, put into standard English: "wetin dey worry you" as "what is worrying you".

The replacements are those of `englishes.yaml`. They serve recognition, not reading: the result keeps the
order of words and may be no good sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Final

import yaml

_FILE: Final = "englishes.yaml"
_SUBJECT: Final = (
    r"i|you|we|he|she|it|they|him|this|that|who|nobody|nothing|no one|one|somebody|anybody|everybody|person"
    r"|people|mother|father|sir|mrs? \w+|madam|wife|husband|daughter|son|child|baby|boy|girl|man|woman"
    r"|nurse|sister|brother|doctor|patient|blood|body|womb|medicine|drug|injection|drip|fit|bleeding|itching"
    r"|rash|swelling|trouble|pressure|bp"
)
"""What may stand before a Nigerian verb: a pronoun, a person, or what a doctor speaks of."""


@lru_cache(maxsize=16_384)
def standard(text: str) -> str:
    """A text with the forms of other Englishes replaced; other texts are returned as they are."""
    for pattern, whole in _replacements():
        text = pattern.sub(whole, text)
    return text


@lru_cache(maxsize=1)
def _replacements() -> tuple[tuple[re.Pattern[str], str], ...]:
    value = yaml.safe_load(resources.files("osler.text").joinpath(_FILE).read_text("utf-8"))
    return tuple(
        (re.compile(pattern.replace("<P>", _SUBJECT), re.IGNORECASE), whole)
        for pairs in value.values()
        for pattern, whole in pairs
    )
