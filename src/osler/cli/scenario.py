"""`osler scenario`: the list of commands for standardized-patient scenarios and packets."""

from __future__ import annotations

from osler.cli.lazy_commands import group_of, playing

app = group_of(
    {
        "play": (
            playing(
                "scenario",
                "Play scenarios, judge every episode by its frozen rubric, and report with intervals.",
            ),
            "Play scenarios, judge, report with intervals.",
        ),
        "lint": ("osler.cli.scenario_files:lint_", "Lint scenarios or packets."),
        "figures": ("osler.cli.scenario_files:figures", "Count scenarios by sex, age, specialty and so on."),
        "import": ("osler.cli.scenario_files:import_", "Import scenarios or published packets."),
        "export": ("osler.cli.scenario_files:export", "Export scenarios as prose packets."),
    },
    "Standardized-patient scenarios and packets.",
)
