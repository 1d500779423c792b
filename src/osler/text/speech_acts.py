"""Speech acts: what a doctor does with words beside asking for a fact - asks leave, breaks news, sums up.

The patterns are in speech_acts.yaml. Every function here is pure and cached.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, cast, get_args

import yaml

from osler.text.tokens import lowered, sentences

Act = Literal[
    "instruction",  # commands the player, not the patient
    "identity",  # name, date of birth, hospital number
    "records",  # address, telephone, next of kin, practice
    "teach_back",
    "any_questions",
    "wants_told",  # offers to explain, or asks how much they want to know
    "repeat",  # asks for something to be said again
    "during_exam",  # what is said while examining
    "chaperone",
    "examine",  # asks leave to examine, test or treat, or announces it
    "treat",  # asks leave to treat
    "notes",  # asks leave to take notes, to read or share the record among doctors, to have a student in
    "ask_leave",  # asks leave to ask
    "privacy",
    "relatives",  # asks leave to speak to relatives, or offers their company
    "confidentiality",
    "good_news",
    "bad_news",
    "how_feel",
    "plan_ok",  # whether what was said suits them, or is understood
    "rudeness",
    "apology",
    "empathy",
    "closing",
    "thanks",
    "offer",
    "presence",
    "greeting",
]
Risk = Literal[
    "suicide_protect",
    "overdose",
    "suicide_past",
    "suicide_plan",
    "suicide_means",
    "suicide_safe",
    "suicide_thoughts",
    "harm_others",
    "child_harm",
    "abuse",
    "coping",
]
COURTESIES: Final[frozenset[Act]] = frozenset(
    {"greeting", "thanks", "closing", "empathy", "apology", "presence", "confidentiality"}
)
"""Acts that want no answer of their own beside a question."""

# Acts that are statements: no question is one, whatever words it holds.
_STATED: Final[frozenset[Act]] = frozenset({"good_news", "bad_news", "empathy", "apology", "closing"})
_INTERROGATIVE: Final = re.compile(
    r"(?:(?:and|so|ok|okay|now|well|but|also|then)[\s,]+)*"
    r"(?:do|does|did|are|is|was|were|have|has|had|what|when|where|which|who|whose|why|how|any)\b"
)

# What is longer is no sentence of a conversation; the patterns are not linear.
_LONGEST: Final = 400
_WORD: Final = re.compile(r"[a-z0-9']+")
_OUTER: Final = ' \t\n.?!;:,-–—…"()*'
_MARK: Final = "@leave"
_PART: Final = re.compile(r"<(\w+)>")


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """A sentence as the patterns want it: lower case, without outer punctuation, text-speak spelt out."""
    return " ".join(spelt_out(text[:_LONGEST]).split()).strip(_OUTER)


def spelt_out(text: str) -> str:
    """The text in lower case, with text-speak spelt out."""
    return _WORD.sub(lambda word: _spelt().get(word.group(), word.group()), lowered(text))


@lru_cache(maxsize=20_000)
def act_of(sentence: str) -> Act | None:
    """The act of a sentence; `None` if it is none of ours, such as a question for a fact."""
    text = plain(sentence)
    asks = _INTERROGATIVE.match(text) is not None
    leave = _with_leave(text)
    return next(
        (act for act, each in _acts().items() if not (asks and act in _STATED) and each.matches(text, leave)),
        None,
    )


@lru_cache(maxsize=20_000)
def acts_in(said: str) -> frozenset[Act]:
    """Every act whose patterns match anywhere in an utterance, whatever else it does."""
    texts = [plain(sentence) for sentence in sentences(said)]
    return frozenset(
        act for act, each in _acts().items() if any(each.matches(text, _with_leave(text)) for text in texts)
    )


@lru_cache(maxsize=20_000)
def risk_of(sentence: str) -> Risk | None:
    """The harm that a sentence asks about, if any."""
    text = plain(sentence)
    return next((risk for risk, (asked, _) in _risks().items() if asked.search(text)), None)


@lru_cache(maxsize=20_000)
def holds_risk(risk: Risk, text: str) -> bool:
    """Whether a statement of the patient's answers a question about a harm."""
    return _risks()[risk][1].search(lowered(text)) is not None


@cache
def _spelt() -> Mapping[str, str]:
    return {
        word: full for line in _source()["spelt"].splitlines() for word, _, full in [line.partition(" = ")]
    }


@cache
def _source() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("speech_acts.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loaded: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe
    return loaded


class _Patterns(NamedTuple):
    """The patterns of an act: on the words, and on the words with the request for leave marked."""

    words: re.Pattern[str] | None
    leave: re.Pattern[str] | None

    def matches(self, text: str, leave: str) -> bool:
        """Whether any of them is found; `leave` is the marked text, empty if no leave is asked."""
        if self.words is not None and self.words.search(text):
            return True
        return bool(leave) and self.leave is not None and self.leave.search(leave) is not None


@lru_cache(maxsize=4096)
def _with_leave(text: str) -> str:
    """The text with "may I", "is it all right if we" and the like replaced by a mark; else empty."""
    marked, n = _leave().subn(_MARK, text)
    return marked if n else ""


@cache
def _leave() -> re.Pattern[str]:
    return re.compile(rf"(?:^|\b)(?:{_source()['parts']['may']})")


@cache
def _acts() -> dict[Act, _Patterns]:
    listed: dict[str, str] = {"instruction": _source()["instruction"], **_source()["acts"]}
    if tuple(listed) != get_args(Act):
        raise ValueError("speech_acts.yaml does not list the acts in their order")
    found: dict[Act, _Patterns] = {}
    for act, text in listed.items():
        lines = text.splitlines()
        marked = [line.replace("<may>", _MARK) for line in lines if "<may>" in line]
        found[cast("Act", act)] = _Patterns(
            _any_of([line for line in lines if "<may>" not in line]), _any_of(marked)
        )
    return found


@cache
def _risks() -> dict[Risk, tuple[re.Pattern[str], re.Pattern[str]]]:
    found: dict[Risk, tuple[re.Pattern[str], re.Pattern[str]]] = {}
    for risk, each in _source()["risk"].items():
        asked, held = _any_of(each["asked"].splitlines()), _any_of(each["held"].splitlines())
        if asked and held:
            found[cast("Risk", risk)] = asked, held
    return found


def _any_of(lines: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern that matches what any of the lines does; `None` for no lines."""
    return re.compile("|".join(f"(?:{_with_parts(line)})" for line in lines), re.DOTALL) if lines else None


def _with_parts(pattern: str) -> str:
    while _PART.search(pattern):
        pattern = _PART.sub(lambda name: str(_source()["parts"][name.group(1)]), pattern)
    return pattern
