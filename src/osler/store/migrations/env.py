"""Run by alembic: brings the store behind the connection it is handed up to date, inside its transaction."""

from __future__ import annotations

from alembic import context

from osler.store.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
