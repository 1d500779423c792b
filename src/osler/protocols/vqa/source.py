"""The questions of a run: a published set with its pictures, or questions in Osler's own YAML."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from osler.cases.file_source import FileSource, opening
from osler.cases.importers.images import Images
from osler.cases.importers.reading import check_file
from osler.cases.importers.report import Rejected
from osler.cases.own_cases import open_material
from osler.core.pictures import ImageFile
from osler.errors import BadCase, BadInput
from osler.protocols.vqa.item import IMAGE, BadRow, LeftOut, Pictured, VqaItem
from osler.protocols.vqa.question import Question
from osler.protocols.vqa.readers import FORMATS
from osler.text.hostile import safe

if TYPE_CHECKING:
    from osler.protocols.vqa.config import VqaConfig

LIBRARY: Final = Path(__file__).parent / "library"
OWN: Final = "auto"
_NAMED: Final = 5


def open_questions(config: VqaConfig) -> FileSource[Question]:
    """Open the questions that a configuration names: `library`, a file of Osler's own, or a published set in
    its format. Raises BadInput for any other format, and where there is no such file."""
    if config.without_images:
        raise BadInput(
            "a question without its picture is another question",
            where="--without-images",
            hint="--skip-bad leaves out those without; --blind asks each once without its own",
        )
    if config.format == OWN:
        return open_material(config.cases, Question, LIBRARY)
    if config.format not in FORMATS:
        raise BadInput(f"{config.format!r} is no format", where="--format", hint=", ".join(FORMATS))
    with opening(config.cases, "questions", "accepted is a file of questions") as path:
        check_file(path)
    images = Images(config.images)
    part = QuestionFile(path, config.format, images, skip_bad=config.skip_bad)
    return FileSource(path.name, [part], in_folder=False, called="question", may_clash=False, images=images)


class QuestionFile:
    """A file of a published set. Rows that cannot be used refuse it, or are rejected with `skip_bad`."""

    def __init__(self, path: Path, form: str, images: Images, *, skip_bad: bool = False) -> None:
        self.path, self.name = path, path.name
        self._form, self._skip_bad, self._pictures = form, skip_bad, Pictures(images)

    def files(self) -> Iterator[tuple[str, Path]]:
        """The file, under its name and its format."""
        yield f"{self.name}\0{self._form}", self.path

    def read(self) -> Iterator[Question | Rejected]:
        """The questions in order. Raises BadInput, naming the first rows that cannot be used."""
        items = self._read()
        for one in items:
            if isinstance(one, Rejected) and not self._skip_bad:
                raise self._refusal(one, items)
            yield Rejected(one.row, one.why) if isinstance(one, LeftOut) else one

    def _refusal(self, first: Rejected, others: Iterator[Question | LeftOut | Rejected]) -> BadInput:
        bad = [first, *(one for one in others if isinstance(one, Rejected))]
        more = f"; and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
        rows = "; ".join(safe(f"row {one.record}: {one.reason}") for one in bad[:_NAMED])
        return BadInput(rows + more, where=self.name, hint="mend or remove these rows, or give --skip-bad")

    def _read(self) -> Iterator[Question | LeftOut | Rejected]:
        rows = dict[str, int]()
        for one in FORMATS[self._form](self.path):
            if not isinstance(one, VqaItem):
                yield one
            elif one.id in rows:
                yield Rejected(one.row, f"row {rows[one.id]} has the same id, {one.id}")
            else:
                rows[one.id] = one.row
                try:
                    yield question_of(one, self._pictures)
                except ValueError as error:
                    yield Rejected(one.row, str(error))


class Pictures:
    """The pictures of rows: image files found by name, and those inside the file, which are kept in a folder
    of their own until a run's store has them."""

    def __init__(self, images: Images) -> None:
        self._images = images
        self._folder: Path | None = None

    def of(self, row: int, one: Pictured) -> ImageFile:
        """The image file of a picture, without metadata. Raises BadRow, naming it, if it is missing or
        refused."""
        try:
            if one.raw is not None:
                return self._inside(f"row {row}, image {one.number}", one.raw)
            picture = self._images.named([one.name])[0][0].picture
        except (BadCase, BadInput) as error:
            raise BadRow(safe(error.what)) from None
        assert picture is not None  # it raises where there is none
        return picture

    def _inside(self, name: str, raw: bytes) -> ImageFile:
        from osler.pictures.files import cleaned  # noqa: PLC0415 - Pillow is slow to import

        if name in self._images.found:
            return self._images.found[name]
        image = cleaned(raw)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="osler-vqa-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path = self._folder / image.picture.name
        path.write_bytes(image.raw)
        picture = image.picture.lies_at(partial(_bytes_in, path))
        self._images.found[name] = picture
        return picture


def _bytes_in(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=path.name) from None


def question_of(row: VqaItem, pictures: Pictures) -> Question:
    """The question of a row, its pictures numbered by their place. Raises BadRow for a bad picture."""
    place = {one.number: at for at, one in enumerate(row.pictures, 1)}

    def renumbered(text: str) -> str:
        return IMAGE.sub(lambda match: f"<image {place[int(match[1])]}>", text)

    return Question(
        id=row.id,
        question=renumbered(row.question),
        options=tuple(map(renumbered, row.options)),
        right=row.right,
        pictures=tuple(pictures.of(row.row, one) for one in row.pictures),
        subjects=dict(row.subjects),
    )
