"""`osler report`: runs as one HTML report, or as tables for analysis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from osler.cli.archived import takes_archives
from osler.cli.options import AsJson, ConfigFile, RunNames, StoreUrl
from osler.cli.output import command, plain, result, say
from osler.errors import BadInput
from osler.store.records import RunInfo
from osler.store.store import Store, open_store


@command
@takes_archives("runs")
def report(
    runs: RunNames,
    out: Annotated[
        Path | None, typer.Option(help="The HTML file to write; an existing one is replaced.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option(help="A folder to write tables of episodes, exchanges and scores to.")
    ] = None,
    controls: Annotated[
        bool, typer.Option(help="Play trivial baselines on the same cases, for comparison.")
    ] = True,
    title: Annotated[str, typer.Option(help="A title of your own.", show_default=False)] = "",
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN=TEXT", help="A name of your own for a run; repeatable.", show_default=False
        ),
    ] = None,
    config: ConfigFile = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Report runs side by side as one HTML file, or export them as tables with a data dictionary."""
    # Imported here because reading model usage loads the model client.
    from osler.files import whole_file  # noqa: PLC0415 - import time
    from osler.models.config import configured  # noqa: PLC0415 - import time
    from osler.reports.html import report_html  # noqa: PLC0415 - import time
    from osler.studies.comparable import check_one_protocol  # noqa: PLC0415 - import time
    from osler.studies.reporting import report_runs  # noqa: PLC0415 - import time
    from osler.studies.table_rows import export_tables  # noqa: PLC0415 - import time

    if out is None and tables is None:
        raise BadInput("nothing was asked for", hint="give --out FILE.html, --tables FOLDER or both")
    paths: list[Path] = []
    with open_store(store, create=False) as opened:
        infos = list({run.id: run for run in map(opened.run, runs)}.values())
        protocol = check_one_protocol(*infos)
        labels = _labels(label or [], infos, opened)
        if out is not None:
            if controls and protocol.probes:
                say("Playing trivial baselines on the same cases; --no-controls leaves them out.")
            with whole_file(out) as partial:
                partial.touch()  # an unwritable folder is reported before the controls are played
                text = opened.as_far_as_readable(
                    lambda: report_html(
                        report_runs(
                            infos,
                            opened,
                            controls=controls,
                            title=title,
                            labels=labels,
                            prices=configured(config),
                        )
                    )
                )
                partial.write_text(text, encoding="utf-8", newline="\n")
            paths.append(out)
        if tables is not None:
            paths += opened.as_far_as_readable(lambda: export_tables(opened, infos, tables))
        failures = opened.as_far_as_readable(lambda: _failures(infos, opened)) if as_json else {}
    say("For education and research only. Built-in players are baselines, not language models.")
    lines = "\n".join(f"written: {path}" for path in paths)
    value = {
        "runs": [run.name for run in infos],
        "written": [str(path) for path in paths],
        "failures": failures,
    }
    result(as_json, value, plain(lines))


def _failures(runs: Sequence[RunInfo], store: Store) -> dict[str, Any]:
    """The failure tags of each run, with counts, n and episodes."""
    from osler.runs.failures import failures_of  # noqa: PLC0415 - import time
    from osler.store.permitted_store import for_reader  # noqa: PLC0415 - import time

    permitted = for_reader(store, "report")
    return {run.name: failures_of(run, permitted).as_json() for run in runs}


def _labels(given: Sequence[str], runs: Sequence[RunInfo], store: Store) -> dict[str, str]:
    """Labels by run name. Raises BadInput for one that is not RUN=TEXT, or of a run that is not reported."""
    labels: dict[str, str] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not text.strip():
            raise BadInput(f"{one!r} is not RUN=TEXT", where="--label", hint="such as --label last=GPT")
        run = store.run(name)
        if run.name not in {other.name for other in runs}:
            raise BadInput(f"{run.name} is not in this report", where="--label")
        labels[run.name] = text.strip()
    return labels
