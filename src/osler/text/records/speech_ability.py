"""Whether a patient can speak for themselves, and who does where they cannot, read from a record's words.

Somebody unconscious, intubated, without speech or out of their mind tells no history. An unconsciousness that
has passed, a negated one and somebody else's change nothing. The words are in `speech_ability.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

import yaml

from osler.knowledge.vocabulary import NOBODY, Topic
from osler.text.tokens import sentences

_LONGEST: Final = 20_000
_BRIEFS_HEAD: Final = 600
_SCALE: Final = re.compile(
    r"\b(?:glasgow coma (?:scale|score)|gcs)\b[^.;\d]{0,60}(?P<points>\d{1,2})(?!\d|[- ]?(?:year|day))",
    re.IGNORECASE,
)
_COMA_AT_MOST: Final = 8
_AWAKE_FROM: Final = 14
_SCALES_NAME: Final = re.compile(r"\bglasgow coma\b", re.IGNORECASE)
# An age or a number of somebody before their name: "his 45-year-old wife".
_ADJECTIVES: Final = r"(?:(?:[\w'’-]+\s){0,3}?)"
_WHOSE: Final = r"(?:his|her|their|the|a|an|my|one of (?:his|her|their)|several|some)"
_MORE: Final = (
    r"(?:,[^,.;]{1,40},)?\s"
    r"(?:(?:also|has|have|had|further|then|later|who|first|initially|reluctantly)\s){0,3}"
)
_HIMSELF: Final = re.compile(r"\b(?:him|her|them|the (?:patient|man|woman|boy|girl))\b", re.IGNORECASE)
_PRESENT: Final = re.compile(
    r"\b(?:is|are|remains?|appears?|currently|now)\W+(?:\w+\W+){0,2}$", re.IGNORECASE
)
_WARD: Final = re.compile(
    r"\b(?:intensive care|icu|micu|sicu|ward|hospitali[sz](?:ed|ation)|postoperative\w*|post-?op|"
    r"recovery room|operating room|"
    r"hospital day|mechanical(?:ly)? ventilat\w+|nurses?|nursing staff)\b",
    re.IGNORECASE,
)
_HOME: Final = re.compile(
    r"\b(?:nursing (?:home|facility)|care home|assisted living|long-term care|skilled nursing|group home|"
    r"hospice)\b",
    re.IGNORECASE,
)
_POLICE: Final = re.compile(r"\bpolice\b", re.IGNORECASE)
_DEAD: Final = re.compile(r"\bautops|\bdead\b|\bdeceased\b", re.IGNORECASE)
_NAMES: Final = {
    **dict.fromkeys(("mother", "father", "parents", "mom", "mum", "dad", "guardian"), "parent"),
    **dict.fromkeys(("caregiver", "caretaker", "home health aide"), "carer"),
    **dict.fromkeys(("family", "in-law"), "relative"),
    **dict.fromkeys(("coworker", "co-worker"), "colleague"),
    **dict.fromkeys(("passerby", "passersby", "passer-by"), "bystander"),
    "children": "child",
    "witnesses": "witness",
    "neighbor": "neighbour",
    "staff": "nurse",
    "interpreter": "",
}
CREW: Final = "ambulance crew"
_OF_YOU: Final = (
    (re.compile(r"\byou(?: are|['’]re)\b", re.IGNORECASE), "he is"),
    (re.compile(r"\byou (?:do not|don['’]t)\b", re.IGNORECASE), "he does not"),
    (re.compile(r"\byour\b", re.IGNORECASE), "his"),
    (re.compile(r"\byou\b", re.IGNORECASE), "he"),
)
_STRANGERS: Final = frozenset(
    (
        CREW,
        "nurse",
        "police officer",
        "bystander",
        "witness",
        "neighbour",
        "landlord",
        "landlady",
        "teacher",
        "coach",
    )
)
# What somebody who is no relative or friend does not know of another's life.
_OF_THEIR_LIFE: Final[frozenset[Topic]] = frozenset(
    ("past_medical", "past_surgical", "medications", "allergies", "family", "tobacco", "alcohol", "drugs",
     "sexual", "gynaecological", "birth", "immunization", "mood", "ideas", "concerns", "expectations", "diet")
)  # fmt: skip


class Voice(NamedTuple):
    """The speaker of a record: "patient", a relation ("wife"), "ambulance crew", or `NOBODY`. `because` are
    the record's words for why the patient does not speak; empty where they do."""

    speaker: str
    because: str = ""


