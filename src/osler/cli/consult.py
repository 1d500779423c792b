"""`osler consult`: consultations played by built-in players, models or a person."""

from __future__ import annotations

from osler.cli.encounters import plays

consult = plays(
    "consultation", "Play a consultation for every case, judge each one, and report with intervals."
)
