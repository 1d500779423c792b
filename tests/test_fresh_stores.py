"""A store that a test is given quickly is the one that the migrations make."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from osler.store.store import open_store
from tests import fresh_stores
from tests.store.conftest import schema_of_its_own

ROOT = Path(__file__).parent
OF_TABLES = """
    SELECT c.relname, c.relkind, c.reloptions, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, a.attidentity, l.collname, pg_get_expr(d.adbin, d.adrelid)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = current_schema()::regnamespace"""
OF_RULES = """
    SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace"""
OF_INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()"
OF_TRIGGERS = """
    SELECT t.tgrelid::regclass, pg_get_triggerdef(t.oid), p.prosrc
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"""
OF_PARTITIONS = """
    SELECT i.inhparent::regclass, c.relname, pg_get_expr(c.relpartbound, c.oid)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE c.relnamespace = current_schema()::regnamespace"""
OF_VERSIONS = "SELECT version_num FROM alembic_version"


def held_by_file(path: str) -> list[str]:
    """Every statement that makes the file anew, and its settings."""
    with closing(sqlite3.connect(path)) as found:
        settings = [str(found.execute(f"PRAGMA {one}").fetchone()) for one in ("journal_mode", "page_size")]
        return [*settings, *found.iterdump()]


def held_by_server(url: str) -> list[str]:
    """Every column, rule, index, trigger and partition of the schema, in any order, and its version."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        schema = str(connection.exec_driver_sql("SELECT current_schema()").scalar())
        rows = [
            str(row).replace(schema, "")
            for asked in (OF_TABLES, OF_RULES, OF_INDEXES, OF_TRIGGERS, OF_PARTITIONS, OF_VERSIONS)
            for row in connection.exec_driver_sql(asked)
        ]
    engine.dispose()
    return sorted(rows)


def check_same(quick: str, migrated: str, held: Callable[[str], list[str]]) -> None:
    """Open both stores, one quickly and one by the migrations, and compare what they hold."""
    open_store(quick).close()
    fresh_stores.told(ROOT / "store" / "test_opening.py", ROOT)
    try:
        open_store(migrated).close()
    finally:
        fresh_stores.told(Path(__file__), ROOT)
    assert held(quick) == held(migrated)
    assert len(held(quick)) > 20


def test_a_file_holds_the_same_to_the_last_statement(tmp_path: Path) -> None:
    check_same(str(tmp_path / "quick.db"), str(tmp_path / "migrated.db"), held_by_file)


def test_a_server_holds_the_same_tables_rules_indexes_and_triggers() -> None:
    for quick in schema_of_its_own():
        for migrated in schema_of_its_own():
            check_same(quick, migrated, held_by_server)
