"""What a run of consultations shows beside its measures: how far its judge can be trusted.

The accuracy is corrected for the judge's errors as they were measured on labelled answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from osler.core.summary import Notes, NoteTaker
from osler.judging.diagnosis.measured import standing
from osler.reports.cells import interval, number
from osler.stats.intervals import Estimate

_WRONG: Final = {
    "answered_broader": "broader than the reference",
    "answered_unsupported": "narrower than the case bears out",
    "answered_list": "lists",
}
"""The measures of answers that were wrong without naming another diagnosis, in words."""


class ConsultationNoteTaker(NoteTaker):
    """The notes on the accuracy: corrected for the judge's errors, beside the judge's measured agreement."""

    def notes(self, measures: Mapping[str, Estimate]) -> Notes:
        """Return the notes on a run whose measures are given."""
        corrected = standing().measured.corrected(measures["correct"])
        judged = measures["answered_broader"].n > 0
        value = {
            "accuracy_corrected": asdict(corrected if judged else Estimate(None, None, None, 0)),
            "judge_agreement": standing().plain() if judged else {},
        }
        return Notes(value, (*beside(measures), *unmoved(measures)))


def beside(measures: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentences beside the headline, from the measures of a run; none if no diagnosis was judged."""
    if not measures["answered_broader"].n:
        return ()
    corrected = standing().measured.corrected(measures["correct"])
    counts = {name: round((measures[name].value or 0.0) * measures[name].n) for name in _WRONG}
    wrong = ", ".join(f"{count:,} {_WRONG[name]}" for name, count in counts.items())
    lines = [standing().words, f"Among the wrong answers: {wrong}."]
    if counts["answered_unsupported"]:
        lines.append(f"Counting those not borne out too: {_words(measures['correct_or_unsupported'])}.")
    if corrected.value is not None:
        lines.append(f"If the judge errs here as often as on those answers: {_words(corrected)}.")
    return tuple(lines)


def unmoved(measures: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentence for a run whose cases mark no result, so that what was ordered cannot be scored; none for
    other runs, and for one that was not judged."""
    judged = measures["correct"].n
    if not judged or measures["finding_coverage"].n or measures["premature_closure"].n:
        return ()
    ordered = number(measures["tests"].value, False)
    return (
        "On these cases the figures of measuring do not move: no case marks a result as key or has a work-up,"
        " so examinations, evidence and premature closure are unscored, and an oracle, which orders what a"
        f" case marks, orders nothing. Tests ordered per consultation: {ordered}.",
    )


def _words(estimate: Estimate) -> str:
    reach = interval(estimate, True)
    return f"{number(estimate.value, True)} [{reach}]" if reach else number(estimate.value, True)
