"""A new store: today's tables, with the triggers and partitions that keep them, made at once.

A store that an earlier release made comes to the same tables by migrations, from the first release's schema
on (`osler.store.migrations`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.memory.sql_memory import metadata as of_memory
from osler.store.schema import HEAD, PARTITIONED, VERSION_TABLE
from osler.store.schema import metadata as of_store

_OF_VERSION: Final = sa.MetaData()
_VERSION: Final = sa.Table(
    VERSION_TABLE,
    _OF_VERSION,
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)

# An update and not an upsert: how a trigger's upsert ends would depend on the statement that fired it.
_ADD: Final = """
INSERT INTO episode_counts SELECT NEW.run, 0, 0
WHERE NOT EXISTS (SELECT 1 FROM episode_counts WHERE run = NEW.run AND shard = 0);
UPDATE episode_counts SET ended = ended + 1 WHERE run = NEW.run AND shard = 0;
"""
_TAKE: Final = "UPDATE episode_counts SET ended = ended - 1 WHERE run = OLD.run AND shard = 0;"
_ON_FILE: Final = (
    # Single words are looked up, so neither their order nor the length of lines is kept a second time.
    "CREATE VIRTUAL TABLE search_words USING fts5(words, content='search_lines', content_rowid='id',"
    " tokenize='ascii', detail='none', columnsize=0)",
    "CREATE TRIGGER search_lines_in AFTER INSERT ON search_lines BEGIN"
    " INSERT INTO search_words (rowid, words) VALUES (NEW.id, NEW.words); END",
    "CREATE TRIGGER search_lines_out AFTER DELETE ON search_lines BEGIN"
    " INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.id, OLD.words); END",
    f"CREATE TRIGGER episodes_counted_in AFTER INSERT ON episodes BEGIN {_ADD} END",
    f"CREATE TRIGGER episodes_counted_out AFTER DELETE ON episodes BEGIN {_TAKE} END",
    f"CREATE TRIGGER episodes_counted_over AFTER UPDATE OF run ON episodes BEGIN {_TAKE} {_ADD} END",
)

# One row of the counter for each statement, however many episodes it writes, and that of this session: those
# that commit at the same time would otherwise wait for each other. The schema is named since it need not be
# on the search path of whoever writes.
_ON_SERVER: Final = (
    "CREATE INDEX search_lines_words ON search_lines USING gin"
    " (array_to_tsvector(string_to_array(btrim(words, ' '), ' ')))",
    *(f"CREATE TABLE {table.name}_default PARTITION OF {table.name} DEFAULT" for table in PARTITIONED),
    """
CREATE FUNCTION count_episodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  add CONSTANT text := 'INSERT INTO ' || quote_ident(TG_TABLE_SCHEMA) || '.episode_counts AS held'
    ' SELECT run, mod(pg_backend_pid(), 32), sum(by) FROM (';
  up CONSTANT text := ') AS each GROUP BY run ORDER BY run'
    ' ON CONFLICT (run, shard) DO UPDATE SET ended = held.ended + excluded.ended';
BEGIN
  IF TG_OP = 'INSERT' THEN
    EXECUTE add || 'SELECT run, 1 AS by FROM fresh' || up;
  ELSIF TG_OP = 'DELETE' THEN
    EXECUTE add || 'SELECT run, -1 AS by FROM gone' || up;
  ELSE
    EXECUTE add || 'SELECT run, 1 AS by FROM fresh UNION ALL SELECT run, -1 FROM gone' || up;
  END IF;
  RETURN NULL;
END
$$""",
    "CREATE TRIGGER episodes_counted_in AFTER INSERT ON episodes"
    " REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
    "CREATE TRIGGER episodes_counted_out AFTER DELETE ON episodes"
    " REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
    "CREATE TRIGGER episodes_counted_over AFTER UPDATE ON episodes"
    " REFERENCING OLD TABLE AS gone NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
)


def create(connection: Connection) -> None:
    """Make a whole store of an empty database, in the connection's transaction."""
    dialect = connection.dialect
    others = _ON_SERVER if dialect.name == "postgresql" else _ON_FILE
    for statement in (*_tables(f"{dialect.name}+{dialect.driver}"), *others):
        connection.exec_driver_sql(statement)
    connection.execute(sa.insert(_VERSION).values(version_num=HEAD))


@cache
def _tables(driver: str) -> tuple[str, ...]:
    """The statements that make the tables; to compile them takes as long as to run them."""
    result: list[str] = []

    def note(statement: Any, *_: object, **__: object) -> None:  # DDL of any kind
        result.append(str(statement.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine(f"{driver}://", note)
    for metadata in (of_store, of_memory, _OF_VERSION):
        metadata.create_all(engine, checkfirst=False)
    return tuple(result)
