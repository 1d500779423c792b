"""The pictures of a case: which it holds, under which neutral names, and whether some are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from osler.cases.model import Case, Finding
from osler.core.pictures import ImageFile, Picture

UNSEEN: Final = "unseen"
"""The code of the flag of a case whose source has pictures that were not at hand ("unseen: ...")."""


def images_of(case: Case) -> dict[str, Finding]:
    """The case's images by the id that every seat uses for them: `image-1`, `image-2` ...

    Where image files are among them, these and other pictures are all; else an imaging report counts, too.
    """
    pictured = [finding for finding in case.findings if finding.picture is not None]
    if not any(isinstance(finding.picture, ImageFile) for finding in pictured):
        pictured = [one for one in case.findings if one.picture is not None or one.kind == "image"]
    return {f"image-{n}": finding for n, finding in enumerate(pictured, 1)}


def pictures_of(case: Case) -> dict[str, Picture]:
    """The pictures of a case, drawn ones and files, by the ids `image-1`, `image-2` ...: for whoever sees all
    of it, such as a judge or a rater. `osler.pictures.draw` gives their bytes."""
    return {ident: one.picture for ident, one in images_of(case).items() if one.picture is not None}


def files_in(item: Any) -> Iterator[ImageFile]:
    """The image files of a case or a scenario; none for what another package calls one."""
    for one in (*getattr(item, "findings", ()), *getattr(item, "actions", ())):
        if isinstance(picture := getattr(one, "picture", None), ImageFile):
            yield picture
    own = getattr(item, "pictures", ())
    yield from (one for one in own if isinstance(one, ImageFile)) if isinstance(own, tuple) else ()


def unseen(case: object) -> str:
    """The flag saying that images of the case's source are missing, so that its text alone may not answer it;
    empty if none are."""
    flags = getattr(getattr(case, "provenance", None), "flags", None)
    said = flags if isinstance(flags, tuple) else ()  # another package's may be anything
    return next((one for one in said if isinstance(one, str) and one.startswith(f"{UNSEEN}:")), "")
