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

BEGINS_A_QUESTION: Final = re.compile(
    r"^(?:(?:and|so|ok|okay|right|now|then|well|but|please|also)[\s,]+)*(?:do|does|did|are|is|was|were"
    r"|have|has|had|can"
    r"|could|would|will|shall|should|may|what|whats|what's|when|where|which|who|whose|why|how|any|wt"
    r"|whr|whn|wen|y|hw)\b"
)
"""The first words of a question."""
# "I will tell you", "the nurse will show you": the speaker tells, and asks nothing.
_TELLS_THEM: Final = re.compile(
    r"\b(?:i|we|he|she|they|nurse|team|doctor|sister|colleague|pharmacist|i'll|we'll|he'll|she'll"
    r"|they'll|i'm|we're"
    r"|will|must|shall|can|should|to|let me|let us|let's|can't|cannot|may|might|won't"
    r"|not)\s+(?:\w+\s+){0,2}?"
    r"(?:tell|describe|explain|list|show)\b"
)
_WANTS_TOLD: Final = re.compile(
    r"\b(?:you|u|kindly|please)\s+(?:\w+\s+){0,2}?(?:to )?(?:tell|describe|explain|list|show)\b"
    r"|^\W*(?:(?:and|so|ok|okay|now|well|then|also|please|just)\W+)*(?:tell|describe|explain|list|show)\b"
)
# A few words that bid the patient do something are no question about its subject ("take rest").
_BIDS: Final = re.compile(
    r"^(?:(?:please|kindly|now|then|and|ok|okay|just)\W+)*(?:take(?! any)|rest|go|come|keep|stay|sit"
    r"|lie|try|call"
    r"|greet|relax|wait|bring|continue|avoid|don't|let's|be|mind|look|enjoy|remember|thank|thanks|hurry"
    r"|follow"
    r"|well done|listen|leave|finish|god|poor|dear|madam|bless|oh|imagine|good (?:girl|boy|man|luck"
    r"|work|job))\b"
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


@lru_cache(maxsize=20_000)
def tells(text: str) -> bool:
    """Whether words without a question mark tell the patient something rather than ask to be told."""
    lower = text.lower()
    return (
        BEGINS_A_QUESTION.search(lower) is None
        and _TELLS_THEM.search(lower) is not None
        and _WANTS_TOLD.search(lower) is None
    )


@lru_cache(maxsize=20_000)
def bids(text: str) -> bool:
    """Whether a few words bid the patient do something: "take rest", "come with me"."""
    return _BIDS.search(text.lower()) is not None
