"""A store that a test is given quickly is the one that the migrations make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from osler.store.store import open_store
from tests import fresh_stores

ROOT = Path(__file__).parent


def held(path: Path) -> list[str]:
    """Every statement that makes the file anew, and its settings."""
    with closing(sqlite3.connect(path)) as found:
        settings = [str(found.execute(f"PRAGMA {one}").fetchone()) for one in ("journal_mode", "page_size")]
        return [*settings, *found.iterdump()]


def test_it_holds_the_same_to_the_last_statement(tmp_path: Path) -> None:
    open_store(tmp_path / "quick.db").close()
    fresh_stores.told(ROOT / "store" / "test_any.py", ROOT)
    try:
        open_store(tmp_path / "migrated.db").close()
    finally:
        fresh_stores.told(Path(__file__), ROOT)
    quick, migrated = held(tmp_path / "quick.db"), held(tmp_path / "migrated.db")
    assert quick == migrated
    assert len(quick) > 20
