"""The draft of `osler author scenario`: made and written without a model, played, judged and debriefed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from osler.authoring.scenarios.pipeline import PipelineRequest, texts_of
from osler.authoring.stations.draft import Draft, draft
from osler.authoring.stations.written import DraftFiles, write_draft
from osler.cli.output import some
from osler.text.hostile import safe

if TYPE_CHECKING:
    from rich.console import RenderableType

BASELINE, PERSON = "baseline", "person"


class Drafted(NamedTuple):
    """A draft and where it was written."""

    draft: Draft
    written: DraftFiles

    @property
    def value(self) -> dict[str, Any]:
        """The draft as plain JSON values."""
        made = self.draft
        return {
            "scenario": str(self.written.scenario),
            "to_check": str(self.written.checks),
            "kept": self.written.kept,
            "lines": made.by_part,
            **self.counts,
            "checks": [
                {"where": one.where, "what": one.what, **(one.place._asdict() if one.place else {})}
                for one in made.checks
            ],
            "unplaced": [{"text": one.text, "why": one.why, **one.place._asdict()} for one in made.unplaced],
        }

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of facts, acts, states and items, and of the items left to a person."""
        scenario = self.draft.scenario
        return {
            "facts": len(scenario.knows),
            "acts": len(scenario.actions),
            "states": len(scenario.states),
            "items": len(scenario.rubric),
            "for_a_person": sum(item.by_ear for item in scenario.rubric),
        }


class DraftPlay(NamedTuple):
    """A played draft: its figures as plain JSON values, and the debriefing as shown."""

    value: dict[str, Any]
    shown: list[RenderableType]


def drafted(request: PipelineRequest, folder: Path, *, force: bool) -> Drafted | None:
    """Draft a scenario from a source's texts and write it; `None` without a brief and a mark sheet."""
    made = draft(texts_of(request), request.case_id)
    return None if made is None else Drafted(made, write_draft(made, folder, force=force))


def lines_of_draft(made: Drafted | None) -> list[str]:
    """The draft as lines to print."""
    if made is None:
        return ["no draft: neither an actor's brief nor a mark sheet was found under a heading"]
    n, place = made.counts, safe(str(made.written.scenario))
    left = f", {n['for_a_person']} of them for a person to mark" if n["for_a_person"] else ""
    lines = [
        f"draft: {n['facts']} facts, {n['acts']} acts, {n['states']} states, "
        f"{n['items']} items of the mark sheet{left}"
    ]
    lines += some([f"  check {one}" for one in made.draft.checks])
    lines += some([f'  unplaced: "{one.text}" - {one.why} ({one.place})' for one in made.draft.unplaced])
    if made.written.kept:
        lines.append(f"kept: {place}, which you have edited; --force writes it anew")
    else:
        lines.append(f"written: {place}, and the list of what to check: {safe(str(made.written.checks))}")
    lines.append(f"play it: osler scenario play {place}; what is wrong with it: osler scenario lint {place}")
    return [safe(line) for line in lines]


def played(made: Drafted, examinee: str | None, store: str | None, *, as_json: bool) -> DraftPlay:
    """Play the written draft once, judge it by its rubric, and debrief.

    Raises BadInput for an unknown player.
    """
    # Imported here because these are slow to import, and a draft needs none of them.
    from osler.cli.continuing import store_flag  # noqa: PLC0415 - import time
    from osler.cli.playing import players_named, sit  # noqa: PLC0415 - the same
    from osler.cli.processes import PlayOptions  # noqa: PLC0415 - the same
    from osler.cli.terminal import Terminal  # noqa: PLC0415 - the same
    from osler.protocols.scenario.config import ScenarioConfig  # noqa: PLC0415 - the same
    from osler.reports.debriefing import debriefing_json, shown_debriefing  # noqa: PLC0415 - the same
    from osler.runs import run as runs  # noqa: PLC0415 - the same
    from osler.runs.debriefing import debriefed  # noqa: PLC0415 - the same
    from osler.runs.seating import ModelOptions, open_cast  # noqa: PLC0415 - the same
    from osler.store.store import open_store  # noqa: PLC0415 - the same

    name = examinee or (PERSON if sys.stdin.isatty() else BASELINE)
    scenario_config = ScenarioConfig(cases=str(made.written.scenario))
    (config,) = players_named(scenario_config, name)
    models = ModelOptions()
    seated = open_cast(config, models, channel=Terminal())
    with open_store(store) as held:
        source = runs.opened(seated.config)
        run = runs.begin(seated.config, held, seated.more, source, about=seated.about)
        figures = sit(run, held, seated, PlayOptions(models, store=store), source=source, as_json=as_json)
        after = debriefed(run, held)
        lines = [
            f"Played by {name}. The transcript: "
            f"osler show {run.name}:{figures.first}{store_flag(held, store)}"
        ]
    from rich.text import Text  # noqa: PLC0415 - the same

    record = after.debriefing, after.contests, after.episode
    value = {**figures.value, **debriefing_json(*record), "examinee": name}
    return DraftPlay(value, [*shown_debriefing(*record, whole=True), *map(Text, lines)])
