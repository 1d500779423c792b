"""The polarity of a rubric item, for or against the examinee, read from its wording.

"Fails to wash hands" and "uses jargon" count against, "does not interrupt" and "avoids jargon" count for. A
negation flips what is in its scope: something good ("ask", "wash") or bad ("interrupt", "rush"), and a double
negation cancels out. The object of recognizing, explaining or correcting may be described in any words:
"recognizes an inappropriate dose" counts for. Where leaving a treatment out may be right or wrong, the
reading is not sure.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.cases.rubrics.wording import (
    ASIDE,
    ASKED,
    AUXILIARY,
    AVOID,
    BAD_LABEL,
    BAD_OBJECT,
    BELITTLES,
    BULLET,
    BUT,
    CALLED_BAD,
    FAIL,
    LABEL,
    LEADING,
    LEADING_LACK,
    LEFT_UNDONE,
    NO,
    NOT,
    NOT_LACKING,
    PROMPTED,
    SHOULD_NOT,
    STOP,
    SUBJECT,
    USES_BAD,
    WITHOUT,
    WORD,
    begins,
    pattern,
)

_REACH: Final = 7
_SOUGHT: Final = 4


class Polarity(NamedTuple):
    """The polarity of an item.

    `by_absence`: it holds because something was not done. `sure` is whether the wording decides it.
    """

    negative: bool = False
    by_absence: bool = False
    sure: bool = True


def polarity(text: str) -> Polarity:
    """The polarity of an item's text."""
    return _read(_plain(text))


def acts(text: str) -> bool:
    """Whether an item begins with a verb of doing, negated or not."""
    clause = _clause(_plain(text))
    denied = denied_kernel(text)
    return any(
        begins(part, kind) for part in (clause, denied) for kind in ("good", "speaking", "intervention")
    )


def denied_kernel(text: str) -> str:
    """The scope of the negation in an item that holds by absence, in lower case; else the whole text."""
    clause = _clause(_plain(text))
    for form in (FAIL, SHOULD_NOT, NOT, AVOID, NO):
        if match := form.match(clause):
            return clause[match.end() :]
    return LEFT_UNDONE.sub(r"\1", clause)


def _plain(text: str) -> str:
    low = " ".join(text.lower().replace("’", "'").split())
    return BULLET.sub("", low[:2000])


def _read(low: str, labels: int = 3) -> Polarity:
    label = LABEL.match(low) if labels else None
    if label and len(low) - label.end() > 3:
        rest = low[label.end() :]
        if BAD_LABEL.search(label[1]) and not _speaks(label[1]):
            return Polarity(negative=True)
        inner = _read(rest, labels - 1)
        return inner if inner.negative or inner.by_absence else _sentence(low)
    return _sentence(low)


def _sentence(low: str) -> Polarity:
    clause = _clause(low)
    if LEADING_LACK.match(low) or (CALLED_BAD.search(low) and not _speaks(clause)):
        return Polarity(negative=True)
    found = _verdict(clause)
    if not found.negative and not found.by_absence:
        if PROMPTED.search(low):
            return Polarity(negative=True, sure=False)
        if BUT.search(low[: _first_aside(low)]) and not _speaks(
            clause[: _first_stop(clause)], only_first=False
        ):
            return Polarity(negative=True, sure=False)
    return found


def _clause(low: str) -> str:
    """The text from its main verb on, without subject and auxiliaries."""
    for _ in range(2):
        low = LEADING.sub("", low)
    clause = SUBJECT.sub("", low, count=1)
    for _ in range(4):
        shorter = AUXILIARY.sub("", clause, count=1)
        if shorter == clause or not shorter:
            break
        clause = shorter
    return clause


def _verdict(clause: str, depth: int = 0) -> Polarity:
    if depth > 3 or not clause or ASKED.match(clause):
        return Polarity()
    for form, rule in (
        (FAIL, _failed),
        (SHOULD_NOT, _forbidden),
        (NOT, _not),
        (AVOID, _avoided),
        (NO, _none),
    ):
        if match := form.match(clause):
            return rule(clause[match.end() :], depth)
    if _is_bad(clause):
        return Polarity(negative=True)
    return _left_undone(clause)


def _failed(kernel: str, depth: int) -> Polarity:
    inner = _verdict(kernel, depth + 1)
    return Polarity(negative=not inner.negative, by_absence=True)


