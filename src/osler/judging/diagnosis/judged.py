"""The verdict on an answer to a diagnosis, by the physicians' convention.

An answer that entails the reference is right; one that says less is `broader` and is not.

    same, narrower           right
    narrower_unsupported     narrower, by a cause, organism or subtype that nothing in the case bears out
    broader                  the reference is a kind of it, or it leaves out a part of the reference
    list                     several diagnoses, of which not all mean the reference
    different                anything else, also what names no diagnosis
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from osler.judging.diagnosis.entail import additions, adds_kind, entails, is_name, names, rivals, spelt_out
from osler.judging.diagnosis.phrases import Link, Phrase, Phrasing, answer_of, reference_of
from osler.judging.diagnosis.support import Record, borne_out
from osler.judging.diagnosis.vocabulary import data
from osler.judging.diagnosis.words import words_of

Word = Literal["same", "narrower", "narrower_unsupported", "broader", "different", "list"]
VOCABULARY: Final = (data(),)
"""All text that a verdict depends on besides the code, for a judge's version."""
CONVENTION: Final = "physician"
LONGEST: Final = 500
RIGHT: Final[frozenset[Word]] = frozenset({"same", "narrower"})
_BEST: Final[tuple[Word, ...]] = ("same", "narrower", "narrower_unsupported", "broader", "list", "different")


class Judged(NamedTuple):
    """A verdict in one word, and why, in a line."""

    verdict: Word
    why: str

    @property
    def right(self) -> bool:
        """Whether it counts as right."""
        return self.verdict in RIGHT


def judged(
    answer: str,
    reference: str,
    accepts: Sequence[str] = (),
    *,
    case: Record | None = None,
) -> Judged:
    """Judge an answer against a reference or the best fitting of its other right wordings, `accepts`.

    Without a `case`, `narrower_unsupported` is never said.
    """
    if len(answer) > LONGEST:
        return Judged("different", f"longer than one diagnosis can be ({LONGEST} characters)")
    return min(
        (_judged(answer, wording, case) for wording in (reference, *accepts)),
        key=lambda found: _BEST.index(found.verdict),
    )


def _judged(answer: str, reference: str, case: Record | None) -> Judged:
    result, asserted = _compared(answer, reference)
    if result.verdict != "narrower" or case is None or asserted is None:
        return result
    for addition in asserted:
        if not any(borne_out(words, case) for words in addition):
            text = " ".join(addition[0])
            return Judged("narrower_unsupported", f"nothing in the case bears out {text!r}")
    return result


Added = tuple[tuple[tuple[str, ...], ...], ...]


@lru_cache(maxsize=16384)
def _compared(answer: str, reference: str) -> tuple[Judged, Added | None]:
    if answer.strip().casefold() == reference.strip().casefold() and answer.strip():
        return Judged("same", "the same words"), None
    result = _read(answer, reference, apart=False)
    if result[0].verdict in ("broader", "different"):
        again = _read(answer, reference, apart=True)
        return again if again[0].right else result
    return result


def _read(answer: str, reference: str, *, apart: bool) -> tuple[Judged, Added | None]:
    told, phrasings = answer_of(answer, apart), reference_of(reference, apart)
    if not told.told:
        return Judged("different", "it names no diagnosis"), None
    if not phrasings or not all(map(is_name, phrasings)):
        # A sentence, a number or a drug: it is the same words or it is something else.
        same = words_of(answer) == words_of(reference) != ()
        return Judged("same" if same else "different", "the reference names no known condition"), None
    best = [
        min((_one(phrasing, each) for each in phrasings), key=lambda found: _BEST.index(found[0].verdict))
        for phrasing in told.told
    ]
    worst = max(best, key=lambda found: _BEST.index(found[0].verdict))
    if not told.listed or worst[0].right:
        return worst
    if any(found.right for found, _ in best):
        return Judged("list", f"names several ({len(best)}), and not all of them mean the reference"), None
    return worst[0] if worst[0].verdict == best[0][0].verdict else Judged("list", "names several"), None


def _one(phrasing: Phrasing, wanted: Phrasing) -> tuple[Judged, Added | None]:
    phrasing = spelt_out(phrasing, wanted)
    asserted = entails(phrasing, wanted)
    if asserted is not None:
        if (rival := next(rivals(phrasing, asserted, wanted), None)) is not None:
            return Judged("list", f"names {' '.join(rival.words)!r} beside it"), None
        added = tuple(additions(phrasing, asserted, wanted))
        if entails(wanted, phrasing._replace(more=_kept(phrasing))) is not None:
            return Judged("same", "the same condition"), None
        return Judged("narrower", "it entails the reference and says more"), added
    bare = phrasing._replace(more=())
    if names(wanted, bare) or names(wanted._replace(more=()), bare):
        return Judged("broader", "it leaves out part of the reference, or is a wider name of it"), None
    return Judged("different", f"not recognized as {' '.join(wanted.main.words)!r}"), None


def _kept(phrasing: Phrasing) -> tuple[tuple[Link, Phrase], ...]:
    return tuple((link, phrase) for link, phrase in phrasing.more if adds_kind(link, phrase))
