"""The image files of cases: written with a run's beginning, so that the run needs no folder from then on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from osler.core.pictures import ImageFile
from osler.store.schema import pictures, run_pictures

_DATA: Final = ("sha256", "media_type", "width", "height")


def keep(connection: Connection, run_id: int, files: Mapping[str, ImageFile]) -> None:
    """Write a run's image files by the names of their source. Raises BadInput where bytes are not at hand."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    for name, picture in sorted(files.items()):
        rows = connection.execute(sa.select(pictures.c.sha256).where(pictures.c.sha256 == picture.sha256))
        if rows.first() is None:
            row = {name: getattr(picture, name) for name in _DATA} | {"body": picture.raw()}
            connection.execute(dialect.insert(pictures).values(row).on_conflict_do_nothing())
        connection.execute(sa.insert(run_pictures).values(run=run_id, name=name, sha256=picture.sha256))


def of_run(connection: Connection, run_id: int) -> dict[str, ImageFile]:
    """A run's image files by the names of their source."""
    columns = (pictures.c[name] for name in _DATA)
    joined = run_pictures.join(pictures, pictures.c.sha256 == run_pictures.c.sha256)
    query = sa.select(run_pictures.c.name, *columns).select_from(joined).where(run_pictures.c.run == run_id)
    rows = connection.execute(query.order_by(run_pictures.c.name)).all()
    return {
        name: ImageFile(sha256=sha256, media_type=kind, width=width, height=height)
        for name, sha256, kind, width, height in rows
    }


def body_of(connection: Connection, sha256: str) -> bytes | None:
    """The bytes of an image file, or `None`."""
    result = connection.execute(sa.select(pictures.c.body).where(pictures.c.sha256 == sha256)).scalar()
    return None if result is None else bytes(result)


def forget_unused(connection: Connection) -> None:
    """Delete the image files that no run shows any more."""
    used = sa.select(run_pictures.c.sha256)
    connection.execute(sa.delete(pictures).where(pictures.c.sha256.not_in(used)))
