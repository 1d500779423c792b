"""Packets as published: `<case_id>/<scenarioN>/{examinee,sp_actor,environment_controller,evaluator}/`.

Every folder that looks like a packet is read, or refused with the reason; none is skipped silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, get_args

from osler.cases.file_source import natural
from osler.cases.importers.osler_yaml import made_from
from osler.cases.importers.report import Rejected
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import load, read, rubric_files
from osler.cases.rubrics.side_file import side_of
from osler.cases.scenarios.model import Packet, PacketRole, Scenario
from osler.cases.scenarios.packet_text import (
    MAX_BYTES,
    ROLE_NAMES,
    RoleText,
    leads_out,
    passed_over,
    role_files,
    role_text,
)
from osler.cases.scenarios.triage import reason_not_simulatable, triage_files, triage_of
from osler.errors import BadInput
from osler.text.languages import ENGLISH, shown
from osler.text.records.speech_ability import plays_companion, speaks_for, voice_in_brief
from osler.text.records.written_in import written_in


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
        path = self._by_name.get(f"{case_id}_{scenario}")
        return path or self._by_key.get(f"{case_id}/{scenario}")

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        return {} if self._folder is None else {path.stem: path for path in rubric_files(self._folder)}

    @cached_property
    def _by_key(self) -> dict[str, Path]:
        """Files by the key in their content, for those that are not named after it."""
        paths: dict[str, Path] = {}
        for path in self._by_name.values():
            try:
                paths.setdefault(read(path).key, path)
            except BadInput:
                continue
        return paths


ROLES: Final[tuple[PacketRole, ...]] = get_args(PacketRole)
ORIGIN: Final = "a published packet"
RUBRICS: Final = ("rubrics", "frozen_rubrics")
"""Folders of rubrics that may be among the case folders, or beside them."""
_MOST_REMARKS: Final = 20
_LINK: Final = "is a link out of the folder"


class PacketFolder:
    """A packet, and the folder in which to look for its rubric."""

    def __init__(self, path: Path, shelf: Shelf) -> None:
        self.path, self._shelf = path, shelf
        whole = path.resolve()
        self.case_id, self.scenario = whole.parent.name, whole.name
        self.name = self.key = f"{self.case_id}/{self.scenario}"

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files that determine it: those of its roles, a triage file, and those of its rubric."""
        for folder in _folders(self.path):
            if folder.name.lower() in ROLE_NAMES:
                yield from _named(f"{self.name}/{folder.name}", folder)
        for above in (self.path, self.path.parent):
            yield from ((f"{self.name}/{path.name}", path) for path in triage_files(above))
        for path in self._shelf.files(self.case_id, self.scenario):
            yield f"{self.name}/rubric/{path.name}", path

    def read(self) -> Iterator[Scenario | Rejected]:
        """The scenario, or the reason why it is rejected."""
        try:
            yield self._scenario()
        except BadInput as error:
            yield Rejected(1, error.what)
        except OSError as error:
            yield Rejected(1, f"cannot be read: {error.strerror or error}")

    def _scenario(self) -> Scenario:
        roles = {role: role_text(role, folder) for role, folder in self._roles().items()}
        if sum(len(role.text.encode()) for role in roles.values()) > MAX_BYTES:
            raise BadInput(f"its texts are longer than {MAX_BYTES / 1e6:g} MB")
        rubric, missing = self._shelf.rubric(self.case_id, self.scenario)
        remarks = [remark for role in ROLES for remark in roles[role].remarks]
        if rubric is None:
            remarks.insert(0, missing)
        remarks += _of_its_words(roles["examinee"].text, roles["sp_actor"].text)
        flags = [f"note: {remark}" for remark in remarks[:_MOST_REMARKS]]
        return made_from(
            Scenario,
            {
                "case_id": self.case_id,
                "scenario": self.scenario,
                "instructions": "",
                "packet": _packet(roles),
                "frozen_rubric": rubric,
                "provenance": {"origin": ORIGIN, "flags": tuple(flags)},
                **triage_of(self.path, self.scenario),
            },
        )

    def _roles(self) -> dict[PacketRole, Path]:
        paths: dict[PacketRole, Path] = {}
        for folder in _folders(self.path):
            role = ROLE_NAMES.get(folder.name.lower())
            if role in paths:
                raise BadInput(f"has two folders for {role}: {paths[role].name} and {folder.name}")
            if role is not None:
                if leads_out(folder, self.path):
                    raise BadInput(f"{folder.name} is a link out of the folder")
                paths[role] = folder
        if missing := [role for role in ROLES if role not in paths]:
            raise BadInput(f"has no folder {', '.join(missing)}")
        return paths


