"""A file of questions, read twice: once to check every row and picture, before anything is asked; then, one
item at a time, to ask. Only counts and hashes are held in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.importers.reading import check_file, open_bytes
from osler.errors import BadInput
from osler.text.hostile import safe
from osler.vqa.answer import place_of
from osler.vqa.item import BadRow, Item, LeftOut, Spoilt
from osler.vqa.journal import Journal
from osler.vqa.order import keeps_its_order, rotations, shown
from osler.vqa.pictures import HINT, Pictures
from osler.vqa.prompt import Asked
from osler.vqa.readers import FORMATS

_NAMED: Final = 5
SPOILT: Final = "cannot be used"


class Design(NamedTuple):
    """The design of a run: the seed and number of orders, whether there is an arm without pictures, and how
    many items are asked (`None`: all)."""

    seed: int = 0
    rotations: int = 1
    blind: bool = False
    limit: int | None = None


@dataclass
class Counted:
    """The counts of a file that was checked. `left_out` counts rows by why they are not asked, `planned` the
    questions to ask, `done` those that each journal holds; `last` is the row of the last item, `bad` names
    rows that cannot be used."""

    items: int = 0
    pictured: int = 0
    pictures: int = 0
    in_order: int = 0
    planned: int = 0
    done: list[int] = field(default_factory=list)
    last: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


class Questions:
    """The items of a file in a published format, with their pictures in a folder.

    With `skip_bad`, rows that cannot be used are left out and counted; otherwise they refuse the file. Raises
    BadInput for a format that is not known and a file or folder that is not there.
    """

    def __init__(self, path: Path, form: str, images: Path | None, *, skip_bad: bool = False) -> None:
        if form not in FORMATS:
            raise BadInput(f"{form!r} is no format", where="--format", hint=", ".join(FORMATS))
        check_file(path)
        self.path, self.form, self._skip_bad = path, form, skip_bad
        self.pictures = Pictures(images)
        self._skipped: set[int] = set()

    def hash(self) -> str:
        """The SHA-256 of the file."""
        digest = sha256()
        with open_bytes(self.path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    def check(self, design: Design, journals: Sequence[Journal] = ()) -> Counted:
        """Check every row up to the limit, and its pictures, and that what journals hold is of these items.

        Raises BadInput that names the rows at fault, and for a file without an item.
        """
        found, seen = Counted(done=[0] * len(journals)), set[bytes]()
        for one in FORMATS[self.form](self.path):
            if found.items == design.limit:
                break
            if isinstance(one, LeftOut):
                found.left_out[one.why] += 1
                continue
            why = one.reason if isinstance(one, Spoilt) else self._fault(one, seen, design, found, journals)
            if why:
                found.bad.append(safe(f"row {one.row}: {why}"))
                found.left_out[SPOILT] += 1
                self._skipped.add(one.row)
        if found.bad and not self._skip_bad:
            more = f"; and {len(found.bad) - _NAMED} more" if len(found.bad) > _NAMED else ""
            lost = any("its image" in one for one in found.bad)
            hint = f"{HINT}, or " if lost else "mend or remove these rows, or "
            raise BadInput(
                "; ".join(found.bad[:_NAMED]) + more, where=self.path.name, hint=f"{hint}give --skip-bad"
            )
        if not found.items:
            why = ", ".join(f"{count} {reason}" for reason, count in found.left_out.items())
            raise BadInput("there is no item to ask", where=self.path.name, hint=f"left out: {why}")
        if design.blind and not found.pictured:
            raise BadInput("no item has a picture", where="--blind", hint="leave it out")
        return found

    def _fault(
        self, item: Item, seen: set[bytes], design: Design, found: Counted, journals: Sequence[Journal]
    ) -> str:
        """What is wrong with an item, or "" for a sound one, which is counted."""
        own = blake2b(item.id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        if own in seen:
            return f"another row has the same id, {item.id[:60]}"
        try:
            key = self.key(item)[0]
        except BadRow as error:
            return str(error)
        seen.add(own)
        questions = list(asked_of(item, design))
        for at, journal in enumerate(journals):
            found.done[at] += sum(journal.holds(place_of(asked), key) for asked in questions)
        found.items += 1
        found.pictured += bool(item.pictures)
        found.pictures += len(item.pictures)
        found.in_order += keeps_its_order(item)
        found.planned += len(questions)
        found.last = item.row
        return ""

    def key(self, item: Item) -> tuple[str, tuple[bytes, ...]]:
        """An item's hash, and the bytes of its pictures. Raises BadRow."""
        found = self.pictures.of(item)
        return item.key(tuple(one.picture.sha256 for one in found)), tuple(one.raw for one in found)

    def asked(self, design: Design) -> Iterator[Asked]:
        """The questions in order: of each item its rotations, then the one without pictures."""
        count = 0
        for one in FORMATS[self.form](self.path):
            if count == design.limit:
                return
            if isinstance(one, Item) and one.row not in self._skipped:
                count += 1
                yield from asked_of(one, design)


def asked_of(item: Item, design: Design) -> Iterator[Asked]:
    """The questions that an item makes."""
    for turn in range(rotations(item, design.rotations)):
        yield Asked(item, shown(item, design.seed, turn), design.seed, turn)
    if design.blind and item.pictures:
        yield Asked(item, shown(item, design.seed), design.seed, blind=True)
