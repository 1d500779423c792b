"""`osler scenario play`: scenarios played by built-in players, models or a person."""

from __future__ import annotations

from osler.cli.encounters import plays

play = plays(
    "scenario", "Play scenarios, judge every episode by its frozen rubric, and report with intervals."
)
