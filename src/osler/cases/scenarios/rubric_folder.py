"""A folder of published rubrics, in which a scenario's rubric is found by file name, or else by content."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import load, read, rubric_files
from osler.cases.rubrics.side_file import side_of
from osler.errors import BadInput


class Shelf:
    """Rubrics by case and scenario; without a folder it has none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def rubric(self, case_id: str, scenario: str) -> tuple[Rubric | None, str]:
        """The rubric with its side file's corrections, or `None` and the reason."""
        path = self._path(case_id, scenario)
        if path is None:
            return None, "no rubric" + (f" in {self._folder.name}" if self._folder else "")
        try:
            rubric = load(path)
        except BadInput as error:
            return None, f"no rubric: {path.name}: {error.what}"
        if rubric.key != f"{case_id}/{scenario}":
            return None, f"no rubric: {path.name} is of {rubric.key}"
        return rubric, ""

    def files(self, case_id: str, scenario: str) -> Iterator[Path]:
        """The files that determine it: the rubric's file and its side file."""
        path = self._path(case_id, scenario)
        if path is not None:
            yield from (file for file in (path, side_of(path)) if file.is_file())

    def _path(self, case_id: str, scenario: str) -> Path | None:
        named = self._by_name.get(f"{case_id}_{scenario}")
        return named or self._by_key.get(f"{case_id}/{scenario}")

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        return {} if self._folder is None else {path.stem: path for path in rubric_files(self._folder)}

    @cached_property
    def _by_key(self) -> dict[str, Path]:
        """Files by the key in their content, for those that are not named after it."""
        found: dict[str, Path] = {}
        for path in self._by_name.values():
            try:
                found.setdefault(read(path).key, path)
            except BadInput:
                continue
        return found
