"""What kind of utterance a patient hears: small talk, something to turn back, or a question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_INSTRUCTION: Final = re.compile(
    r"""\b(?: (?:ignore|forget|disregard|override)\b.{0,40}
        \b(?:instruction|prompt|rule|above|previous|everything)
    | (?:system|hidden|initial)\ prompt | your\ (?:system\ )?(?:instructions|prompt|rules|programming)
    | pretend\ (?:to\ be|that\ you|you) | act\ as\ (?:a|an|if)\b | role.?play
    | (?:you\ are|are\ you)\ (?:now\ )?(?:an?\ )?
        (?:ai|a\.i\.|bot|chatbot|robot|machine|program|simulation|simulated
        |language\ model|actor|real\ (?:person|patient|human))
    | language\ model | developer\ mode | jailbreak | json | (?:print|dump|output|reveal)\b.{0,30}
        \b(?:facts?|case|record|file|script|answer|diagnosis|everything)
    | (?:all|list|repeat|read\ out)\ (?:of\ )?your\ facts | your\ (?:script|fact\ list|case\ file) )""",
    re.VERBOSE,
)
_DIAGNOSIS: Final = re.compile(
    r"""\b(?:what(?:\ is|'s)|tell\ me|give\ me|name|know)\ (?:your|the|my|this)\ (?:\w+\ )?diagnos[ie]s\b
    | \b(?:correct|right)\ (?:answer|option|diagnosis)\b | \bwhich\ option\b | \bis\ it\ option\b
    | \bshould\ i\ (?:order|prescribe|do|give|choose)\b | \bwhat\ (?:test|tests|treatment)\ should\b""",
    re.VERBOSE,
)
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
_ELSEWHERE: Final = re.compile(
    r"""\b(?: weather | football | soccer | baseball | basketball | cricket\ match
    | world\ cup | capital\ (?:city\ )?of
    | president | prime\ minister | election | recipe | joke | poem | song | movie | film | novel
    | stock\ (?:price|market)
    | bitcoin | crypto\w* | python | javascript | write\ (?:code|a\ program|an\ essay) | translate | horoscope
    | (?:two|2)\ ?(?:plus|\+)\ ?(?:two|2) | square\ root | favou?rite\ (?:colou?r|band|team|book|singer)
    | moon\ landing | who\ won | meaning\ of\ life | tell\ me\ a\ story )\b""",
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


@lru_cache(maxsize=20_000)
def turned_back(said: str) -> bool:
    """Whether the words try to instruct the speaker, fish for the answer or lead elsewhere."""
    text = said.lower()
    return bool(_INSTRUCTION.search(text) or _DIAGNOSIS.search(text) or _ELSEWHERE.search(text))


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
    """The words without the "Hello, ..." that they begin with; all of them where there is nothing else."""
    return _HAIL.sub("", said, count=1)


@lru_cache(maxsize=20_000)
def parts(said: str) -> bool:
    """Whether the words are a goodbye."""
    return _BYE.search(said.lower()) is not None
