"""Where a branch leaves the episode it goes on from."""

from __future__ import annotations

from hashlib import blake2b

from osler.seats.events import Frozen


class BranchPoint(Frozen):
    """The first `at` exchanges of an episode, kept by every episode of a run.

    `episode` is the key of the one they were taken from, `ordinal` its number in its run, `case` its case's
    content hash, and `record` a hash of what is kept. `seed` and `reseeded` (exchange, seed) are those it was
    played with, `moves` counts what the doctor, the tutor or the examinee did among what is kept, and
    `kept_by` names who made it ("doctor=baseline").
    """

    episode: str
    ordinal: int
    at: int
    case: str
    record: str
    seed: str
    reseeded: tuple[tuple[int, str], ...] = ()
    moves: int = 0
    kept_by: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """16 hex digits over all of it: two branches that share them left the same episode at one point."""
        return blake2b(self.model_dump_json().encode(), digest_size=8).hexdigest()


def seeding(
    seed: int, repeat: int, branch: BranchPoint | None
) -> tuple[str, str, tuple[tuple[int, str], ...]]:
    """An episode's seed, what it keeps, and where it is seeded anew. The first repeat of a branch goes on as
    its parent would have; every other has a seed of its own from there on."""
    if branch is None:
        return f"{seed}/{repeat}", "", ()
    own = ((branch.at, str(repeat)),) if repeat else ()
    return branch.seed, branch.digest, (*branch.reseeded, *own)
