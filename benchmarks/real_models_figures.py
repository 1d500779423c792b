"""The figures of `real_models.py`: a row for every question to a seat, sums over them, and tables of those.

Nothing here knows the form of an answer: rows are read from the record of attempts and calls.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, Final

from real_models_loop import is_answer

from osler.core.attempts import REFUSED
from osler.models.faults import MODELS_OWN
from osler.runs.run import config_of, protocol_of
from osler.runs.totals import totals
from osler.stats.intervals import wilson
from osler.store.records import RunInfo
from osler.store.store import Store

Row = dict[str, Any]  # JSON
_OWN: Final = frozenset(map(str, MODELS_OWN))
_UNKNOWN_ID: Final = re.compile(
    r"(?:has|have) the id|there is no (?:fact|finding|step|item|act|person|student)\b"
    r"|(?:holds|has) no (?:fact|finding)|nobody (?:here|of yours)|no thought for|is no act of"
    r"|not (?:on|among|in) (?:offer|the)|unknown id|none of (?:your|these|the) (?:facts|findings|ids)",
    re.IGNORECASE,
)
"""A refusal's reason that names an id, a person or a number which is not on offer."""


def rows_of(store: Store, run: RunInfo) -> list[Row]:
    """A row for every question to a seat that the model has, in the run's order."""
    config, protocol = config_of(run), protocol_of(run)
    seats = {seat for seat in config.names() if config.models_in(seat)}
    calls: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for each in store.calls(run.id):
        calls[each.ordinal, each.n].append(each.body)
    found = []
    for ordinal in sorted({*store.done(run.id), *store.partial(run.id)}):
        question = ""
        for asked in store.recorded(run.id, ordinal):
            if asked.seat == "doctor" and protocol.name == "consultation":
                question = (json.loads(asked.reply) or {}).get("question", "")
            if asked.seat in seats:
                refused = [one for one in json.loads(asked.attempts) if one["at"] == REFUSED]
                row = _row(calls[ordinal, asked.n], refused, answered=asked.reply != "null")
                row |= {"episode": ordinal, "n": asked.n, "seat": protocol.role(asked.seat).name}
                spoken = row["seat"] == "patient" and protocol.name == "consultation"
                words = json.loads(asked.reply).get("answer", "") if spoken and row["answered"] else None
                if words is not None:
                    row |= {"text": words[:300], "answers": is_answer(words, question)}
                found.append(row)
    return found


def _row(calls: Sequence[Row], refused: Sequence[Row], *, answered: bool) -> Row:
    tried = [one for call in calls for one in (*call["tries"], call)]
    client = [one["outcome"] for call in calls for one in call["tries"] if one["outcome"] in _OWN]
    return {
        "answered": answered,
        "refused": [*(one.get("cause", "invalid") for one in refused), *client],
        "why": [one["error"][:160] for one in refused],
        "unknown_ids": sum(bool(_UNKNOWN_ID.search(one["error"])) for one in refused),
        "requests": len(tried),
        "cut": sum(one["finish_reason"] == "length" for one in tried),
        "sent": _sum(calls, "prompt_tokens"),
        "cached": _sum(calls, "cached_tokens"),
        "generated": _sum(calls, "completion_tokens"),
        "seconds": round(sum(one["latency_s"] for one in tried), 2),
    }


def _sum(calls: Iterable[Row], name: str) -> int | None:
    counts = [call[name] for call in calls]
    return None if None in counts else sum(counts)


def ends_of(store: Store, run: RunInfo) -> Row:
    """How the episodes of a run ended, and its score with an interval."""
    found = totals(run, store).as_json()
    headline = protocol_of(run).measures[0].name
    keys = ("correct", headline, "right_but_unsupported", "supported", "concluded_without_evidence")
    measures = {name: found["measures"][name] for name in keys if name in found["measures"]}
    ends = {name: found[name] for name in ("episodes", "ended", "ended_because")}
    return {"planned": run.planned, **ends, "headline": headline, "measures": measures}