def _of_its_words(candidate: str, actor: str) -> Iterator[str]:
    """Remarks on who speaks in a packet, where its patient cannot, and on its language."""
    voice = voice_in_brief(candidate, actor, plays_another=plays_companion(actor))
    yield from (remark.removeprefix("note: ") for remark in speaks_for(voice))
    if (language := written_in(f"{candidate}\n{actor}")) != ENGLISH:
        yield f"it is written in {shown(language)}: built-in rules read none of it"


class NoPacket:
    """A folder that should be a packet but is not."""

    def __init__(self, name: str, reason: str) -> None:
        self.name = self.key = name
        self.reason = reason

    def files(self) -> Iterator[tuple[str, Path]]:
        """None: nothing is read."""
        yield from ()

    def read(self) -> Iterator[Scenario | Rejected]:
        """The reason why it is rejected."""
        yield Rejected(1, self.reason)


def packets_of(root: Path, rubrics: Path | None = None) -> list[PacketFolder | NoPacket]:
    """The packets under a folder of cases (or in a case's folder, or the one named), in natural order.

    Rubrics are in the folder given, else in a folder `rubrics` in `root` or beside it.
    """
    shelf = Shelf(rubrics or _beside(root))
    if _looks_like_one(root):
        return [PacketFolder(root, shelf)]
    if _holds_packets(root):
        # A case's own folder; folders of other cases may still be inside it.
        cases = [case for case in _folders(root) if _holds_packets(case)]
        return [*_of_case(root, shelf), *(one for case in cases for one in _of_case(case, shelf))]
    cases = [case for case in _folders(root) if case.name.lower() not in RUBRICS and case != rubrics]
    return [
        one
        for case in cases
        for one in ([NoPacket(case.name, _LINK)] if leads_out(case, root) else _of_case(case, shelf))
    ]


def holds_packets(root: Path) -> bool:
    """Whether a folder is a packet, holds packets, or holds case folders that do."""
    return _looks_like_one(root) or _holds_packets(root) or any(map(_holds_packets, _folders(root)))


def _of_case(case: Path, shelf: Shelf) -> list[PacketFolder | NoPacket]:
    name = case.resolve().name
    result: list[PacketFolder | NoPacket] = []
    for folder in _folders(case):
        key = f"{name}/{folder.name}"
        if leads_out(folder, case):
            result.append(NoPacket(key, _LINK))
        elif _looks_like_one(folder):
            result.append(PacketFolder(folder, shelf))
        elif folder.name.lower().startswith("scenario"):
            result.append(NoPacket(key, f"has no folder {', '.join(ROLES)}"))
    if not result:
        why = reason_not_simulatable(case)
        text = f"not simulatable: {why}" if why else "holds no folder of a scenario"
        result.append(NoPacket(name, text))
    return result


def _named(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        result = list(role_files(folder))
    except BadInput:  # the packet is refused for this, and nothing is read
        return
    yield from ((f"{name}/{file}", path) for file, path in result if path.is_file())


def _packet(roles: dict[PacketRole, RoleText]) -> Packet:
    return Packet(
        **{role: roles[role].text for role in ROLES},
        files=tuple(file for role in ROLES for file in roles[role].files),
    )


def _folders(path: Path) -> list[Path]:
    items = [item for item in path.iterdir() if item.is_dir() and not passed_over(item.name)]
    return sorted(items, key=lambda item: natural(item.name))


def _looks_like_one(path: Path) -> bool:
    return any(folder.name.lower() in ROLE_NAMES for folder in _folders(path))


def _holds_packets(path: Path) -> bool:
    return any(map(_looks_like_one, _folders(path)))


def _beside(root: Path) -> Path | None:
    places = (above / name for above in (root, root.resolve().parent) for name in RUBRICS)
    return next((place for place in places if place.is_dir()), None)
