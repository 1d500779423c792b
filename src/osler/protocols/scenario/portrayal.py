"""A patient's condition in in-world words, for whoever portrays it: how it looks and feels, nothing measured.

The controller of a packet writes for the examinee. Of that the actor may be handed only what a person in the
room would notice: clauses with a number, a test or what the engine keeps back (labels, acts, results) are
left out, and a few unmistakable measurements are said as they are felt. A false silence is as bad as a
patient who chats on while unconscious, so only plain words make a patient silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

SPEECHLESS: Final = "The patient cannot speak or answer now, and says nothing."
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+|;\s*")
_CLAUSE: Final = re.compile(r",\s+(?:and |but )?|\s+[-–—]\s+|:\s+|\s+(?:and|but|with|while)\s+")
_MEASURED: Final = re.compile(
    r"\d|\b(?:monitors?|ecg|ekg|telemetry|tracings?|x-?rays?|radiographs?|ct|mri|scans?|ultrasound|echo\w*"
    r"|lab\w*|results?|tests?|samples?|blood (?:gas|count|pressure|glucose|sugar|test)\w*|lactate|glucose"
    r"|troponin|h(?:a)?emoglobin|potassium|sodium|cultures?|urinalysis|saturations?|sats|spo2|gcs|etco2"
    r"|capnograph\w*"
    r"|vital signs?|vitals|(?:heart|respiratory|pulse) rate|hr|rr|bp|cvp|rhythm|fibrillation|asystole"
    r"|\w*cardia|hyp(?:o|er)\w+|auscultation|percussion|palpation|crackles|wheez\w+ on|murmur\w*"
    r"|diagnos\w+)\b",
    re.IGNORECASE,
)
_ABSENT: Final = re.compile(
    r"\b(?:unconscious|unresponsive|comatose|lifeless|pulseless|apno?eic|moribund|convulsing|intubated)\b"
    r"|\bin (?:a (?:deep )?coma|cardiac arrest)\b|\bcardiac arrest\b|\b(?:has died|dies|is dead)\b"
    r"|\b(?:loses|losing|lost|has lost) consciousness\b|\bno (?:palpable )?pulse\b"
    r"|\b(?:stops|stopped|has stopped|is not|not) breathing\b|\bunder general ana?esthe\w+\b"
    r"|\b(?:does not|doesn't|no longer|not|never) (?:respond(?:s|ing)?|answer(?:s|ing)?)"
    r"(?=\s*(?:[.,;!]|$|and\b|but\b|any ?more\b|when\b|to (?:voice|speech|words|questions|you|him|her|pain"
    r"|touch|anything|anyone|stimul\w+|calling|shaking)\b))"
    r"|\b(?:responds?|responding|responsive) only to (?:pain|touch)\w*|\bno (?:response|reply|answer) to "
    r"(?:voice|speech|words|questions|pain|touch|anything|calling|shaking|stimul\w+)\b"
    r"|\b(?:not|no longer) (?:conscious|awake|responsive)\b|\bcannot be (?:woken|roused|wakened)\b"
    r"|\b(?:cannot|can't|can no longer|is unable to|unable to|no longer able to) (?:speak|talk|answer)"
    r"(?=\s*(?:[.,;!]|$|and\b|but\b|any ?more\b|at all\b))|\bha(?:s|ving) (?:a|another) (?:generali[sz]ed )?"
    r"(?:tonic[ -]clonic )?(?:seizure|convulsion|fit)\b",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(
    r"\b(?:was|were|been|had|never|not|no|nearly|almost|briefly|earlier|without|if|before)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_THERE: Final = re.compile(
    r"\b(?:awake|wakes(?: up)?|alert|conscious|talking|talks|speaks|speaking|answers|answering|responds to "
    r"(?:voice|speech|you|questions|your|his name|her name)|regain\w* consciousness|comes (?:round|around|to)"
    r"|opens (?:his|her|their|the) eyes)\b",
    re.IGNORECASE,
)
_AS_BEFORE: Final = re.compile(r"\b(?:unchanged|as before|no change|the same|still)\b", re.IGNORECASE)
_NUMBER: Final = r"\D{0,20}?(\d{1,3}(?:\.\d)?)"
_MOST_WORDS: Final = 120


def portrayed(texts: Iterable[str], hidden: Iterable[str] = ()) -> str:
    """The in-world words of these texts: all that somebody in the room would notice, then what it feels like.

    `hidden` are words that nobody in the room may hear: a sentence that holds one of them is left out whole.
    """
    kept_back = [pattern for text in hidden if (pattern := _verbatim(text))]
    shown, felt = list[str](), dict[str, None]()
    for text in texts:
        for sentence in sentences(text):
            if any(pattern.search(sentence) for pattern in kept_back):
                continue
            felt |= dict.fromkeys(_feelings(sentence))
            clauses = [each.strip(" .!?;,") for each in _CLAUSE.split(sentence)]
            if kept := [each for each in clauses if each and not _MEASURED.search(each)]:
                shown.append(_whole(sentence) if len(kept) == len(clauses) else f"{', '.join(kept)}.")
    words = " ".join([*dict.fromkeys(shown), *felt]).split()
    return " ".join(words[:_MOST_WORDS])


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [one for each in _SENTENCE.split(text) if (one := each.strip())]


def silent_now(before: bool, status: str, events: Iterable[str]) -> bool:
    """Whether the patient cannot speak, by a new status ("" if it has not changed) and what has happened.

    The latest plain word counts. A new status that says nothing of it ends a silence, unless it says that
    nothing has changed; events alone end none.
    """
    now = before
    if status.strip():
        word = _last_word(status)
        same = _AS_BEFORE.search(status) is not None
        now = word if word is not None else before and same
    for event in events:
        word = _last_word(event)
        now = now if word is None else word
    return now


def _last_word(text: str) -> bool | None:
    """Whether the last word on it says that the patient cannot speak; `None` if there is none."""
    pairs = [(each.start(), True) for each in _ABSENT.finditer(text) if not _negated(text, each.start())]
    absent = [(each.start(), each.end()) for each in _ABSENT.finditer(text)]
    pairs += [
        (each.start(), False)
        for each in _THERE.finditer(text)
        if not any(first <= each.start() < last for first, last in absent)
        and not _negated(text, each.start())
    ]
    if low := re.search(rf"\bGCS{_NUMBER}", text, re.IGNORECASE):
        pairs.append((low.start(), float(low[1]) <= _COMA))
    return max(pairs)[1] if pairs else None


def _negated(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at]
    return _NOT_SO.search(before.rpartition(".")[2].rpartition(",")[2]) is not None


def _verbatim(text: str) -> re.Pattern[str] | None:
    words = text.strip(" .!?;,").split()
    if not words or not any(each.isalnum() for each in "".join(words)):
        return None
    return re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)", re.IGNORECASE)


def _whole(sentence: str) -> str:
    plain = sentence.strip()
    return plain if plain[-1:] in ".!?" else f"{plain}."


_COMA: Final = 8
"""The highest Glasgow Coma Scale at which nobody talks."""
_FELT: Final = (
    (rf"\b(?:spo2|sa ?o2|oxygen saturations?|saturations?|sats)\b{_NUMBER}", 0, 90, "Air is badly short."),
    (rf"\b(?:temp|temperature)\b{_NUMBER}", 38.5, 43, "There is fever, hot and shivery."),
    (rf"\b(?:temp|temperature)\b{_NUMBER}", 24, 34.5, "It is icily cold."),
    (rf"\bpain\b{_NUMBER}\s*(?:/|out of)\s*10\b", 7, 10.5, "The pain is very strong."),
    (rf"\bpain\b{_NUMBER}\s*(?:/|out of)\s*10\b", 4, 7, "There is clear pain."),
    (rf"\bGCS{_NUMBER}", 9, 13, "It is hard to stay awake and to think clearly."),
)
"""Measurements that mean the same at any age, from (inclusive), to (exclusive), and how they are felt."""


def _feelings(sentence: str) -> Iterator[str]:
    for pattern, low, high, words in _FELT:
        match = re.search(pattern, sentence, re.IGNORECASE)
        if match and low <= float(match[1]) < high:
            yield words