def seats_in(parts: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of every seat of a protocol, over all parts, in their order."""
    found: dict[str, list[Row]] = defaultdict(list)
    for part in parts:
        for row in part["rows"]:
            found[f"{part['protocol']}/{row['seat']}"].append(row)
    return found


def figures(rows: Sequence[Row]) -> Row:
    """The sums over some rows."""
    first = [row["answered"] and not row["refused"] for row in rows]
    share = wilson(sum(first), len(first))
    causes = Counter(cause for row in rows for cause in row["refused"])
    sent, cached, written = (_sum(rows, name) for name in ("sent", "cached", "generated"))
    return {
        "asked": len(rows),
        "first": sum(first),
        "first_share": [share.value, share.low, share.high],
        "repaired": sum(row["answered"] and bool(row["refused"]) for row in rows),
        "unanswered": sum(not row["answered"] for row in rows),
        "requests": sum(row["requests"] for row in rows),
        "refused_attempts": dict(sorted(causes.items())),
        "cut": sum(row["cut"] for row in rows),
        "unknown_ids": sum(row["unknown_ids"] for row in rows),
        "sent": sent,
        "fresh": None if sent is None or cached is None else sent - cached,
        "generated": written,
        "generated_median": _median(row["generated"] for row in rows),
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "seconds_median": _median(row["seconds"] for row in rows),
    }


def doctors(parts: Iterable[Row]) -> Row:
    """The tokens that the doctor wrote in whole consultations, those that ended alone."""
    episodes: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for part in parts:
        if part["seat"] == "consultation/doctor":
            for row in part["rows"]:
                if row["episode"] in part["done"]:
                    episodes[part["part"], row["episode"]].append(row)
    written = [sum(row["generated"] or 0 for row in rows) for rows in episodes.values()]
    moves = [row["generated"] for rows in episodes.values() for row in rows]
    return {
        "consultations": len(episodes),
        "moves": len(moves),
        "per_move_median": _median(moves),
        "per_consultation": written,
        "per_consultation_mean": round(sum(written) / len(written), 1) if written else None,
        "per_consultation_median": _median(written),
    }


def loop_figures(cases: Sequence[Row]) -> Row:
    """The sums over AgentClinic's cases."""
    keys = ("calls", "sent", "fresh", "generated", "cut", "diagnosed")
    found: Row = {"cases": len(cases), **{key: sum(one[key] for one in cases) for key in keys}}
    answers = [one for case in cases for one in case["answers"]]
    questions = [one for one in answers if one["by"] == "patient"]
    return found | _per_answer(
        found,
        questions=len(questions),
        answered=sum(one["answered"] for one in questions),
        orders=len(answers) - len(questions),
        filled=sum(one["answered"] for one in answers if one["by"] != "patient"),
        seconds=sum(one["seconds"] for one in cases),
    )


def ours_beside(part: Row) -> Row:
    """The same sums over our part beside the loop."""
    rows = part["rows"]
    patient = [row for row in rows if row["seat"] == "patient"]
    orders = [row for row in rows if row["seat"] == "examination"]
    all_ = figures(rows)
    found = {
        "cases": len(part["done"]),
        "calls": all_["requests"],
        **{key: all_[key] for key in ("sent", "fresh", "generated", "cut")},
        "diagnosed": part["ends"]["ended"].get("completed", 0),
    }
    return found | _per_answer(
        found,
        questions=len(patient),
        answered=sum(row.get("answers", False) for row in patient),
        orders=len(orders),
        filled=sum(row["answered"] for row in orders),
        seconds=part["seconds"],
    )


def _per_answer(
    found: Row, *, questions: int, answered: int, orders: int, filled: int, seconds: float
) -> Row:
    written, answers = found["generated"], answered + filled
    return {
        "questions": questions,
        "questions_answered": answered,
        "orders": orders,
        "orders_answered": filled,
        "generated_per_answer": round(written / answers, 1) if answers and written is not None else None,
        "seconds": round(seconds, 1),
    }


def markdown(found: Row, beside: Row | None) -> str:
    """The tables, as Markdown. With `beside`, an earlier file of the same plan, both stand together."""
    both = [*([beside] if beside else []), found]
    blocks = [_about(one) for one in both]
    blocks.append(_seats(both))
    if any(doctors(one["parts"])["consultations"] for one in both):
        blocks.append(_doctor(both))
    blocks += [_ends(both)]
    if any(one["loop"] or _beside(one) for one in both):
        blocks.append(_loops(both))
    return "\n\n".join(blocks) + "\n"


def _about(found: Row) -> str:
    told = ", ".join(f"{name} {value}" for name, value in found["settings"].items())
    skipped = [f"{one['part']} ({one['status']})" for one in found["parts"] if one["status"] != "done"]
    words = f"*{found['label']}*: {found['model']}, Osler {found['osler']}; {told}."
    return words + (f" Not played to their end: {', '.join(skipped)}." if skipped else "")


def _seats(both: Sequence[Row]) -> str:
    head: tuple[str, ...] = (
        "seat",
        "form",
        "asked",
        "valid at first try (95 %)",
        "repaired",
        "not answered",
        "cut",
    )
    head += ("unknown ids", "tokens sent", "fresh", "written", "written, median", "seconds, median")
    found = [seats_in(one["parts"]) for one in both]
    lines = []
    for seat in dict.fromkeys(name for each in found for name in each):
        for one, seats in zip(both, found, strict=True):
            if seat in seats:
                lines.append((seat, one["label"], *_cells(figures(seats[seat]))))
    return _table(head, lines)


def _cells(one: Row) -> tuple[object, ...]:
    return (
        one["asked"],
        f"{one['first']} ({_share(one['first_share'])})",
        *(one[key] for key in ("repaired", "unanswered", "cut", "unknown_ids", "sent", "fresh", "generated")),
        one["generated_median"],
        one["seconds_median"],
    )


def _doctor(both: Sequence[Row]) -> str:
    head: tuple[str, ...] = ("a model as doctor", "consultations", "moves", "written a move, median")
    head += ("written a consultation, mean", "median")
    keys = ("consultations", "moves", "per_move_median", "per_consultation_mean", "per_consultation_median")
    sums = [doctors(one["parts"]) for one in both]
    return _table(
        head, [(one["label"], *(s[key] for key in keys)) for one, s in zip(both, sums, strict=True)]
    )


def _ends(both: Sequence[Row]) -> str:
    lines = []
    for one in both:
        for part in one["parts"]:
            ends = part["ends"]
            causes = {
                f"{how} ({why})": n for how, all_ in ends["ended_because"].items() for why, n in all_.items()
            }
            plain = {how: n for how, n in ends["ended"].items() if how not in ends["ended_because"]}
            score = ends["measures"].get(ends["headline"], {})
            value = _share([score.get(key) for key in ("value", "low", "high")], with_value=True)
            lines.append((part["part"], one["label"], ends["planned"], _counted({**plain, **causes}), value))
    return _table(("part", "form", "episodes", "ended", "headline score (95 %)"), sorted(lines))


def _loops(both: Sequence[Row]) -> str:
    keys: tuple[str, ...] = ("cases", "calls", "sent", "fresh", "generated", "cut")
    keys += ("questions", "questions_answered")
    keys += ("orders", "orders_answered", "generated_per_answer", "diagnosed", "seconds")
    sides = [(f"AgentClinic ({one['label']})", loop_figures(one["loop"])) for one in both if one["loop"]]
    sides += [(f"Osler ({one['label']})", ours_beside(part)) for one in both if (part := _beside(one))]
    return _table(("", *keys), [(name, *(side[key] for key in keys)) for name, side in sides])


def _beside(found: Row) -> Row | None:
    return next((one for one in found["parts"] if one["source"] == "beside the loop"), None)


def _share(ends: Sequence[float | None], *, with_value: bool = False) -> str:
    value, low, high = ends
    reach = "" if low is None or high is None else f"{low:.0%} to {high:.0%}"
    if not with_value:
        return reach or "no interval"
    return "" if value is None else f"{value:.0%}{f' ({reach})' if reach else ''}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in sorted(counts.items()))


def _table(head: Sequence[object], lines: Iterable[Sequence[object]]) -> str:
    told = [head, ["---"] * len(head), *lines]
    return "\n".join(
        "| " + " | ".join("" if one is None else str(one) for one in line) + " |" for line in told
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return round(median(known), 1) if known else None
