"""The record: nothing is asked twice, whoever sits there, and a record that no longer fits is set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from osler.core.contract import Player, Request
from osler.core.order_events import Ordered
from osler.core.table import Table
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.knowledge.vocabulary import Persona
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.seats import EXAMINATION, ExaminationView
from osler.protocols.shared.patient import PATIENT, PatientReply, PatientView
from osler.protocols.shared.players.patient import BaselinePatient
from osler.testing.cases import small_case
from osler.testing.players import RandomDoctor, Rebuilt, Watching
from tests.protocols.consultation.conftest import Play, built_in


@pytest.mark.parametrize("seed", range(5))
def test_resumed_at_any_exchange_equals_undisturbed_and_asks_only_the_rest(consult: Play, seed: int) -> None:
    whole = consult(small_case(), seed=str(seed), doctor=RandomDoctor())
    assert len(whole.rows) > 2
    for kept in range(len(whole.rows) + 1):
        watched = {seat: Watching(player) for seat, player in built_in().items()}
        watched["doctor"] = Watching(RandomDoctor())
        again = consult(small_case(), seed=str(seed), recorded=whole.rows[:kept], **watched)
        assert again == whole
        attempts = sum(row.attempts.count('"at"') for row in whole.rows[kept:])
        failed = sum(row.reply == "null" for row in whole.rows[kept:])
        asked = sum(len(player.seen) for player in watched.values())
        assert asked == len(whole.rows) - kept + attempts - failed


@pytest.mark.parametrize("seed", range(5))
def test_players_hold_no_state_between_calls(consult: Play, seed: int) -> None:
    kinds: dict[str, Callable[[], Player]] = {
        "doctor": BaselineDoctor,
        "patient": BaselinePatient,
        "examination": BaselineExamination,
        "consultant": BaselineConsultant,
    }
    rebuilt = {seat: Rebuilt(kind) for seat, kind in kinds.items()}
    kept = consult(small_case(), seed=str(seed))
    assert consult(small_case(), seed=str(seed), **rebuilt) == kept


def test_a_changed_case_diverges_and_the_record_is_kept(consult: Play) -> None:
    whole = consult(small_case())
    changed = small_case(age_years=55)
    trace = consult(changed, recorded=whole.rows[:4])
    assert trace.outcome.status == "diverged"
    assert trace.rows == whole.rows[:4]
    assert "exchange 1" in trace.outcome.reason


def test_a_record_longer_than_the_encounter_diverges(consult: Play) -> None:
    whole = consult(small_case())
    extra = whole.rows[-1]._replace(n=len(whole.rows) + 1)
    assert consult(small_case(), recorded=(*whole.rows, extra)).outcome.status == "diverged"


@dataclass
class Kept:
    rows: list[ExchangeRow] = field(default_factory=list)

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        return None

    def exchange(self, row: ExchangeRow) -> None:
        self.rows.append(row)

    def inner(self, row: InnerRow) -> None:
        raise AssertionError("nobody here asks others")

    async def flush(self) -> None:
        return None


@dataclass
class Slow:
    """Answers after some turns of the loop; the later seat first."""

    turns: int
    name: str = "slow"
    durable: bool = False

    async def reply(self, request: Request[PatientView]) -> PatientReply:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        return PatientReply(answer=f"after {self.turns}")


def test_seats_asked_at_once_are_numbered_in_list_order_whoever_answers_first() -> None:
    persona = Persona(name="plain", manner="")
    view = PatientView(
        speaker="patient", persona=persona, age_years=1, sex=None, opening="", facts=(), unknown="standard"
    )

    def sitting(turns: int, recorded: tuple[ExchangeRow, ...] = ()) -> list[ExchangeRow]:
        kept = Kept()
        cast = {"patient": Slow(turns), "examination": BaselineExamination()}
        table = Table(cast, kept, world="w", under_test="doctor", recorded=recorded)  # type: ignore[arg-type]
        table.seat(PATIENT, view)
        table.seat(EXAMINATION, ExaminationView(findings=()))

        async def both() -> None:
            table.tell(Ordered, "examination", order=1, name="ECG")
            await table.ask_all([(PATIENT, None), (EXAMINATION, None)])
            table.close()

        asyncio.run(both())
        return kept.rows

    rows = sorted(sitting(turns=5))
    assert [(row.n, row.seat) for row in rows] == [(1, "patient"), (2, "examination")]
    only_second = [row for row in rows if row.n == 2]
    assert [row.n for row in sitting(turns=5, recorded=tuple(only_second))] == [1]
