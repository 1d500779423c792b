"""The page of figures of a trial, in Markdown. Texts of the model are shown as code, on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from osler.text.hostile import safe


def page(figures: Mapping[str, Any]) -> str:
    """The page of (redacted) figures."""
    lines = [
        "# Trial of a model in every seat",
        "",
        f"- Osler {figures['osler']}",
        f"- model: {_code(figures['model'])}",
        f"- settings: {_counts(figures['settings'])}",
        f"- it took {figures['seconds']:g} s, cost {_number(figures['cost'])}",
        f"- speed: {_speed(figures['speed'])}",
        "- The model judged encounters that it played in itself: that tests the judge's seat, and its scores"
        " say nothing.",
        "",
        *_left_out(figures["left_out"]),
        *_section("Parts", _parts(figures["steps"])),
        *_section("Seats", _turns(figures["seats"])),
        *_calls(figures["seats"]),
        "",
        f"Served as: {', '.join(_code(one) for one in _served(figures['seats'])) or 'nothing was said'}",
        "",
        *_section("Check", _checks(figures["check"])),
    ]
    return "\n".join(lines)


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    return [f"## {heading}", "", *lines, ""]


def _parts(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    return _table(
        ("part", "status", "episodes", "why"),
        [(one["step"], one["status"], _ended(one), one["why"]) for one in steps],
    )


def _turns(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    """The turns of each seat, by whether they were answered, and how."""
    return _table(
        (
            *("protocol", "seat", "turns", "first try", "repaired", "unanswered"),
            *("cut", "refused", "out of role", "refused attempts"),
        ),
        [
            (
                one["protocol"],
                one["seat"],
                one["turns"],
                one["valid_at_first_try"],
                one["repaired"],
                one["unanswered"],
                one["cut"],
                one["refused"],
                one["out_of_role"],
                _counts(one["refused_attempts"]),
            )
            for one in seats
        ],
    )


def _calls(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    """The requests of each seat: how many, their tokens, cost and time."""
    return _table(
        (
            *("seat", "calls", "sent again", "rungs", "sent", "answered", "in the median"),
            *("thought", "cost", "median", "p90"),
        ),
        [
            (
                f"{one['protocol']}: {one['seat']}",
                one["calls"],
                _counts(one["requests_sent_again"]),
                _counts(one["rungs"]),
                _number(one["prompt_tokens"]),
                _number(one["completion_tokens"]),
                _number(one["generated_median"]),
                _number(one["reasoning_tokens"]),
                _number(one["cost"]),
                _seconds(one["latency_median_s"]),
                _seconds(one["latency_p90_s"]),
            )
            for one in seats
        ],
    )


def _checks(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    return _table(
        ("check", "ok", "result"),
        [(one["name"], "ok" if one["ok"] else "FIX", _code(one["what"])) for one in checks],
    )


def _ended(step: Mapping[str, Any]) -> str:
    """The ends of a part's episodes, or of its judgements."""
    if "judged" in step:
        missing = _counts(step["unscored_because"])
        return f"{step['judged']} judged" + (f", unscored: {missing}" if missing != "none" else "")
    if "planned" not in step:
        return ""
    ends = [f"{one['status']} {one['cause']}".strip() for one in step["episodes"]]
    left = step["planned"] - len(ends)
    return ", ".join([*ends, *([f"{left} not ended"] if left else [])])


def _speed(speed: Mapping[str, Any] | None) -> str:
    if speed is None:
        return "unknown"
    kept = ", and it keeps what it has read" if speed["keeps"] else ""
    return f"it reads {speed['reads_per_s']:,} and writes {speed['writes_per_s']:,} tokens a second{kept}"


def _left_out(left_out: Sequence[str]) -> list[str]:
    """The section of what was not tried; nothing if all was."""
    if not left_out:
        return []
    return ["## Left out", "", *(f"- {_cell(one)}" for one in left_out), ""]


def _served(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({name for one in seats for name in (*one["models"], *one["served_by"])})


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    cells = [[_cell(one) for one in row] for row in (heads, ["--"] * len(heads), *rows)]
    return [f"| {' | '.join(row)} |" for row in cells]


def _cell(value: object) -> str:
    return " ".join(safe(str(value)).split()).replace("|", "\\|")


def _code(text: str) -> str:
    """A text as it is: neither a link nor a picture comes of it."""
    return "`" + " ".join(safe(text).split()).replace("`", "'") + "`"


def _counts(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {one}" for name, one in counts.items()) or "none"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _seconds(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f} s"
