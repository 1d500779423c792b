"""What a run of consultations shows beside its measures: how far its judge can be trusted.

The accuracy is corrected for the judge's errors as they were measured on labelled answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from osler.core.summary import Noted, Notes
from osler.judging.diagnosis.measured import standing
from osler.reports.cells import interval, number
from osler.stats.intervals import Estimate

_WRONG: Final = {
    "answered_broader": "broader than the reference",
    "answered_unsupported": "narrower than the case bears out",
    "answered_list": "lists",
}
"""The measures of answers that were wrong without naming another diagnosis, in words."""


class ConsultationNotes(Notes):
    """The accuracy corrected for the judge's errors, beside its measured agreement."""

    def noted(self, measures: Mapping[str, Estimate]) -> Noted:
        """Return the notes on a run whose measures are given."""
        corrected = standing().measured.corrected(measures["correct"])
        judged = measures["answered_broader"].n > 0
        value = {
            "accuracy_corrected": asdict(corrected if judged else Estimate(None, None, None, 0)),
            "judge_agreement": standing().plain() if judged else {},
        }
        return Noted(value, (*beside(measures), *unmoved(measures)))


def beside(found: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentences beside the headline, from the measures of a run; none if no diagnosis was judged."""
    if not found["answered_broader"].n:
        return ()
    corrected = standing().measured.corrected(found["correct"])
    counts = {name: round((found[name].value or 0.0) * found[name].n) for name in _WRONG}
    wrong = ", ".join(f"{count:,} {_WRONG[name]}" for name, count in counts.items())
    told = [standing().words, f"Among the wrong answers: {wrong}."]
    if counts["answered_unsupported"]:
        told.append(f"Counting those not borne out too: {_shown(found['correct_or_unsupported'])}.")
    if corrected.value is not None:
        told.append(f"If the judge errs here as often as on those answers: {_shown(corrected)}.")
    return tuple(told)


def unmoved(found: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentence for a run whose cases mark no result, so that what was ordered cannot be scored; none for
    other runs, and for one that was not judged."""
    if not found["correct"].n or found["finding_coverage"].n or found["premature_closure"].n:
        return ()
    ordered = number(found["tests"].value, False)
    return (
        "On these cases the figures of measuring do not move: no case marks a result as key or has a work-up,"
        " so examinations, evidence and premature closure are unscored, and an oracle, which orders what a"
        f" case marks, orders nothing. Tests ordered per consultation: {ordered}.",
    )


def _shown(found: Estimate) -> str:
    reach = interval(found, True)
    return f"{number(found.value, True)} [{reach}]" if reach else number(found.value, True)
