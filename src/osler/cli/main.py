"""osler: simulated clinical encounters. For education and research only.

What stands here is the list of commands; each is imported when it is called.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Final

from osler.cli.later import group_of

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "consult": ("osler.cli.consult:consult", "Consult cases, judge, report with intervals."),
    "round": ("osler.cli.round:round_", "Teach cases at the bedside; students before and after."),
    "scenario": ("osler.cli.scenario:app", "Standardized-patient scenarios and packets."),
    "run": ("osler.cli.run:run", "Play any protocol: osler run PROTOCOL CASES --seat NAME=PLAYER."),
    "study": ("osler.cli.study:app", "Studies: many conditions on the same worlds."),
    "play": ("osler.cli.play:play", "Play one case yourself, and see your score."),
    "resume": ("osler.cli.resume:resume", "Go on with a run where it stopped."),
    "branch": ("osler.cli.branch:branch", "Go on from the middle of a stored encounter."),
    "show": ("osler.cli.runs:show", "Show an episode as a transcript."),
    "runs": ("osler.cli.runs:app", "List, sum up and delete runs."),
    "report": ("osler.cli.report:report", "Runs side by side, as one HTML file or as tables."),
    "compare": ("osler.cli.compare:compare", "Compare two runs on the worlds both played."),
    "power": ("osler.cli.power:power", "How many cases show a difference."),
    "validate": ("osler.cli.validate:validate", "Let trivial players, probes and the oracle play."),
    "export": ("osler.cli.runs:export", "Write a run as JSON lines or in published formats."),
    "judge": ("osler.cli.judge:judging", "Judge stored encounters again."),
    "rubric": ("osler.cli.rubric:app", "Frozen rubrics: read, look over, judge by."),
    "rate": ("osler.cli.rate:app", "People rate episodes blind, beside the judges."),
    "cases": ("osler.cli.cases:app", "Import, make up, list, show and lint cases."),
    "author": ("osler.cli.author_scenario:app", "Make scenarios from source material."),
    "personas": ("osler.cli.personas:app", "Patients and students to play: build, audit."),
    "patient": ("osler.cli.patient:app", "What the built-in patient makes of questions."),
    "teach": ("osler.cli.teach:app", "Prepare cases for a ward round."),
    "memory": ("osler.cli.memory:app", "Memories of doctors: list, audit, go back."),
    "check": ("osler.cli.check:check", "Say what is wrong with this installation."),
}
app = group_of(
    COMMANDS, "Simulated clinical encounters whose numbers can be trusted. For education and research only."
)


def main() -> None:
    """Entry point of the `osler` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character gets a stand-in
            stream.reconfigure(errors="replace")
    app()
