"""The scorecard of a ward round's patient: the group's questions of a round are read as one of a doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.core.contract import Request
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.protocols.shared.patient_score import Part, Reading, consulted, patient_scores, truth_of_case
from osler.protocols.ward_round.players.patient import as_consultation
from osler.reports.scorecard import Scorecard
from osler.store.records import RunInfo
from osler.store.store import Store


def scored(run: RunInfo, store: Store) -> Scorecard:
    """Score the patient of a run of ward rounds. Raises BadInput as `patient_scores` does."""
    return patient_scores(run, store, ROUND)


def _parts(request: Request[PatientView], replies: Sequence[PatientReply]) -> Iterator[Part]:
    return consulted(as_consultation(request), replies)


ROUND: Final = Reading(_parts, truth_of_case)