def _forbidden(kernel: str, depth: int) -> Polarity:
    inner = _verdict(kernel, depth + 1)
    return Polarity(negative=inner.by_absence and not inner.negative, by_absence=True, sure=inner.sure)


def _not(kernel: str, depth: int) -> Polarity:
    kernel = AUXILIARY.sub("", kernel)
    if kernel.startswith(("only ", "just ", "merely ")):
        return Polarity()
    inner = _verdict(kernel, depth + 1)
    if inner.negative or inner.by_absence or _bad_near(kernel):
        spared = inner.negative or (not inner.by_absence and _bad_near(kernel))
        return Polarity(negative=not spared, by_absence=True)
    first = _first(kernel)
    if begins(kernel, "good") or begins(kernel, "speaking"):
        return Polarity(negative=True, by_absence=True)
    if begins(kernel, "intervention"):
        return Polarity(negative=False, by_absence=True, sure=False)
    return Polarity(negative=True, by_absence=True, sure=bool(first) and first.endswith(("ed", "ing")))


def _avoided(kernel: str, depth: int) -> Polarity:
    sought = pattern("sought").search(" ".join(WORD.findall(kernel)[:_SOUGHT]))
    return Polarity(negative=sought is not None and not _bad_near(kernel), by_absence=True)


def _none(kernel: str, depth: int) -> Polarity:
    spared = begins(kernel, "avoidable") or _bad_near(kernel, reach=3)
    return Polarity(negative=not spared, by_absence=True, sure=not spared or _bad_near(kernel, reach=3))


def _is_bad(clause: str) -> bool:
    if begins(clause, "innocent"):
        return False
    if USES_BAD.match(clause) or BELITTLES.match(clause) or begins(clause, "bad_start"):
        return True
    main = clause[: _first_stop(clause)]
    first = _first(main)
    if first and not first.endswith(("ing", "ion", "ment", "ity", "ure")) and begins(main, "adverse"):
        return True
    words = WORD.findall(main)
    if len(words) > 1 and any(
        word.endswith("ly") and _word_in(word, "badly") for word in (words[0], words[-1])
    ):
        return True
    if _speaks(main):
        return False
    return BAD_OBJECT.match(main) is not None or _lacks(clause)


def _lacks(clause: str) -> bool:
    """Whether something is done "without" what ought to accompany it."""
    return any(
        not NOT_LACKING.match(match[1]) and begins(match[1], "good") for match in WITHOUT.finditer(clause)
    )


def _left_undone(clause: str) -> Polarity:
    """The polarity of passives: "hands were not washed", "allergies not asked about"."""
    main = clause[: _first_stop(clause)]
    match = LEFT_UNDONE.search(main)
    if not match or _speaks(main[: match.start()]):
        return Polarity()
    if begins(match[1], "adverse"):
        return Polarity(by_absence=True)
    treatment = begins(match[1], "intervention")
    return Polarity(negative=not treatment, by_absence=True, sure=not treatment)


def _speaks(main: str, only_first: bool = True) -> bool:
    """Whether the verb of a clause is one of speech or recognition."""
    words = WORD.findall(main)
    return any(_word_in(word, "speaking") for word in (words[:2] if only_first else words[:4]))


def _bad_near(kernel: str, reach: int = _REACH) -> bool:
    """Whether what is negated is bad: a bad word nearby, unless it is only the object of a verb of speech."""
    if BELITTLES.match(kernel):
        return True
    if _speaks(kernel) and not begins(kernel, "adverse"):
        return bool(USES_BAD.match(kernel))
    near = " ".join(WORD.findall(kernel[: _first_stop(kernel)])[:reach])
    near = pattern("innocent").sub(" ", near)
    return pattern("adverse").search(near) is not None


def _first(text: str) -> str:
    match = WORD.search(text)
    return match[0] if match else ""


def _first_stop(clause: str) -> int:
    match = STOP.search(clause, 1)
    return match.start() if match else len(clause)


def _first_aside(low: str) -> int:
    match = ASIDE.search(low)
    return match.start() if match else len(low)


def _word_in(word: str, kind: str) -> bool:
    return begins(word, kind) and not (kind != "innocent" and begins(word, "innocent"))
