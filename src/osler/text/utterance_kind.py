"""Utterance classification: greetings, goodbyes, requests to examine, questions about results."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.tokens import lowered

_PICTURES: Final = (
    r"(?:ct|cat\ scan|mri|scans?|x.?rays?|ultrasound|ecg|ekg|echo\w*|biops(?:y|ies)|endoscop\w+"
    r"|colonoscop\w+|labs?|blood\ (?:tests?|work|results?|count)|urine\ tests?|urinalysis|tests?|imaging)"
)
_RESULT: Final = re.compile(
    rf"""\b(?:what|how|did|does|do|was|were|is|are|tell\ me)\b.{{0,40}}\b{_PICTURES}\b.{{0,40}}
        \b(?:show\w*|sa(?:y|id)|reveal\w*|find\w*|found|results?|abnormal|normal|positive|negative)
    | \bresults?\ of\b.{{0,30}}\b{_PICTURES}\b | \bwhat\b.{{0,20}}\b(?:test|lab|blood)\ results?\b
    | \bwhat\ (?:is|are|were|was)\ (?:your|the|his|her)\ (?:vitals?|vital\ signs|lab\ values?
        |potassium|troponin|haemoglobin|hemoglobin|creatinine|white\ (?:cell|blood)\w*)\b""",
    re.VERBOSE,
)
_GREETING: Final = re.compile(
    r"^\W*(?:(?:well|oh|ok|okay|so)\W+)?(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|welcome"
    r"|nice to|pleased to|it's nice|how (?:are|do) you(?: (?:do|doing|today|this morning|all))*\W*$"
    r"|how's it going|how is it going|my name is|i'm (?:dr|doctor)|i am (?:dr|doctor|the doctor|one of))\b"
    r"|^\W*how are you\W*$"
)
_HAIL: Final = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| again)?[\s,.!-]+(?=\w)",
    re.IGNORECASE,
)
_BYE: Final = re.compile(
    r"\b(?:goodbye|bye|take care|see you (?:soon|next|later|again)|have a (?:good|nice))\b"
)

_DOING: Final = (
    r"(?:(?:just|quickly|please|first|now)\ )*(?:examin|listen|feel|press|look(?!ed)|check|measur|inspect"
    r"|palpat|tap|have\ a\ (?:look|listen|feel)|take\ (?:your|his|her|the|a)\ (?:\w+\ )?"
    r"(?:temperature|pulse|bloods?|pressure|swab|sample)"
    rf"|(?:do|get|have|run|order|arrange|send)\b.{{0,40}}\b{_PICTURES}\b)"
)
_LEAVE: Final = re.compile(
    rf"""^\W*(?:(?:and|so|ok|okay|right|now|then|well|please|first)\W+)*
    (?: (?:can|could|may|might|shall)\ (?:i|we)\ {_DOING}
    | (?:let\ me|let's|i'll|i\ will|i'd\ like\ to|i\ would\ like\ to|i\ want\ to|i\ need\ to|i'm\ going\ to
        |i\ am\ going\ to)\ {_DOING}
    | (?:do|would)\ you\ mind\ (?:if\ i\ |my\ |me\ ){_DOING}
    | (?:is|would)\ it\ (?:be\ )?(?:ok|okay|all\ right|alright|fine)\ (?:if|for\ me\ to|to)\ (?:i\ )?{_DOING}
    | listen\ to\ (?:your|his|her|the\ )?\ ?(?:heart|chest|lungs?|tummy|abdomen)\b )""",
    re.VERBOSE,
)


@lru_cache(maxsize=20_000)
def asks_leave(said: str) -> bool:
    """Whether the words announce an examination or ask permission for one: "can I listen to your chest?"."""
    return _LEAVE.match(lowered(said)) is not None


@lru_cache(maxsize=20_000)
def asks_for_results(said: str) -> bool:
    """Whether the words ask what a test or an image showed, which a patient is rarely told."""
    return _RESULT.search(said.lower()) is not None


@lru_cache(maxsize=20_000)
def greets(said: str) -> bool:
    """Whether the words are a greeting or an introduction."""
    return _GREETING.search(said.lower()) is not None


@lru_cache(maxsize=20_000)
def after_hail(said: str) -> str:
    """The words without a leading "Hello, ..."; unchanged if there is nothing else."""
    return _HAIL.sub("", said, count=1)


@lru_cache(maxsize=20_000)
def parts(said: str) -> bool:
    """Whether the words are a goodbye."""
    return _BYE.search(said.lower()) is not None
