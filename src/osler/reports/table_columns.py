"""What the tables of an export are: their columns, in order, and what each holds."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from osler.judging.scores import NAMES

Kind = Literal["text", "integer", "number"]


class Column(NamedTuple):
    """A column: text in UTF-8, a whole number, or a number; empty where there is nothing."""

    name: str
    kind: Kind
    what: str


class Table(NamedTuple):
    """A table by the name of its file, with what a row is."""

    name: str
    row: str
    columns: tuple[Column, ...]


_KEYS: Final = (
    Column("run", "text", "name of the run in its store"),
    Column("ordinal", "integer", "number of the episode in its run"),
)
SCORED: Final = tuple(name for name in NAMES if name not in ("turns", "tests", "minutes", "cost"))
"""The built-in judge's scores that an episode's row holds beside its own figures."""
_SCORE_COLUMNS: Final = tuple(
    Column(name, "number", f"the built-in judge's score {name!r}; empty where unscored, see table scores")
    for name in SCORED
)
EPISODES: Final = Table(
    "episodes",
    "an episode",
    (
        *_KEYS,
        Column("episode", "text", "hash of all that determines the episode"),
        Column("case_id", "text", "the case's id"),
        Column("case_hash", "text", "hash of the case's content: resample by this"),
        Column("kind", "text", "kind of task: diagnosis, choice or open"),
        Column("chance", "number", "what guessing would score, empty where nobody can guess"),
        Column("status", "text", "how the episode ended"),
        Column("reason", "text", "why it ended so"),
        Column("turns", "integer", "the doctor's turns"),
        Column("tests", "integer", "tests ordered"),
        Column("minutes", "integer", "simulated minutes"),
        Column("cost", "integer", "tariff points"),
        Column("exchanges", "integer", "questions put to seats"),
        Column("diagnosis", "text", "the doctor's conclusion, empty without one"),
        Column("answer", "text", "key of the option chosen, empty without one"),
        Column("grader_version", "text", "version of the built-in judge, empty where not judged"),
        *_SCORE_COLUMNS,
    ),
)
EXCHANGES: Final = Table(
    "exchanges",
    "one question to a seat and its reply",
    (
        *_KEYS,
        Column("n", "integer", "number of the exchange in its episode"),
        Column("minute", "integer", "simulated minutes since the encounter began"),
        Column("seat", "text", "who was asked"),
        Column("action", "text", "the doctor's move, empty for other seats"),
        Column("request", "text", "hash of the whole request"),
        Column("events", "text", "JSON: what happened since the exchange before"),
        Column("reply", "text", "JSON: the reply, private parts included"),
        Column("attempts", "text", "JSON: what was refused, and what a model's reply took"),
        Column("refused", "integer", "how many attempts were refused"),
    ),
)
SCORES: Final = Table(
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
    ),
)
TABLES: Final = (EPISODES, EXCHANGES, SCORES)
