"""Whether two names mean the same diagnosis, by words and vocabulary; every verdict says why.

The rule, after the dermatologists' labels this is measured on: the same condition under another name is the
same; a broader answer counts where the reference is a kind of it ("psoriasis" for "psoriasis vulgaris") if
it keeps the noun and names more than "cancer" or "infection"; a narrower answer or a sibling does not.
A negated name names nothing. A list is one answer too many, unless each part means the reference
(`lists="accept"`: unless no part does). What follows "due to" or "with" qualifies a name and is not a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.judging.wording import OPPOSED, Name, is_known, name_of, slip, tables, words_of

Lists = Literal["reject", "accept"]
LONGEST: Final = 500

_INNER: Final = re.compile(r"\(([^()]{1,120})\)|\[([^\[\]]{1,120})\]")
_LEAD: Final = re.compile(
    r"^\W*(?:(?:the|my|a|most|likely|probable|final|working|leading|primary|main|provisional|single|best|i"
    r"|think|believe|would|say|this|it|is|patient|has|have|he|she|suffers|from|diagnosis|dx|impression|answer"
    r"|consistent|compatible|suggestive|suspicious|with|of|for|concern|case|picture|clinical|that)\b[\s:,-]{1,4}){1,12}"
)
_LEAD_ENDS: Final = re.compile(
    r"\b(?:diagnosis|dx|impression|answer|is|has|with|of|for|case|picture)\b[\s:,-]*$"
)
_REASONS: Final = re.compile(
    r"\b(?:given|based on|because|as evidenced by|supported by|rather than|instead of|as opposed to)\b"
)
_SPLIT: Final = re.compile(
    r"[,;/\n|]|\.\s|\s[-–—]\s|(?<!type )\b\d{1,2}[.)]\s|\b(?:or|vs|versus|and/or|followed by|alternatively)\b"
)
_AND: Final = re.compile(r"\band\b|\bplus\b|\+")
_NOT: Final = re.compile(
    r"\b(?:not(?! otherwise)|isn'?t|unlikely|less likely|rul(?:e|es|ed|ing) out|r/o|exclud\w{0,4}"
    r"|negative for|denies|absence of|no(?= [a-z]))\b"
)
_LASTING: Final = frozenset(
    {"dermatitis", "folliculitis", "cheilitis", "balanitis", "stomatitis", "vasculitis", "arthritis"}
)
_SIGNS: Final = frozenset({"eruption", "lesion", "skin", "infection", "itch", "pruritus", "patch", "plaque"})
_GRAFT: Final = re.compile(r"\bgraft[\s-](?:versus|vs\.?)[\s-]host\b")
_RULE_OUT: Final = re.compile(r"\br/o\b")
_NOTHING: Final = frozenset({"", "none", "multiple", "unknown", "na", "unclear", "undetermined", "uncertain"})


class Verdict(NamedTuple):
    """Whether a candidate means the reference, and why, in one line."""

    same: bool
    why: str


def equivalent(
    candidate: str, reference: str, accepts: Sequence[str] = (), lists: Lists = "reject"
) -> Verdict:
    """Whether `candidate` means `reference`, or one of its other right wordings `accepts`."""
    if len(candidate) > LONGEST:
        return Verdict(False, f"longer than one diagnosis can be ({LONGEST} characters)")
    return _equivalent(candidate, (reference, *accepts), lists)


@lru_cache(maxsize=16384)
def _equivalent(candidate: str, references: tuple[str, ...], lists: Lists) -> Verdict:
    # In any script: the rules below read Latin letters only.
    if (said := candidate.strip().casefold()) and said in (name.strip().casefold() for name in references):
        return Verdict(True, "the same words")
    text = _without_lead(_plain(candidate))
    if "".join(words_of(text)) in _NOTHING:
        return Verdict(False, "names no diagnosis")
    verdict = Verdict(False, "names no diagnosis")
    for reference in references:
        verdict = _against(text, reference, lists)
        if verdict.same:
            break
    return verdict


def _against(text: str, reference: str, lists: Lists) -> Verdict:
    wanted = _readings_of_reference(reference)
    negated = _NOT.search(text)
    if not negated:
        whole = name_of(_INNER.sub(" ", text))
        for name in wanted:
            if (why := _identical(whole, name)) is not None:
                return _check_inner(text, name, why)
    parts = [part for part in _parts(text, lists) if not _NOT.search(part)]
    if not parts:
        return Verdict(False, "the answer denies rather than names" if negated else "names no diagnosis")
    verdicts = [_part(part, wanted) for part in parts]
    if lists == "accept":
        return next((v for v in verdicts if v.same), verdicts[0])
    if all(v.same for v in verdicts):
        return verdicts[0]
    if len(verdicts) > 1:
        return Verdict(False, f"names several ({len(verdicts)}), and not all of them mean the reference")
    return verdicts[0]


def _plain(text: str) -> str:
    """Lower case; "r/o" and "graft versus host" are no lists."""
    return _GRAFT.sub("gvhd", _RULE_OUT.sub("rule out", text.lower()))


def _without_lead(text: str) -> str:
    """The text without "The most likely diagnosis is" before it, and without reasons after it."""
    lead = _LEAD.match(text)
    if lead and _LEAD_ENDS.search(lead.group()):
        text = text[lead.end() :]
    reasons = _REASONS.search(text)
    return (text[: reasons.start()] if reasons and reasons.start() else text).strip(" \t\n.:;,!\"'*")


def _parts(text: str, lists: Lists) -> Iterator[str]:
    """The diagnoses a text names; parts that only qualify ("stage 1") are not diagnoses."""
    pieces = _SPLIT.split(text)
    if lists == "accept":
        pieces = [*pieces, *(half for piece in pieces for half in _AND.split(piece))]
    for piece in pieces:
        if piece and (name_of(_INNER.sub(" ", piece)).core or _NOT.search(piece)):
            yield piece


@lru_cache(maxsize=4096)
def _readings_of_reference(reference: str) -> tuple[Name, ...]:
    """The names a reference goes by: itself, and what stands in brackets where that is a name of its own."""
    text = _plain(reference)
    outer = name_of(_INNER.sub(" ", text))
    readings = [outer]
    for inner in _inners(text):
        name = name_of(inner)
        if is_known(name) or len(name.core) > 1 or _initials(inner, outer):
            readings.append(name)
    return tuple(readings)


def _inners(text: str) -> list[str]:
    return [first or second for first, second in _INNER.findall(text)]


def _part(part: str, wanted: Sequence[Name]) -> Verdict:
    outer = name_of(_INNER.sub(" ", part))
    verdict = Verdict(False, "another condition")
    for name in wanted:
        verdict = _compare(outer, name)
        if verdict.same:
            return _check_inner(part, name, verdict.why)
    for inner in _inners(part):
        read = name_of(inner)
        akin = not is_known(outer) or bool(outer.core & read.core) or _initials(inner, outer)
        if akin and not outer.core - read.core and any(_compare(read, name).same for name in wanted):
            return Verdict(True, "the name in brackets means the reference")
    return verdict


def _check_inner(text: str, wanted: Name, why: str) -> Verdict:
    """A known other condition in brackets makes two answers of one."""
    for inner in _inners(text):
        read = name_of(inner)
        related = (
            bool(read.core & wanted.core)
            or _compare(read, wanted).same
            or any(wanted.core == kind.core for kind in _broader(read))
        )
        if is_known(read) and not related:
            return Verdict(False, "names another condition in brackets")
    return Verdict(True, why)


def _broader(name: Name) -> tuple[Name, ...]:
    """The broader conditions the vocabulary says this one is a kind of."""
    known = tables().broader
    return known.get((name.core, name.course)) or known.get((name.core, frozenset()), ())


def _opposed(one: Name, other: Name) -> bool:
    return any(
        one.course & group and other.course & group and not one.course & other.course for group in OPPOSED
    )


def _identical(candidate: Name, wanted: Name) -> str | None:
    if not candidate.core or candidate.course != wanted.course or candidate.rest != wanted.rest:
        return None
    return "the same name" if candidate.core == wanted.core else None


def _compare(candidate: Name, wanted: Name) -> Verdict:
    if not candidate.core:
        return Verdict(False, "names no diagnosis")
    if _opposed(candidate, wanted):
        return Verdict(False, "the course or the side is the opposite one")
    if candidate.rest and wanted.rest and not candidate.rest <= wanted.rest:
        return Verdict(False, "another cause or company")
    core = _spelt_alike(candidate.core, wanted.core)
    if core == wanted.core:
        if not wanted.course and _narrowed(candidate.course, wanted.heads):
            return Verdict(False, "narrower than the reference")
        return Verdict(True, "the same condition")
    if core | candidate.rest == wanted.core | wanted.rest:
        return Verdict(True, "the same condition, told in another order")
    if candidate.core <= _SIGNS and candidate.rest == wanted.core:
        return Verdict(True, "a sign of it, told with its cause")
    if len(candidate.order) == 1 and _initials(candidate.order[0], wanted):
        return Verdict(True, "its initials")
    if candidate.rest - wanted.core - wanted.rest:
        return Verdict(False, "another condition, or another cause of it")
    kinds = [kind for kind in _broader(wanted) if candidate.course <= kind.course | wanted.course]
    if any(core == kind.core for kind in kinds):
        return Verdict(True, "broader: the reference is a kind of it")
    if any(core < kind.core and core & kind.heads for kind in (wanted, *kinds)):
        if core <= tables().generic and not (len(core) > 1 and is_known(candidate)):
            return Verdict(False, "too general to name a condition")
        return Verdict(True, "broader: the reference is a kind of it")
    if core > wanted.core:
        if core - wanted.core <= tables().sites and not wanted.core <= tables().generic | tables().sites:
            return Verdict(True, "the same condition, with its place")
        return Verdict(False, "narrower than the reference, or more than it")
    return Verdict(False, "another condition")


def _narrowed(course: frozenset[str], heads: frozenset[str]) -> bool:
    """Whether the course alone makes a name narrower: an unqualified "-itis" is taken as the acute one."""
    acute = any(word.endswith("itis") and word not in _LASTING for word in heads)
    return "subacute" in course or ("chronic" in course and acute)


def _initials(text: str, name: Name) -> bool:
    """Whether a short unknown word is made of the first letters of a name of three words or more."""
    word = text.strip().lower()
    known = tables().names
    return (
        3 <= len(word) <= 6
        and len(name.order) >= 3
        and word not in known
        and word == "".join(part[0] for part in name.order)
    )


def _spelt_alike(core: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    """The candidate's words, with slips of the pen put right after the reference's words."""
    missing = wanted - core
    if not missing or core <= wanted:
        return core
    mended = set(core)
    for word in sorted(core - wanted):
        for other in sorted(missing):
            if slip(word, other):
                mended.discard(word)
                mended.add(other)
                break
    return frozenset(mended)
