"""A release that is later than this one by one migration, made up to see that it is applied."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from osler.store import connect
from osler.store.schema import HEAD

NEXT = f"{int(HEAD) + 1:04}"
MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{NEXT}", "{HEAD}"

def upgrade():
    op.add_column("rooms", sa.Column("place", sa.Text))
    op.execute("UPDATE rooms SET place = 'upstairs'")
"""


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, migration: str = MIGRATION) -> None:
    """Be that release from now on; its migrations are copied to a `folder` that is not there yet."""
    shutil.copytree(connect.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"v{NEXT}_made_up.py").write_text(migration)
    monkeypatch.setattr(connect, "MIGRATIONS", folder)
    monkeypatch.setattr(connect, "HEAD", NEXT)