def voice_of(text: str) -> Voice:
    """The speaker of a record, by its words; the patient is an adult, or of unknown age."""
    text = text[:_LONGEST].replace("\u2019", "'")
    because = _why_silent(text)
    who = companion_in(text) if because else ""
    if not because and (because := _first(text, "unreliable")):
        who = companion_in(text)
        return Voice(who, because) if who else Voice("patient")
    if not because:
        return Voice("patient")
    if _DEAD.search(because):
        who = who if who in ("parent", "wife", "husband", "son", "daughter") else ""
    return Voice(who or _implied(text) or NOBODY, because)


def cannot_speak(text: str) -> str:
    """The words by which a record says that its patient cannot speak for themselves; empty if it does not."""
    return _why_silent(text[:_LONGEST].replace("\u2019", "'"))


def voice_in_brief(candidate: str, actor: str, *, plays_another: bool = False) -> Voice:
    """The speaker of a station, by what its candidate and its actor read. The actor is addressed as "you":
    the patient, unless they play another."""
    told = actor if plays_another else _third_person(actor)
    if because := cannot_speak(f"{candidate}\n{told}"):
        both = f"{candidate}\n{actor}"
        return Voice(companion_in(both) or _implied(both) or NOBODY, because)
    return Voice("patient")


def plays_companion(actor: str) -> bool:
    """Whether a brief has its actor play somebody else than the patient: "You are the wife of ..."."""
    kin = _one_line(_source()["parts"]["kin"])
    plays = r"\b(?:you are|you're|you play|role of|playing)\b[^.]{0,80}?"
    text = rf"{plays}\b(?:{kin})\b(?: of\b|'s|,? (?:to|who))"
    return re.search(text, actor[:_BRIEFS_HEAD], re.IGNORECASE) is not None


def _third_person(brief: str) -> str:
    for words, third in _OF_YOU:
        brief = words.sub(third, brief)
    return brief


def companion_in(text: str) -> str:
    """The one named in a record as telling of the patient, bringing or finding them; empty for nobody."""
    result = [match for pattern in _tellers() for match in pattern.finditer(text)]
    named = [name for match in sorted(result, key=re.Match.start) if (name := _named(match["who"]))]
    if near := [name for name in named if name not in _STRANGERS]:
        return near[0]
    if _pattern("crew").search(text):
        return CREW
    return named[0] if named else ""


def knows(speaker: str, topic: Topic, text: str) -> bool:
    """Whether one who speaks for a patient knows a statement: not what only the patient feels, unless
    somebody tells of it; of another's life only what is seen, for one who is no relative or friend."""
    if speaker == NOBODY:
        return False
    reported = any(pattern.search(text) for pattern in _tellers()) or _pattern("heard_of").search(text)
    if speaker in _STRANGERS and topic in _OF_THEIR_LIFE and not reported:
        return False
    if reported:
        return True
    if speaker in _STRANGERS and topic == "systems":
        return False
    return not (_pattern("inner").search(text) or _pattern("own_words").search(text))


def _implied(text: str) -> str:
    if _POLICE.search(text):
        return "police officer"
    if _HOME.search(text):
        return "carer"
    return "nurse" if _WARD.search(text) else ""


def _named(words: str) -> str:
    word = " ".join(words.lower().split())
    word = word.split(" member")[0]
    single = {"families": "family", "members": "family"}.get(word, word)
    if single in _NAMES:
        return _NAMES[single]
    single = single[:-1] if single.endswith("s") and not single.endswith("ss") else single
    return _NAMES.get(single, _NAMES.get(single.rpartition(" ")[2], single))


@cache
def _tellers() -> tuple[re.Pattern[str], ...]:
    """The ways in which a record names who tells of its patient, brings or finds them."""
    parts = _source()["parts"]
    who, says = f"(?P<who>{_one_line(parts['kin'])}|{_one_line(parts['others'])})", _one_line(parts["says"])
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"\b{_WHOSE}\s{_ADJECTIVES}{who}\b{_MORE}(?:{says})\b",
            rf"\b\w+'s\s{who}\b{_MORE}(?:{says})\b",
            rf"(?:^|[.;]\s){who}{_MORE}(?:{says})\b",
            r"\b(?:brought|accompanied|taken|found|discovered|escorted|transported|carried|driven|rushed|noticed|witnessed|called)\b"
            rf"[^.;]{{0,80}}?\bby\s(?:{_WHOSE}\s)?{_ADJECTIVES}{who}\b",
            rf"\b(?:according to|per|obtained from|given by|provided by|from|reported by|"
            rf"says)\s(?:{_WHOSE}\s){_ADJECTIVES}{who}\b",
        )
    )


