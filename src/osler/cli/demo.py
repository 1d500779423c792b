"""`make demo`: import, consult, score, report, and one transcript, with no model and no key."""

from __future__ import annotations

import sys
from pathlib import Path

from osler.cli.options import AT_ONCE
from osler.cli.output import command, out, say
from osler.cli.playing import sit, tell
from osler.cli.processes import PlayOptions
from osler.protocols.consultation.config import RunConfig
from osler.reports.transcript import render_transcript
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store


@command
def demo(cases: str) -> None:
    """Play consultations over `cases` with the built-in players and show the results."""
    say("Osler: simulated clinical encounters. For education and research only.\n")
    say(f"Consulting {cases} with the built-in doctor and patient (baselines, no language model).")
    with open_store(None) as store:
        seated = open_cast(RunConfig(cases=cases), ModelOptions())
        source = runs.opened(seated.config)
        run = runs.begin(seated.config, store, source=source)
        tell([sit(run, store, seated, PlayOptions(ModelOptions(), AT_ONCE), source=source)], False, None, "")
        out.rule("One consultation")
        out.print(render_transcript(store.trace(run.id, 0), runs.protocol_of(run)))
        out.rule()
        say(f"Everything is stored in {store.label}. Next, try:")
        place = ".venv/bin/" if Path(".venv/bin/osler").is_file() else ""
        for line in (
            "osler serve --open",
            "osler runs",
            f"osler show {run.name}:1",
            f"osler export {run.name} --out run.jsonl",
            "osler play cardiology-01 --as doctor",
        ):
            say(f"  {place}{line}")


if __name__ == "__main__":
    demo(sys.argv[1] if len(sys.argv) > 1 else "library")
