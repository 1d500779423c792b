"""The option that a reply names: by its letter, else by its text, else none.

A false reading is worse than none. What is read is a short statement: the line after "Answer:", or the whole
reply, or its last line. It has to be one of a few plain forms ("B", "(B) text", "the answer is B", "text"); a
negation, a second letter, a letter with the text of another option, and whatever else is said leave the
question unanswered, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.models.extraction import without_thought
from osler.protocols.vqa.item import LETTERS, plain
from osler.text.hostile import safe
from osler.text.in_role.faults import declines

VERSION: Final = "2"
"""Of these rules; answers read by other rules are not mixed with new ones."""
LONGEST: Final = 200_000
"""The longest reply that is read, in characters."""
_STATEMENT: Final = 2000
_LISTED: Final = 200
EMPTY, DECLINED, SEVERAL, NEGATED, NO_OPTION, TWO_TEXTS, UNCLEAR = (
    "empty",
    "declined",
    "several letters",
    "negated",
    "no such option",
    "letter and text differ",
    "unclear",
)
"""Why a reply names no option."""

_DRESS: Final = re.compile(
    r"\*\*|__|[*`$~]|\\boxed|\\text(?:bf|rm|it)?|\\mathrm|\\[()\[\]]|^#+\s*|^>\s*", re.M
)
_BRACES: Final = re.compile(r"\{([^{}\n]{0,200})\}")
_DECLARED: Final = re.compile(
    r"^[^\S\n]*(?:my |the |your )?(?:final |correct |best )*(?:answer|option|choice)(?: letter)?[^\S\n]*"
    r"(?::|=|is\b:?)[^\S\n]*(?:\n[^\S\n]*)*([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_FORM: Final = re.compile(r"^[^\S\n]*(?:final )?answer[^\S\n]*:[^\S\n]*(?:\n[^\S\n]*)*([^\n]*)", re.I | re.M)
"""The form that is asked for. Where it is kept, what was called an answer before it was a thought."""
_LEAD: Final = re.compile(
    r"(?:(?:so|thus|hence|therefore|overall|in conclusion|in summary|conclusion)\b[,:]?\s+)?"
    r"(?:i\s+(?:would\s+|'d\s+|will\s+|'ll\s+)?(?:choose|pick|select|answer|go with)\b:?\s*"
    r"|(?:the\s+|my\s+)?(?:(?:single|final|correct|best|right|most likely|most appropriate)\s+)*"
    r"(?:(?:answer|option|choice|letter|diagnosis)\s*(?:is|would be|must be|:|=)\s*(?:clearly\s+)?"
    r"|(?:answer|option|choice|letter)\s+)"
    r"|(?:it\s+is|it's|this\s+is|that\s+is)\s+)?"
    r"(?:the\s+)?(?:(?:option|choice|letter|answer)\s*:?\s*)?",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"[(\[\"']*([A-Za-z])[)\]\"']*(?![\w'-])\s*")
_AFTER: Final = re.compile(
    r"(?:[.:,;)\-–—]+|\(|because\b|since\b|as\b|given\b"
    r"|is\s+(?:the\s+)?(?:(?:correct|right|best|most likely)\s*(?:answer|option|choice)?|answer)\s*"
    r"(?:[.,;!]|$|(?:because|since|as|given)\b))",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|neither|nor|none|except|cannot|can't|isn't|wasn't|doesn't|don't|wouldn't|won't|aren't"
    r"|wrong|incorrect|false|excluded?|excludes|excluding|unlikely|least|instead|rather|unless|but|however"
    r"|actually|wait|unsure|uncertain|maybe|perhaps|possibly|either)\b|\brul\w+ out\b",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(r"(?<![\w'])([A-Z])(?![\w'])")
_NEVER_A_LETTER: Final = re.compile(
    r"(?<![\w'])(?:A(?= (?!(?:and|or|nor)\b)[a-z])|I(?=(?: [a-z]|'))"
    r"|(?<=itamin )[A-K]|(?<=epatitis )[A-G]|(?<=[Tt]ype )[A-C]|(?<=[Gg]roup )[A-D]|(?<=[Ff]actor )[IVX]"
    r"|(?<=[Ii]nfluenza )[A-D]|(?<=[Cc]lass )[A-D]|(?<=[Ss]tage )[A-DIV]|(?<=[Gg]rade )[I])(?![\w'])",
)
_AGAIN: Final = re.compile(
    r"\b(?:actually|correction|wait|instead|sorry)\b[^\n]{0,40}?\b(?:is|be|answer:?)\W{0,5}([A-Za-z])\b"
    r"|\bchang(?:e|ed|ing) my (?:mind|answer)\b\W{0,5}(?:\w+\W{1,3}){0,5}?([A-Za-z])\b",
    re.IGNORECASE,
)
"""A second thought that names a letter."""
_REASONS: Final = re.compile(r"(?<=[.;!])\s|,\s|\b(?:because|since|as|given)\b", re.IGNORECASE)
_POINTS: Final = ".:,;)-–— ("


class Reading(NamedTuple):
    """The place of the option that a reply names, from 0, and whether by "letter" or "text"; or `None`, and
    why."""

    place: int | None
    how: str = ""
    why: str = ""


_AT_ODDS: Final = Reading(None, why=SEVERAL)


class _Options(NamedTuple):
    """The options in the order shown, with their letters."""

    texts: Sequence[str]
    letters: str


def read(reply: str, texts: Sequence[str], letters: str = LETTERS) -> Reading:
    """Read a reply to a question with these options, in the order shown, and their letters."""
    options = _Options(texts, letters[: len(texts)])
    text = _undressed(without_thought(reply[:LONGEST]))
    if not text:
        return Reading(None, why=EMPTY)
    forms = [one for one in _FORM.finditer(text) if one[1].strip()]
    if declared := forms or [one for one in _DECLARED.finditer(text) if one[1].strip()]:
        reading = _agreed([_of(one[1].strip(), options) for one in declared])
        rest = text[declared[-1].end() :]
        return reading if reading.place is None or not _taken_back(rest, reading.place, options) else _AT_ODDS
    *before, last = (line.strip() for line in text.splitlines() if line.strip())
    ended = _of(last, options, alone=bool(before))
    if ended.place is not None:
        # A list of the options, weighed one by one, ends with one of them.
        others = [reading for line in before[-_LISTED:] if (reading := _of(line, options)).place is not None]
        return _agreed([*others, ended])
    return Reading(None, why=DECLINED) if declines(text) else ended


def _taken_back(rest: str, place: int, options: _Options) -> bool:
    """Whether the text after an answer names another option as the answer."""
    named = {(one[1] or one[2]).upper() for one in _AGAIN.finditer(rest)} - {options.letters[place]}
    again = {_of(one[1].strip(), options).place for one in _DECLARED.finditer(rest)} - {place, None}
    return bool(named or again)


def _agreed(readings: Sequence[Reading]) -> Reading:
    """The last of several readings, if none says otherwise."""
    return readings[-1] if len({one.place for one in readings}) == 1 else _AT_ODDS


def _of(said: str, options: _Options, *, alone: bool = False) -> Reading:
    """Read one statement. With `alone`, the last line of several: a bare letter with more than its option is
    then a remark on that option."""
    if len(said) > _STATEMENT:
        return Reading(None, why=UNCLEAR)
    if len(said.strip("()[]. ")) > 1 and (at := _by_text(said, options)) is not None:
        return Reading(at, "text")
    lead = _LEAD.match(said)
    rest = said[lead.end() :] if lead else said
    letter = _LETTER.match(rest)
    if letter and (_stands(letter, rest) or letter.end() == len(rest)):
        return _by_letter(letter, rest, options, remark=alone and rest == said)
    if (at := _by_text(rest, options)) is not None:
        return Reading(at, "text")
    return Reading(None, why=_excuse(said))


def _stands(letter: re.Match[str], rest: str) -> bool:
    """Whether a letter stands for an option: as a capital that is no article, or marked as one."""
    after = rest[letter.end() :]
    marked = letter[0].strip() != letter[1] or after[:1] in (".", ":", ")")
    word = re.match(r"[a-z]+", after)
    article = (
        letter[1] in "AI" and word and not (_AFTER.match(after) or word[0] in ("and", "or", "nor", "is"))
    )
    return marked or (letter[1].isupper() and not article)


def _by_letter(letter: re.Match[str], rest: str, options: _Options, *, remark: bool) -> Reading:
    at = options.letters.find(letter[1].upper())
    after = rest[letter.end() :].strip()
    if at < 0:  # it may be an option's text: a label in a picture
        label = _by_text(letter[1], options) if not after.strip(".)") else None
        return Reading(None, why=NO_OPTION) if label is None else Reading(label, "text")
    own, told = options.texts[at], _told(after)
    if told in ("", plain(own)) and not ("?" in after and "?" not in own):
        return Reading(at, "letter")
    if _begins_with(told, options) not in (None, at):
        return Reading(None, why=TWO_TEXTS)
    left = _without(after, own)
    if _others(left, letter[1].upper(), options.letters):
        return Reading(None, why=SEVERAL)
    if not _AFTER.match(after):
        return Reading(None, why=NEGATED if _NEGATION.search(left) else UNCLEAR)
    if "?" in left or _NEGATION.search(_REASONS.split(left.lstrip(_POINTS), maxsplit=1)[0]):
        return Reading(None, why=NEGATED)
    return Reading(None, why=UNCLEAR) if remark else Reading(at, "letter")


def _begins_with(told: str, options: _Options) -> int | None:
    """The place of the option with whose text a text begins, of several the longest."""
    texts = [plain(one) for one in options.texts]
    there = [at for at, one in enumerate(texts) if one and re.match(rf"{re.escape(one)}(?!\w)", told)]
    return max(there, key=lambda at: len(texts[at]), default=None)


def _told(after: str) -> str:
    """The text that stands after a letter, without points and the brackets around it."""
    bare = after.lstrip(".:,;)-–— ").rstrip(". ")
    return plain(bare[1:-1] if bare.startswith("(") and bare.endswith(")") else bare)


def _by_text(said: str, options: _Options) -> int | None:
    """The place of the one option whose text this is."""
    wanted = plain(said)
    same = [at for at, one in enumerate(options.texts) if wanted and plain(one) == wanted]
    return same[0] if len(same) == 1 else None


def _others(text: str, own: str, letters: str) -> bool:
    """Whether a text names the letter of another option: as a capital that is no article and no vitamin."""
    kept = _NEVER_A_LETTER.sub(" ", text)
    return any(one != own and one in letters for one in _ALONE.findall(kept))


def _without(text: str, option: str) -> str:
    """A text without an option's own, which may hold letters and negations ("no treatment", "vitamin C")."""
    return re.sub(re.escape(option.strip()), " ", text, flags=re.IGNORECASE)


def _excuse(said: str) -> str:
    if _NEGATION.search(said):
        return NEGATED
    return SEVERAL if len(set(_ALONE.findall(_NEVER_A_LETTER.sub(" ", said)))) > 1 else UNCLEAR


def _undressed(text: str) -> str:
    """A text without marks of layout: bold, code, LaTeX boxes."""
    bare = _DRESS.sub("", safe(text.replace("’", "'")))
    bare = _BRACES.sub(r"\1", bare)
    return re.sub(r"</?(?:answer|option)>", " ", bare, flags=re.IGNORECASE).strip()
