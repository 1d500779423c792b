"""The card of a benchmark: every figure with its interval, n and what was left unscored, and hashes by which
two sites can show that they ran the same thing.

    {"benchmark": {"version", "hash", "split", "quick", "standard"}, "osler", "knowledge", "use",
     "tables": [{"name", "protocol", "cases", "cases_fingerprint", "seed", "repeats", "setup",
                 "judge": {NAME: agreement}, "measures": {NAME: words},
                 "runs": [{"player", "role", "models", "configuration", "episodes", "ended", "export"}],
                 "rows": [{"player", "role", "measure", "value", "low", "high", "n", "unscored"}]}],
     "hash"}

Nothing in it depends on when, where or in how many processes it was played: same players, same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import osler
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.summary import LABEL
from osler.judging.grader_notes import notes_on
from osler.knowledge import fingerprint
from osler.reports.cells import Cell, cell
from osler.reports.page import page_template
from osler.runs.run import config_of, protocol_of
from osler.runs.totals import totals
from osler.stats.intervals import Estimate
from osler.store.export import export_lines
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.card_hashes import card_hash, hash_of
from osler.studies.bench.tables import Bench, Condition

_FIRST: Final = 6
"""The measures shown of a protocol that names no main ones."""


class PlayedCondition(NamedTuple):
    """A condition with its run, which is done."""

    condition: Condition
    run: RunInfo


def card_of(
    bench: Bench,
    split: str,
    conditions: Sequence[PlayedCondition],
    store: Store,
    *,
    quick: bool,
    standard: bool,
) -> dict[str, Any]:
    """Return the card as plain JSON. `standard` says that no seat but those under test was changed."""
    tables = [
        _table([one for one in conditions if one.condition.table.name == name], store)
        for name in dict.fromkeys(one.condition.table.name for one in conditions)
    ]
    card = {
        "benchmark": {
            "version": bench.version,
            "hash": bench.hash,
            "split": split,
            "quick": quick,
            "standard": standard,
        },
        "osler": osler.__version__,
        "knowledge": fingerprint(),
        "use": LABEL,
        "tables": tables,
    }
    return {**card, "hash": card_hash(card)}


def shown_measures(protocol: Protocol) -> list[Measure]:
    """The measures on the card: the headline, and the protocol's main ones."""
    names = dict.fromkeys((protocol.measures[0].name, *protocol.main))
    return [protocol.measure(name) for name in names] if protocol.main else list(protocol.measures[:_FIRST])


def _table(found: Sequence[PlayedCondition], store: Store) -> dict[str, Any]:
    first = found[0].condition
    run, protocol = found[0].run, protocol_of(found[0].run)
    setup = config_of(run).setup()
    setup.pop(protocol.under_test, None)
    measures = shown_measures(protocol)
    judges = {grader for one in found for grader, _ in store.graders(one.run.id)}
    return {
        "name": first.table.name,
        "protocol": protocol.name,
        "cases": first.config.cases,
        "cases_fingerprint": run.manifest["configuration"]["cases_fingerprint"],
        "seed": first.config.seed,
        "repeats": first.config.repeats,
        "setup": setup,
        "judge": notes_on(judges)["graders"],
        "measures": {one.name: one.words for one in measures},
        "runs": [_run(one, store) for one in found],
        "rows": [row for one in found for row in _rows(one, measures, store)],
    }


def _run(one: PlayedCondition, store: Store) -> dict[str, Any]:
    configuration = one.run.manifest["configuration"]
    whole = totals(one.run, store)
    exported = sha256()
    for line in export_lines(store, one.run.id):
        exported.update(line.encode() + b"\n")
    return {
        "player": one.condition.player,
        "role": one.condition.role,
        "models": dict(configuration.get("models", {})),
        "configuration": hash_of(configuration),
        "episodes": whole.episodes,
        "ended": {str(status): count for status, count in whole.ended.items()},
        "export": exported.hexdigest(),
    }


