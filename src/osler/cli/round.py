"""`osler round`: teaching ward rounds, with built-in players, models, or a person as tutor or student."""

from __future__ import annotations

from osler.cli.encounters import plays

round_ = plays(
    "ward_round",
    "Teach every case at the bedside, examine students before and after, and report with intervals.",
)
