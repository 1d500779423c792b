"""Diagnosis matching: whether two names mean the same diagnosis, by words and vocabulary, with the reason.

The rules, as found in the dermatologists' labels the matcher is evaluated on (CRAFT-MD; a few deviate):

    another name, spelling, order or its initials     same      "pernio", "chilblains"; "AGEP"
    the parent of the reference, if it is a condition same      "psoriasis" for "psoriasis vulgaris"
    a word as wide as "cancer", "rash" or "infection" not       unless the vocabulary names it as the parent
    a kind of the reference, or a sibling             not       "cold urticaria" for "urticaria"
    the kind that an organ makes of a whole disease   not       "cutaneous anthrax" for "anthrax"
    a site, a germ or a cause added to the reference  same      "melanoma of the back"; "x due to y"
    a cause or association not in the reference       not       "x due to z" for "x due to y"
    severity, degree of certainty, "early", "NOS"     same      "probable severe x"
    "chronic" or "acute" added                        same      but "chronic" to an "-itis" that may be acute
    the opposite course or side, a negated name       not       "not x", "x ruled out"
    a list, or a name in brackets, with the reference same      only with `lists="accept"`, as those labels do

Otherwise a list is wrong unless each part means the reference or only gives context ("x, new type 1
diabetes"). What follows "due to" or "with" qualifies a name and is not a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.judging.diagnosis.names import OPPOSED, Name, is_known, name_of, name_with_cause, slip, tables
from osler.judging.diagnosis.words import initials_of, words_of

Lists = Literal["reject", "accept"]
LONGEST: Final = 500

_INNER: Final = re.compile(r"\(([^()]{1,120})\)|\[([^\[\]]{1,120})\]")
_LEAD: Final = re.compile(
    r"^\W*(?:(?:the|my|a|most|likely|probable|final|working|leading|primary(?= (?:diagnosis|dx|impression))"
    r"|main|provisional|single|best|i"
    r"|think|believe|would|say|this|it|is|patient|has|have|he|she|suffers|from|diagnosis|dx|impression|answer"
    r"|consistent|compatible|suggestive|suspicious|with|of|for|concern|case|picture|clinical|that)\b[\s:,-]{1,4})"
    r"{1,12}"
)
_LEAD_ENDS: Final = re.compile(
    r"\b(?:diagnosis|dx|impression|answer|is|has|with|of|for|case|picture)\b[\s:,-]*$"
)
_SURENESS: Final = re.compile(
    r"^(?:(?:most |very )?(?:likely|probabl[ey]|possibl[ey]|presumed|suspected)\s+)+"
)
_REASONS: Final = re.compile(
    r"\b(?:given|based on|because|as evidenced by|supported by|rather than|instead of|as opposed to)\b"
)
_SPLIT: Final = re.compile(
    r"[,;/\n|]|(?<=\w\w)\.\s|\s[-–—]\s|(?<!type )\b\d{1,2}[.)]\s"
    r"|\b(?:or|vs|versus|and/or|followed by|alternatively)\b"
)
_AND: Final = re.compile(r"\band\b|\bplus\b|\+")
_NOT: Final = re.compile(
    r"\b(?:not(?! otherwise)|isn'?t|unlikely|less likely|rul(?:e|es|ed|ing) out|r/o|exclud\w{0,4}"
    r"|negative for|denies|no(?= [a-z]))\b"
)
_ABSENT: Final = re.compile(r"\b(?:absence|absent|agenesis|aplasia)\b")
_ABSENCE_OF: Final = re.compile(r"(?<!congenital )(?<!bilateral )(?<!complete )(?<!partial )\babsence of\b")
_CONTEXT: Final = re.compile(
    r"\W*(?:new(?:ly)?|first presentation|underlying|known|pre-?existing|(?:on a )?background|history of)\b"
)
_PRESENTS: Final = re.compile(r"\b(?:presenting (?:with|as)|manifesting as|manifested by|complicated by)\b")
_NOUN: Final = re.compile(r"(?:itis|osis|iasis|oma|mia|derma|pathy|plasia|penia|algia|rrhea|uria|lysis)$")
_LASTING: Final = frozenset(
    {"dermatitis", "folliculitis", "cheilitis", "balanitis", "stomatitis", "vasculitis", "arthritis"}
)
_SIGNS: Final = frozenset({"eruption", "lesion", "skin", "infection", "itch", "pruritus", "patch", "plaque"})
_GRAFT: Final = re.compile(r"\bgraft[\s-](?:versus|vs\.?)[\s-]host\b")
_RULE_OUT: Final = re.compile(r"\br/o\b")
_NOTHING: Final = frozenset({"", "none", "multiple", "unknown", "na", "unclear", "undetermined", "uncertain"})


class Verdict(NamedTuple):
    """The verdict on whether a candidate means the reference, with the reason in one line."""

    same: bool
    why: str


def equivalent(
    candidate: str, reference: str, accepts: Sequence[str] = (), lists: Lists = "reject"
) -> Verdict:
    """Judge whether `candidate` means `reference` or one of its other right wordings, `accepts`."""
    if len(candidate) > LONGEST:
        return Verdict(False, f"longer than one diagnosis can be ({LONGEST} characters)")
    return _equivalent(candidate, (reference, *accepts), lists)


@lru_cache(maxsize=16384)
def _equivalent(candidate: str, references: tuple[str, ...], lists: Lists) -> Verdict:
    # This works in any script; the rules below read Latin letters only.
    if (said := candidate.strip().casefold()) and said in (name.strip().casefold() for name in references):
        return Verdict(True, "the same words")
    text = _SURENESS.sub("", _without_lead(_plain(candidate)))
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
    lacking = _ABSENT.search(reference.lower()) is not None
    negated = _denies(text, lacking)
    if not negated and not _lists_known(text):
        whole = _read(text)
        for name in wanted:
            if (why := _identical(whole, name)) is not None:
                return Verdict(True, why) if lists == "accept" else _check_inner(text, name, why)
    parts = [part for part in _parts(text, lists) if not _denies(part, lacking)]
    if not parts:
        return Verdict(False, "the answer denies rather than names" if negated else "names no diagnosis")
    letters = initials_of(_INNER.sub(" ", reference))
    verdicts = [_part(part, wanted, letters) for part in parts]
    if lists == "accept":
        return next((v for v in verdicts if v.same), verdicts[0])
    if all(v.same for v in verdicts):
        return verdicts[0]
    if len(verdicts) > 1:
        return Verdict(False, f"names several ({len(verdicts)}), and not all of them mean the reference")
    return verdicts[0]


def _lists_known(text: str) -> bool:
    """Whether a text names several known conditions, whose words together may form yet another."""
    pieces = [name_of(_INNER.sub(" ", piece)) for piece in _SPLIT.split(text)]
    return len(pieces) > 1 and all(piece.core and is_known(piece) for piece in pieces)


def _denies(text: str, lacking: bool) -> bool:
    """Whether a text negates a name; "absence of" does not if the reference is itself an absence."""
    if _NOT.search(text):
        return True
    return bool(_ABSENCE_OF.search(text)) and not (lacking or is_known(name_of(text)))


def _plain(text: str) -> str:
    """Lower-case a text and rewrite "r/o" and "graft versus host", which are not lists."""
    return _GRAFT.sub("gvhd", _RULE_OUT.sub("rule out", text.lower()))


def _without_lead(text: str) -> str:
    """The text without a leading "The most likely diagnosis is" and without trailing reasons."""
    lead = _LEAD.match(text)
    if lead and _LEAD_ENDS.search(lead.group()):
        text = text[lead.end() :]
    reasons = _REASONS.search(text)
    return (text[: reasons.start()] if reasons and reasons.start() else text).strip(" \t\n.:;,!\"'*")


def _parts(text: str, lists: Lists) -> Iterator[str]:
    """The diagnoses named in a text, without parts that only qualify ("stage 1", "new type 1 diabetes")."""
    first, *others = _SPLIT.split(text)
    if lists == "accept":
        others += [half for piece in (first, *others) for half in (*_AND.split(piece), *_inners(piece))]
    else:
        others = [piece for piece in others if not _CONTEXT.match(piece)]
    for piece in (first, *others):
        if piece and (name_of(_INNER.sub(" ", piece)).core - tables().sites or _denies(piece, lacking=False)):
            yield piece


@lru_cache(maxsize=4096)
def _readings_of_reference(reference: str) -> tuple[Name, ...]:
    """The names of a reference: itself, and the text in brackets if that is a name by itself."""
    text = _plain(reference)
    outer = name_of(_INNER.sub(" ", text))
    readings = [outer]
    for inner in _inners(text):
        name = name_of(inner)
        if is_known(name) or len(name.core) > 1 or _initials(inner, outer):
            readings.append(name)
        readings.append(name_of(f"{inner} {_INNER.sub(' ', text)}"))
    caused = name_with_cause(_INNER.sub(" ", text))
    return (*readings, caused) if caused else tuple(readings)


def _read(text: str) -> Name:
    """Read a name, including the text in brackets if that makes it a known subtype."""
    outer = _INNER.sub(" ", text)
    for inner in _inners(text):
        kind = name_of(f"{inner} {outer}")
        if name_of(inner).core and is_known(kind) and not is_known(name_of(inner)):
            return kind
    return name_of(outer)


def _inners(text: str) -> list[str]:
    return [first or second for first, second in _INNER.findall(text)]


def _part(part: str, wanted: Sequence[Name], letters: str) -> Verdict:
    outer = _read(part)
    if len(outer.order) == 1 and outer.order[0] == letters and letters not in tables().names:
        return Verdict(True, "its initials")
    verdict = Verdict(False, "another condition")
    for name in wanted:
        verdict = _compare(outer, name)
        if verdict.same:
            return _check_inner(part, name, verdict.why)
    caused = name_with_cause(_INNER.sub(" ", part))
    if caused and any(_compare(caused, name).same for name in wanted):
        return Verdict(True, "the same condition, told with its cause")
    for inner in _inners(part):
        read = name_of(inner)
        short = _INNER.sub(" ", part).strip() == initials_of(inner)
        akin = not is_known(outer) and (not outer.core - read.core or is_known(read))
        if (akin or short) and any(_compare(read, name).same for name in wanted):
            return Verdict(True, "the name in brackets means the reference")
    if len(sides := _PRESENTS.split(part, maxsplit=1)) > 1:
        shown = _part(sides[1], wanted, letters)
        return shown if shown.same else verdict
    return verdict


def _check_inner(text: str, wanted: Name, why: str) -> Verdict:
    """Reject a match whose brackets name another known condition, which makes it two answers."""
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
    """The broader conditions of which this is a kind, by the vocabulary."""
    known, none = tables().broader, frozenset[str]()
    shapes = ((name.core, name.course, name.rest), (name.core, name.course, none), (name.core, none, none))
    return next((known[shape] for shape in shapes if known.get(shape)), ())


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
    if not (candidate.rest <= wanted.rest or wanted.rest <= candidate.rest):
        return Verdict(False, "another cause or company")
    core = _spelt_alike(candidate.core, wanted.core)
    if core == wanted.core:
        if not wanted.course and _narrowed(candidate, wanted.heads):
            return Verdict(False, "narrower than the reference")
        return Verdict(True, "the same condition")
    if core | candidate.rest == wanted.core | wanted.rest:
        return Verdict(True, "the same condition, told in another order")
    if candidate.core <= _SIGNS and candidate.rest == wanted.core:
        return Verdict(True, "a sign of it, told with its cause")
    if len(candidate.order) == 1 and _initials(candidate.order[0], wanted):
        return Verdict(True, "its initials")
    if _adds_only_place_or_cause(candidate, core - wanted.core, wanted):
        return Verdict(True, "the same condition, with its place or cause")
    if candidate.rest - wanted.core - wanted.rest:
        return Verdict(False, "another condition, or another cause of it")
    kinds = [kind for kind in _broader(wanted) if candidate.course <= kind.course | wanted.course]
    if any(core == kind.core for kind in kinds):
        return Verdict(True, "broader: the reference is a kind of it")
    acute = any(word.endswith("itis") for word in wanted.heads) and candidate.course <= {"acute"}
    parents = (wanted, *kinds) if acute or candidate.course <= wanted.course else kinds
    if any(core < kind.core and core & kind.heads for kind in parents):
        if not _says_enough(candidate, core):
            return Verdict(False, "too general to name a condition")
        return Verdict(True, "broader: the reference is a kind of it")
    if core > wanted.core:
        return Verdict(False, "narrower than the reference, or more than it")
    return Verdict(False, "another condition")


def _says_enough(candidate: Name, core: frozenset[str]) -> bool:
    """Whether part of a name is specific enough to name a condition: "keratosis" and "stain" are not."""
    if len(core) == 1:
        return not core <= tables().generic and (is_known(candidate) or _NOUN.search(min(core)) is not None)
    return is_known(candidate) or not core <= tables().generic


def _adds_only_place_or_cause(candidate: Name, surplus: frozenset[str], wanted: Name) -> bool:
    """Whether a candidate unknown to the vocabulary adds only a site, a cause or a broader kind."""
    above = frozenset(word for kind in _broader(wanted) for word in kind.core)
    return (
        candidate.core > wanted.core
        and surplus <= tables().sites | tables().causes | above
        and not wanted.core <= tables().generic | tables().sites
        and not is_known(candidate)
    )


def _narrowed(candidate: Name, heads: frozenset[str]) -> bool:
    """Whether the course alone makes a name narrower: an unqualified "-itis" is taken as acute."""
    acute = any(word.endswith("itis") and word not in _LASTING for word in heads)
    own = (candidate.core, candidate.course, candidate.rest) in tables().broader
    return "subacute" in candidate.course or ("chronic" in candidate.course and (acute or own))


def _initials(text: str, name: Name) -> bool:
    """Whether a short unknown word is the initials of the name or of a synonym."""
    word, known = text.strip().lower(), tables()
    if not 2 <= len(word) <= 6 or word in known.names:
        return False
    return name.core in known.initials.get(word, ()) or (
        len(name.order) >= 3 and word == "".join(part[0] for part in name.order)
    )


def _spelt_alike(core: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    """The candidate's words, with misspellings corrected to the reference's words."""
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