def _rows(one: PlayedCondition, measures: Iterable[Measure], store: Store) -> list[dict[str, Any]]:
    result = totals(one.run, store).measures
    return [
        {
            "player": one.condition.player,
            "role": one.condition.role,
            "measure": measure.name,
            "value": figure.value,
            "low": figure.low,
            "high": figure.high,
            "n": figure.n,
            "unscored": figure.unscored,
        }
        for measure in measures
        if (figure := result.get(measure.name)) is not None
    ]


def json_text(card: dict[str, Any]) -> str:
    """The card as text: sorted keys, the same bytes for the same card."""
    return json.dumps(card, sort_keys=True, indent=1, allow_nan=False) + "\n"


def markdown(card: dict[str, Any]) -> str:
    """The card for a forge: a table for each table, players in rows."""
    lines = [f"# {title(card)}", "", card["use"], "", standing(card), ""]
    for table in card["tables"]:
        lines += [f"## {_md(table['name'])}", "", _md(about(table)), ""]
        columns = ["player", *table["measures"].values(), "unscored"]
        lines += [f"| {' | '.join(map(_md, columns))} |", f"|{' --- |' * len(columns)}"]
        for player, cells, unscored in players(table):
            shown = (f"{one.value} ({one.interval})" if one.interval != "-" else one.value for one in cells)
            lines.append(f"| {' | '.join(map(_md, (player, *shown, str(unscored))))} |")
        lines += ["", f"Judged by {_md(judged_by(table))}.", ""]
    return "\n".join([*lines, f"Card `{card['hash']}`.", ""])


def html(card: dict[str, Any]) -> str:
    """The card as one page without scripts and without a network."""
    parts = [(table, about(table), list(players(table)), judged_by(table)) for table in card["tables"]]
    return page_template("bench.html.j2").render(
        card=card, title=title(card), standing=standing(card), tables=parts
    )


def title(card: dict[str, Any]) -> str:
    """The title of a card."""
    bench = card["benchmark"]
    what = "a quick look at the benchmark" if bench["quick"] else "the benchmark"
    return f"Osler {card['osler']}: {what}, version {bench['version']}, split {bench['split']}"


def about(table: dict[str, Any]) -> str:
    """The cases of a table and who plays the other seats, in one sentence."""
    episodes = max(run["episodes"] for run in table["runs"])
    setup = "; ".join(f"{seat}: {name}" for seat, name in table["setup"].items())
    return (
        f"{table['cases']}, seed {table['seed']}, {episodes:,} encounters for each player. {setup}."
        f" Cases {table['cases_fingerprint']}."
    )


def judged_by(table: dict[str, Any]) -> str:
    """The judges of a table, and how far each was measured against people."""
    return "; ".join(f"{name} ({agreement})" for name, agreement in table["judge"].items()) or "nobody"


def players(table: dict[str, Any]) -> Iterable[tuple[str, list[Cell], int]]:
    """Yield each player with its cells, in the order of the measures, and the encounters left unscored."""
    protocol_measures = table["measures"]
    for run in table["runs"]:
        rows = {row["measure"]: row for row in table["rows"] if row["player"] == run["player"]}
        cells = [_cell(rows.get(name), table["protocol"], name) for name in protocol_measures]
        role = "" if run["role"] == "named" else f" ({run['role']})" if run["role"] != run["player"] else ""
        first = rows.get(next(iter(protocol_measures)))
        yield f"{run['player']}{role}", cells, first["unscored"] if first else 0


def _cell(row: dict[str, Any] | None, protocol: str, name: str) -> Cell:
    if row is None:
        return Cell("-", "-", "")
    figure = Estimate(row["value"], row["low"], row["high"], row["n"], row["unscored"])
    return cell(figure, _share(protocol, name))


def _share(protocol: str, name: str) -> bool:
    return protocol_named(protocol).measure(name).share


def standing(card: dict[str, Any]) -> str:
    """Whether a card may be compared with others, in one sentence."""
    bench = card["benchmark"]
    if not bench["standard"]:
        return "Other seats than those under test were changed: not comparable with the standard card."
    if bench["quick"]:
        return "A quick look at a part of the cases: not comparable with the whole benchmark."
    return "The standard card: comparable with every other of this version and split."


def _md(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
