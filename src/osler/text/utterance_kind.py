"""What an utterance is: a question for a fact, a speech act or a statement, by a learned model; and a few
kinds by rule: greetings, goodbyes, requests to examine, questions about results.

The model is a multinomial logistic regression over words, pairs of words and the mark at the end; its
weights are in knowledge/utterance_class.npz and are made by `benchmarks/reader` from labelled lines. The acts
on which safety rests are known by rule as well; see `speech_acts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.text.tokens import lowered, mended

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
def parts(said: str) -> bool:
    """Whether the words are a goodbye."""
    return _BYE.search(said.lower()) is not None


# By the learned model

QUESTION: Final = "question"
STATEMENT: Final = "statement"
SUMMARY: Final = "summary"
_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[?!]")
_LONG: Final = 4
_LONGEST: Final = 600


class Classified(NamedTuple):
    """The likeliest class of an utterance, its probability, and that of a question for a fact (`asks`)."""

    name: str
    chance: float
    asks: float


def utterance_tokens(text: str) -> frozenset[str]:
    """The features of an utterance: words, neighbours, beginnings and ends of words, and its last mark."""
    spelt = mended(text[:_LONGEST]).strip()
    asks = spelt.endswith("?")
    if not asks and BEGINS_A_QUESTION.match(spelt):
        spelt, asks = f"{spelt} ?", True  # typed without its mark
    spoken = ["<", *_TOKEN.findall(spelt), ">"]
    lines = {f"u:{word}" for word in spoken}
    lines.update(f"b:{one} {other}" for one, other in pairwise(spoken))
    lines.update(f"s:{one} {other}" for one, other in zip(spoken, spoken[2:], strict=False))
    lines.update(f"p:{word[:_LONG]}" for word in spoken if len(word) > _LONG)
    lines.update(f"e:{word[-_LONG:]}" for word in spoken if len(word) > _LONG)
    lines.add(f"first:{spoken[1]}")
    lines.add("asks" if asks else "tells")
    return frozenset(lines)


def packed_lines(packed: npt.NDArray[np.uint8]) -> list[str]:
    """The lines of a text that is kept as bytes in an array, for arrays of text cannot be loaded safely."""
    return packed.tobytes().decode().split("\n")


class UtteranceModel:
    """The weights by token and class. `table` has 8-bit integers times `scale`, one row a token."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.classes: Final = packed_lines(arrays["classes"])
        self.row_of: Final = {token: row for row, token in enumerate(packed_lines(arrays["tokens"]))}
        self.table: Final = arrays["table"]
        self.scale: Final = float(arrays["scale"])

    def chances(self, text: str) -> dict[str, float]:
        """The probability of each class."""
        rows = [self.row_of[token] for token in utterance_tokens(text) if token in self.row_of]
        scores = self.table[rows].astype(np.float32).sum(0) * self.scale / max(1.0, float(len(rows))) ** 0.5
        raised = np.exp(scores - scores.max())
        return dict(zip(self.classes, (raised / raised.sum()).tolist(), strict=True))


@lru_cache(maxsize=8192)
def classified(text: str) -> Classified:
    """The likeliest class of an utterance: a speech act, `question`, `statement`, `summary`, `off_topic`."""
    if not any(map(str.isalpha, text)):
        return Classified(STATEMENT, 0.0, 0.0)
    chances = _model().chances(text)
    name = max(chances, key=lambda one: chances[one])
    return Classified(name, chances[name], chances[QUESTION])


def chances(text: str) -> dict[str, float]:
    """The probability of each class."""
    return _model().chances(text)


@cache
def _model() -> UtteranceModel:
    with resources.files("osler.knowledge").joinpath("utterance_class.npz").open("rb") as file:
        return UtteranceModel(dict(np.load(file)))
