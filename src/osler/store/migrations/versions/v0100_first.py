"""The schema of the first release, at which migrations begin. A new store is made whole, without them."""

from __future__ import annotations

revision = "0100"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A store of this schema needs nothing."""
