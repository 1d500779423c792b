"""`osler scenario`: standardized-patient scenarios and packets. The list of its commands."""

from __future__ import annotations

from osler.cli.later import group_of

app = group_of(
    {
        "play": ("osler.cli.scenario_play:play", "Play scenarios, judge, report with intervals."),
        "lint": ("osler.cli.scenario_files:lint_", "Say what is wrong with scenarios or packets."),
        "import": ("osler.cli.scenario_files:import_", "Read scenarios or published packets."),
        "export": ("osler.cli.scenario_files:export", "Write scenarios as packets of prose."),
    },
    "Standardized-patient scenarios and packets.",
)
