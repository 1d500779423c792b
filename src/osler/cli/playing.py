"""Playing and summarizing runs of any protocol at the command line."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import typer
from rich.console import RenderableType
from rich.text import Text

from osler.cli.collector import collect_seldom
from osler.cli.continuing import leave_unfinished, sigterm_as_ctrl_c, store_flag
from osler.cli.forecast import MANY, warn_if_full
from osler.cli.judging import JudgedRun, judged, usage_table
from osler.cli.output import BELOW, plain, result, say
from osler.cli.processes import PlayOptions, check_spread, played
from osler.cli.remembering import Remember
from osler.cli.terminal import Terminal, shown
from osler.cli.totals_table import side_by_side, totals_table
from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.lazy import load
from osler.core.measure import Measure
from osler.core.names import listed, player_name
from osler.core.permitted import MARKER, PRACTICE, people_in
from osler.core.role import PERSON
from osler.core.source import ImportReport, Source
from osler.errors import BadInput
from osler.players.casting import blind as blind_in
from osler.protocols.consultation.memory.snapshots import remembering, with_memory
from osler.reports.debriefing import debriefing_json, shown_debriefing
from osler.runs import run as runs
from osler.runs.debriefing import debriefed
from osler.runs.disk import disk_forecast
from osler.runs.endpoints import ENDPOINTS, WEIGHTS, Served, check_same_weights, in_words, served, weights_of
from osler.runs.judged_episodes import Grader
from osler.runs.judging import JudgeOptions, check_judge, judged_by
from osler.runs.seating import ModelOptions, OpenedCast, keep_budget, models_named, open_cast
from osler.runs.totals import Totals, totals
from osler.runs.usage import joined, usage
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.text.hostile import safe

MOST_REASONS: Final = 5


class RunFigures(NamedTuple):
    """A finished run: its measures, its figures as JSON, and the same as printed."""

    run: RunInfo
    totals: Totals
    value: dict[str, Any]
    shown: list[RenderableType]
    first: int = 0
    """The number of its first episode."""
    more: bool = False
    """Whether its debriefing has more to say than is shown."""


def players_named(config: Config, names: str) -> list[Config]:
    """One configuration per player under test, from their comma-separated names.

    Raises BadInput if none is named, if a person is among several, and for a file name with a comma.
    """
    seat = config.plays.under_test
    result = listed(names, f"--{seat}")
    if not result:
        raise BadInput(
            "no player is named", where=f"--{seat}", hint=f"name {config.plays.role(seat).default}"
        )
    role = config.plays.role(seat)
    if len(result) > 1 and PERSON in {player_name(role, name).inside for name in result}:
        raise BadInput("a person plays alone", where=f"--{seat}", hint="name person alone")
    return [config.seated({seat: name}) for name in result]


def play_all(
    configs: Sequence[Config],
    how: PlayOptions,
    as_json: bool,
    *,
    fail_under: float | None = None,
    memory: Remember | None = None,
    judging: JudgeOptions | None = None,
) -> None:
    """Play one run per configuration, on the same cases, and print the results.

    `memory` is the memory for `+memory`, `judging` an additional judge for each run once it has been played.
    Raises BadInput before anything is played.
    """
    say(configs[0].plays.notice)
    check_spread(how.over, configs, how.store)
    if judging is not None and not check_judge(judging, configs):
        judging = None
    how = how._replace(modelling=how.modelling.under_test(configs))
    if memory is not None:
        configs = [remembering(one, memory.how) for one in configs]
    if judging is not None:
        judging = judging._replace(models=how.modelling, with_players=True)
    seats = [open_cast(one, how.modelling, channel=Terminal()) for one in configs]
    seats = [one._replace(about={**one.about, **marker_told(judging)}) for one in seats]
    with open_store(how.store) as store:
        if memory is not None:
            seats = [one._replace(config=with_memory(one.config, memory.memory, store)) for one in seats]
        source = runs.opened(configs[0])
        ready = [runs.prepare(seated.config, store, seated.more, source, seated.about) for seated in seats]
        begun = [each.begin(store) for each in ready]
        tell_import(begun[0], configs[0], source.report)
        for run, seated in zip(begun, seats, strict=True):
            _tell_blind(run, seated)
        if begun[0].planned >= MANY:
            warn_if_full(disk_forecast(seats[0].config, source, episodes=begun[0].planned), how.store)
        told = list[RunFigures]()
        for run, seated in zip(begun, seats, strict=True):
            try:
                one = sit(run, store, seated, how, source=source, judging=judging, as_json=as_json)
            except typer.Exit:
                if later := [each.name for each in begun[len(told) + 1 :]]:
                    say(f"Begun with it, and resumed in the same way: {', '.join(later)}")
                raise
            told.append(one)
        flag = store_flag(store, how.store)
    tell(told, as_json, fail_under, flag)


def sit(
    run: RunInfo,
    store: Store,
    seated: OpenedCast,
    how: PlayOptions,
    *,
    source: Source[Any] | None = None,
    judging: JudgeOptions | None = None,
    as_json: bool = False,
) -> RunFigures:
    """Play the rest of a run and summarize it; if it does not finish, say how to continue, and exit."""
    protocol = runs.protocol_of(run)
    flag = store_flag(store, how.store)
    with_person = PERSON in seated.config.insides().values()
    if with_person:
        how = how._replace(concurrency=1)
    say(f"run {run.name}, stored in {store.label}")
    if words := told_before(run, store, judging, flag):
        say(words)
    try:
        ledger = seated.around.ledger if seated.around else None
        with (
            sigterm_as_ctrl_c(),
            shown(moving=not with_person, what=protocol.many, ledger=ledger) as on_progress,
        ):
            collect_seldom()
            sitting = played(run, store, seated, how, on_progress, source)
    except KeyboardInterrupt:  # before the first episode began, or after the last one ended
        sitting = runs.Session(store.run(run.name), "interrupted", "stopped by hand", 0.0)
    leave_unfinished(sitting, flag, how.modelling, as_json)
    judged_run = judged(sitting.run, store, judging) if judging else None
    alone = with_person and run.planned == 1
    figures = told_of(
        sitting, store, how.modelling, source, alone=alone, grader=judged_run.grader if judged_run else None
    )
    if judged_run is None:
        return figures
    return with_judge(figures, judged_run)


def with_judge(figures: RunFigures, run: JudgedRun) -> RunFigures:
    """A summary with what its judge said and used added to it."""
    value = {**run.value, **figures.value}
    if used := joined(part["usage"] for part in (figures.value, run.value) if "usage" in part):
        value["usage"] = used
    return figures._replace(value=value, shown=[*figures.shown, *run.tables, *run.more])


def play_found(
    config: Config,
    find: Callable[[Any, Mapping[str, Factory]], RunInfo],
    store: Store,
    how: PlayOptions,
    *,
    source: Source[Any] | None = None,
    title: str = "",
) -> runs.Session:
    """Play what is left of the run of a study that `find` begins, or finds, for a configuration and its
    players; `title` introduces it."""
    seated = open_cast(config, how.modelling, channel=Terminal())
    run = find(seated.config, seated.more)
    named = seated.config.models
    weights = weights_of(how.modelling.endpoints(), named) if named else {}
    if run.done:
        check_same_weights(run, weights)
    if seated.about and not run.done:
        run = store.note(run.id, **seated.about, **({WEIGHTS: weights} if weights else {}))
    if not run.done:
        _tell_blind(run, seated)
    if run.status == "done":
        return runs.Session(run, "done", "", 0.0)
    if run.done or seated.around:
        seated = open_cast(config, how.modelling, channel=Terminal(), resumed=(run, store))
        keep_budget(run, store, seated)
    if title:
        say(f"{safe(title)}: run {run.name}")
    if words := told_before(run, store, None, ""):
        say(words)
    ledger = seated.around.ledger if seated.around else None
    with sigterm_as_ctrl_c(), shown(what=config.plays.many, ledger=ledger) as on_progress:
        collect_seldom()
        return played(run, store, seated, how, on_progress, source)


def told_of(
    sitting: runs.Session,
    store: Store,
    modelling: ModelOptions,
    source: Source[Any] | None = None,
    *,
    alone: bool = False,
    grader: Grader | None = None,
) -> RunFigures:
    """The summary of a run: its totals and its models' usage. With `alone`, the
    debriefing of a person who played one case."""
    run, protocol = sitting.run, runs.protocol_of(sitting.run)
    result = totals(run, store, grader)
    value = {"run": run.name, "protocol": protocol.name, **result.as_json()}
    value |= {"wall_s": round(sitting.seconds, 3), "setup": runs.config_of(run).setup()}
    from osler.studies.rating.human_anchor import human_anchor  # noqa: PLC0415 - import time

    anchor = human_anchor([run], store)
    value["human_anchor"] = anchor.model_dump(mode="json")
    told_more = False
    figures: list[RenderableType] = [totals_table(protocol, run.name, result, sitting.seconds)]
    used, tables = _usage_of(run, store, modelling)
    value |= used
    if protocol.after_play is not None:
        notes = load(protocol.after_play)(run, store, source)
        value |= notes.value
        tables += map(Text, notes.lines)
    if alone and protocol.debriefing is not None:
        ended = debriefed(run, store)
        record, told_more = (ended.debriefing, ended.contests, ended.episode), ended.debriefing.brief
        value |= debriefing_json(*record)
        figures = shown_debriefing(*record, whole=not told_more)
    else:
        figures.append(plain(f"{setup_words(value['setup'])}\n{anchor.line}"))
    figures += _how_they_failed(result, protocol.measures[0])
    first = next((row.ordinal for row in store.episodes(run.id)), 0)
    return RunFigures(run, result, value, [*figures, *tables], first, told_more)


def setup_words(setup: Mapping[str, str]) -> str:
    """The player of each seat, and the policy for what a case does not hold, as one line."""
    return "; ".join(f"{what}: {name}" for what, name in setup.items())


def _how_they_failed(found: Totals, headline: Measure) -> list[RenderableType]:
    """The causes of failed ends, and the bounds that replace the headline, as lines; empty without any."""
    lines = [
        f"{status}: {', '.join(f'{count:,} {cause}' for cause, count in causes.items())}"
        for status, causes in found.because.items()
    ]
    if found.refused:
        again = ", ".join(f"{count:,} {cause}" for cause, count in found.refused.items())
        lines.append(f"answers refused: {again}")
    if found.headline_bounds:
        low, high = (f"{end:.1%}" for end in found.headline_bounds)
        why = "more than 5 % of the episodes are unscored, or were refused or filtered"
        lines.append(f"No headline ({headline.words}): {why}; it lies between {low} and {high}")
    return [Text(safe("\n".join(lines)))] if lines else []


def _usage_of(
    run: RunInfo, store: Store, options: ModelOptions
) -> tuple[dict[str, Any], list[RenderableType]]:
    """Model usage of a run, as JSON for a summary and as a table; empty if it has no models."""
    if not models_named(runs.config_of(run)):
        return {}, []
    used = usage(store, run.id, options.endpoints())
    by, there = in_words(run), served(run, store)
    value = {
        "usage": used,
        "endpoints": {
            name: {**record, "served": there[name].as_json() if name in there else None}
            for name, record in run.manifest.get(ENDPOINTS, {}).items()
        },
    }
    lines = [f"{name}: {told}{_also(there.get(name))}" for name, told in by.items()]
    return value, [plain("\n".join(lines)), usage_table(used)]


def _also(found: Served | None) -> str:
    """Return what an endpoint said of itself, to end a line with; "" if it said nothing."""
    if found is None or not (found.models or found.served_by):
        return ""
    return f"; served as {', '.join((*found.models, *found.served_by))}"


def tell(told: Sequence[RunFigures], as_json: bool, fail_under: float | None, flag: str) -> None:
    """Print finished runs, several side by side; exit 4 if one is below `fail_under`."""
    if len(told) == 1:
        (one,) = told
        result(as_json, one.value, *one.shown)
        if not as_json and "episode" not in one.value:
            say(f"To see a transcript: osler show {one.run.name}:{one.first}{flag}")
        elif not as_json:
            if one.more:
                say(f"The rest, item by item: osler show {one.value['episode']} --debrief{flag}")
            say(f"The run's figures: osler runs summary {one.run.name}{flag}")
            say(f"To have a model mark it: osler judge run {one.run.name} --judge model:NAME{flag}")
            say(f"To have a person mark it: osler rate export {one.run.name} --out ratings{flag}")
    else:
        protocol = runs.protocol_of(told[0].run)
        seat = protocol.under_test
        named = {str(one.run.manifest["configuration"].get(seat, "")): one for one in told}
        table = side_by_side(protocol, {name: one.totals for name, one in named.items()})
        each = {name: one.value for name, one in named.items()}
        lines = [Text(f"{name}: run {one.run.name}") for name, one in named.items()]
        result(as_json, {"runs": [one.value for one in told], f"{seat}s": each}, table, *lines)
    for one in told:
        fail_if_under(one, fail_under)


def fail_if_under(figures: RunFigures, wanted: float | None) -> None:
    """Exit 4 with a message if the headline score, unscored episodes counted as 0, is below `wanted`."""
    if wanted is None:
        return
    protocol = runs.protocol_of(figures.run)
    name = protocol.measures[0].name
    measure = figures.totals.measures[name]
    share = (measure.value or 0.0) * measure.n / (measure.n + measure.unscored or 1)
    if share < wanted:
        unscored = f" ({measure.unscored} unscored counted as wrong)" if measure.unscored else ""
        say(f"osler: {protocol.measures[0].spoken} {share:.4f}{unscored} is below --fail-under {wanted:g}")
        raise typer.Exit(BELOW)


def tell_import(run: RunInfo, config: Config, report: ImportReport | None) -> None:
    """Report cases that could not be read, or that are flagged for giving their answer away; the reasons, if
    no command lists them."""
    read = run.manifest["import"]
    if not read:
        return
    result = []
    if read["rejected"]:
        result.append(f"{read['rejected']} cannot be read and are left out")
    if read["flagged"]:
        result.append(f"{read['flagged']} are flagged for giving their answer away")
    if unseen := read.get("unseen"):
        result.append(f"{unseen} are played without images that were not at hand")
    if result:
        text = f"of {read['read']} {config.plays.case}s {', '.join(result)}"
        if config.plays.reading:
            text += f"; for the reasons: {config.plays.reading} {shlex.quote(config.cases)}"
        elif report:
            reasons = Counter(one.reason for one in report.reasons).most_common(MOST_REASONS)
            text += f": {'; '.join(f'{count:,} {reason}' for reason, count in reasons)}"
        say(safe(text))


def _tell_blind(run: RunInfo, seated: OpenedCast) -> None:
    """Say which models cannot see the image files of a run's cases, which have no report."""
    models = seated.around if run.manifest["configuration"].get("images_fingerprint") else None
    if models is not None and (blind := blind_in(seated.config, models)):
        what = f"cannot see the image files of these {seated.config.plays.case}s, which have no report"
        say(f"{', '.join(blind)} {what} (capabilities.images of an endpoint that sees)")


def told_before(run: RunInfo, store: Store, judging: JudgeOptions | None, flag: str) -> str:
    """The lines shown to a person before they play; "" for a run that nobody plays."""
    if not people_in(run.manifest):
        return ""
    hosts = [f"{name} at {one['host']} reads it" for name, one in run.manifest.get(ENDPOINTS, {}).items()]
    if judging is not None and judging.endpoint:
        hosts.append(f"{judging.name} at {judged_by(judging)['host']} marks it")
    beyond = f" Beyond this machine: {'; '.join(hosts)}." if hosts else " It stays on this machine."
    return (
        f"What you say is kept in {store.label} for your own {' '.join(PRACTICE)}, and for nothing else"
        f" unless you permit it.{beyond}\n"
        f"To permit more: osler permit {run.name} --uses research{flag}\n"
        f"To delete it: osler forget {run.name}{flag}"
    )


def marker_told(judging: JudgeOptions | None) -> dict[str, str]:
    """The entry of a run's manifest by which a model may mark a person who was told of it beforehand."""
    return {MARKER: judging.name} if judging is not None and judging.endpoint else {}