def _why_silent(text: str) -> str:
    scale = [int(match["points"]) for match in _SCALE.finditer(text)]
    if scale and scale[-1] <= _COMA_AT_MOST:
        result = next(_SCALE.finditer(text))
        return result[0]
    return _first(text, "silent") or (
        "" if scale and scale[-1] >= _AWAKE_FROM else _first(text, "unconscious")
    )


def _first(text: str, kind: str) -> str:
    """The first words of a kind that are said of the patient, and of now."""
    if not _pattern(kind).search(text):
        return ""
    parts = list(sentences(_SCALES_NAME.sub("Glasgow", text)))
    for place, sentence in enumerate(parts):
        for match in _pattern(kind).finditer(sentence):
            rest = " ".join([sentence[match.end() :], *parts[place + 1 :]])
            if _counts(sentence[: match.start()], sentence[match.end() :], rest, kind, match[0]):
                return match[0].strip()
    return ""


def _counts(before: str, after: str, rest: str, kind: str, words: str) -> bool:
    clause = re.split(r"[,;:]|\bbut\b", before)[-1]
    if _pattern("negated").search(clause) or (kind != "silent" and _pattern("negated_list").search(before)):
        return False
    if _pattern("passing_before").search(before) or _pattern("passing_after").search(after):
        return False
    if _of_another(before):
        return False
    if kind != "unconscious":
        return True
    if _pattern("recovered").search(rest):
        return False
    # "He was found unconscious. ... He reports chest pain": it has passed.
    still = _PRESENT.search(f"{before}") is not None
    return still or not _pattern("speaks").search(rest)


def _of_another(before: str) -> bool:
    """Whether what follows is said of somebody other than the patient."""
    for match in _others().finditer(before):
        then = before[match.end() :]
        if match["by"] or _HIMSELF.search(then) or re.search(r"[;:]|\b(?:he|she|the patient)\b", then):
            continue
        if not _says().match(then):
            return True
    return False


@cache
def _others() -> re.Pattern[str]:
    parts = _source()["parts"]
    who = f"{_one_line(parts['kin'])}|{_one_line(parts['others'])}"
    return re.compile(
        rf"(?P<by>\b(?:by|with|to|from|per|and)\s)?\b(?:his|her|their|whose|my|patient's|a|an|the|another)\s{_ADJECTIVES}(?:{who})\b(?!')"
        r"|\b(?:his|her|their|\w+'s)\s(?:newborn|infant|baby|child)\b",
        re.IGNORECASE,
    )


@cache
def _says() -> re.Pattern[str]:
    return re.compile(rf"{_MORE}(?:{_one_line(_source()['parts']['says'])})\b", re.IGNORECASE)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    source = _source()
    parts = source["parts"]
    text = _one_line(parts[name]) if name in parts else _one_line(source[name])
    for part, words in parts.items():
        text = text.replace(f"<{part}>", _one_line(words))
    return re.compile(rf"\b(?:{text})\b" if name in parts else text, re.IGNORECASE)


def _one_line(words: str) -> str:
    """A pattern over several lines as one: a line may end in a bar or within a group."""
    return re.sub(r"(?<=[|(?*])\n\s*", "", words).replace("\n", " ").strip()


@cache
def _source() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("speech_ability.yaml").read_text(encoding="utf-8")
    source: dict[str, Any] = yaml.safe_load(text)
    return source


def speaks_for(voice: Voice) -> Iterator[str]:
    """The remark on a case whose patient does not speak; none where they do."""
    if not voice.because:
        return
    quoted = f"note: the patient cannot speak for themselves ({voice.because!r})"
    if voice.speaker == NOBODY:
        yield f"{quoted}, and the record names nobody who speaks for them"
    else:
        yield f"{quoted}; {voice.speaker} speaks"
