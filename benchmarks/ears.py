"""Do a model's ears help the built-in patient? Figures with and without them, on the same labelled lines.

    python benchmarks/ears.py --endpoint NAME --config osler.toml --osce DIR --imported DIR --each 150

Each set is sampled by a fixed seed. The model is asked only where the built-in reader is in doubt, so a line
which that answers counts the same in both. `osler reading figures` says what the figures mean. All labels
are by language models, not clinicians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from osler.cases.personas import persona
from osler.cli.reading_figures import Answered, Sets, of_patient, said_to_patients
from osler.cli.reading_sets import HERE, Spoken
from osler.core.composite import AnyPlayer, answer_of
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said
from osler.core.inner import InnerDesk
from osler.core.trace import InnerRow
from osler.players.casting import Casting, casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.shared.patient import PATIENT, PatientReply, PatientTurn
from osler.protocols.shared.players.patient import answer, answer_of_kind
from osler.protocols.shared.views import patient_view
from osler.runs.seating import ModelOptions, open_cast
from osler.stats.mcnemar import mcnemar_exact

SETS: Final = ("patient_library", "patient_imported", "patient_speech")
SEED: Final = 20261129


class _Nowhere:
    """A recorder of inner exchanges that keeps none of them."""

    def inner(self, row: InnerRow) -> None:
        """Take no note of an exchange."""

    async def flush(self) -> None:
        """Have nothing to write."""


def main() -> None:
    """Print the figures of each set as JSON."""
    given = _arguments()
    config = RunConfig(cases="library", patient=f"baseline+ears:model:{given.endpoint}")
    opened = open_cast(config, ModelOptions(config=given.config))
    assert opened.around is not None  # the patient names a model
    sets = Sets(given.lines, given.osce, given.imported)

    async def measured() -> dict[str, Any]:
        assert opened.around is not None
        async with opened.around:
            casting = casting_of(opened.config, opened.more)
            return {name: await _measured(_sample(sets, name, given.each), casting, name) for name in SETS}

    print(json.dumps(asyncio.run(measured()), indent=1))


def _sample(sets: Sets, name: str, count: int) -> Sequence[Spoken]:
    said = said_to_patients(sets, name)
    sample = random.Random(SEED).sample(said, min(count, len(said)))
    return sorted(sample, key=lambda line: line.case.id)  # what a model has read of a case is in its cache


async def _measured(said: Sequence[Spoken], casting: Casting, name: str) -> dict[str, Any]:
    before, after = list[Answered](), list[Answered]()
    changed, began = 0, time.monotonic()
    for number, line in enumerate(said, 1):
        turn = _turn(line)
        kind, reply = answer_of_kind(turn)
        desk = InnerDesk(_Nowhere(), (), 3, lambda: 0)
        heard = await _heard(casting.cast(line.case)["patient"], turn, desk)
        before.append(Answered(line.label, kind, frozenset(reply.revealed_facts)))
        other = heard != reply
        changed += other
        after.append(Answered(line.label, "fact" if other else kind, frozenset(heard.revealed_facts)))
        print(f"{name} {number}/{len(said)} {time.monotonic() - began:.0f} s", file=sys.stderr)
    pairs = [(one.right, two.right) for one, two in zip(before, after, strict=True)]
    gained, lost = pairs.count((False, True)), pairs.count((True, False))
    return {
        "built_in": {key: asdict(value) for key, value in of_patient(before).items()},
        "with_ears": {key: asdict(value) for key, value in of_patient(after).items()},
        "changed": changed,
        "right_gained": gained,
        "right_lost": lost,
        "p": mcnemar_exact(lost, gained),
    }


async def _heard(player: AnyPlayer, turn: PatientTurn, desk: InnerDesk) -> PatientReply:
    said = await answer_of(player, turn, desk.of(1, "patient", turn))
    return PATIENT.reply.validate_python(getattr(said, "reply", said))


def _turn(line: Spoken) -> PatientTurn:
    """The patient's turn at a line, after its own answers to the earlier ones."""
    view = patient_view(line.case, persona=persona("plain"), unknown="standard")
    feed: list[Event | OwnReply] = []
    for text in line.before:
        feed.append(Said(minute=0, by="doctor", text=text))
        feed.append(OwnReply(answer(Request(view, tuple(feed), "ask"))))
    return Request(view, (*feed, Said(minute=0, by="doctor", text=line.say)), "ask")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--endpoint", required=True, help="an endpoint of osler.toml")
    parser.add_argument("--config", type=Path, help="the osler.toml")
    parser.add_argument("--lines", type=Path, default=HERE / "sealed", help="the labelled lines")
    parser.add_argument("--osce", type=Path, help="the transcripts that labels name")
    parser.add_argument("--imported", type=Path, help="the imported cases that labels name")
    parser.add_argument("--each", type=int, default=150, help="how many lines of each set")
    return parser.parse_args()


if __name__ == "__main__":
    main()
