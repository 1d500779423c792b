"""The schema of the exported tables: their columns in order, with the type and meaning of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from osler.core.measure import Measure
from osler.core.protocol import Protocol

Kind = Literal["text", "integer", "number"]


class Column(NamedTuple):
    """A column of UTF-8 text, integers or numbers; a cell is empty where there is no value."""

    name: str
    kind: Kind
    what: str


class Table(NamedTuple):
    """A table: the name of its file, a description of a row, and its columns."""

    name: str
    row: str
    columns: tuple[Column, ...]


_KEYS: Final = (
    Column("run", "text", "name of the run in its store"),
    Column("ordinal", "integer", "number of the episode in its run"),
)
_EXCHANGES: Final = Table(
    "exchanges",
    "one question to a seat and its reply",
    (
        *_KEYS,
        Column("n", "integer", "number of the exchange in its episode"),
        Column("minute", "integer", "simulated minutes since the encounter began"),
        Column("seat", "text", "who was asked"),
        Column("action", "text", "the move of the seat under test, empty for other seats"),
        Column("request", "text", "hash of the whole request"),
        Column("events", "text", "JSON: what happened since the exchange before"),
        Column("reply", "text", "JSON: the reply, private parts included"),
        Column("attempts", "text", "JSON: what was refused, and what a model's reply took"),
        Column("refused", "integer", "how many attempts were refused"),
    ),
)
_SCORES: Final = Table(
    "scores",
    "one score of one episode by one judge",
    (
        *_KEYS,
        Column("grader", "text", "which judge"),
        Column("version", "text", "the judge's version"),
        Column("score", "text", "name of the score"),
        Column("value", "number", "the score, empty where unscored"),
        Column("reason", "text", "why it is so, or why there is none"),
        Column("evidence", "text", "JSON: quotes from the trace"),
        Column("use", "text", "what marks are for: formative"),
        Column("agreement", "text", "the grader's measured agreement, n and on what"),
    ),
)


def counts_of(protocol: Protocol) -> list[Measure]:
    """Return the measures that are counted from how an episode ended."""
    return [one for one in protocol.measures if not one.judged and not one.traced]


def scores_of(protocol: Protocol) -> list[Measure]:
    """Return the judged and traced measures in column order: plain scores, ratios, trace counts."""
    others = [one for one in protocol.measures if one.judged or one.traced]
    return sorted(others, key=lambda one: (one.traced, one.ratio))


def columns_of(measure: Measure) -> Iterator[Column]:
    """Yield the columns of a score; a ratio also has its numerator and its denominator."""
    yield Column(measure.name, "number", f"{measure.means}; empty where unscored, see table scores")
    if measure.ratio:
        yield Column(f"{measure.name}_part", "number", f"what {measure.name} sums up, above its line")
        yield Column(f"{measure.name}_whole", "number", f"what {measure.name} sums up, below its line")


def tables_of(
    protocol: Protocol, of_case: Sequence[Column] = (), of_end: Sequence[Column] = ()
) -> tuple[Table, Table, Table]:
    """Return the tables of episodes, exchanges and scores for a protocol's runs. `of_case` and `of_end` are
    the protocol's extra columns, on the case and on how an episode ended."""
    counts = counts_of(protocol)
    minutes = Column("minutes", "integer", "simulated minutes")
    columns = [Column(one.name, "integer", one.means) for one in counts]
    episodes = (
        *_KEYS,
        Column("episode", "text", "hash of all that determines the episode"),
        Column("case_id", "text", "the case's id"),
        Column("case_hash", "text", "hash of the case's content: resample by this"),
        *of_case,
        Column("status", "text", "how the episode ended"),
        Column("reason", "text", "why it ended so"),
        *columns,
        *([] if any(one.name == "minutes" for one in counts) else [minutes]),
        Column("exchanges", "integer", "questions put to seats"),
        *of_end,
        Column("grader_version", "text", "version of the built-in judge, empty where not judged"),
        *(column for measure in scores_of(protocol) for column in columns_of(measure)),
    )
    return Table("episodes", "an episode", episodes), _EXCHANGES, _SCORES
