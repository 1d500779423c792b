"""Branch points: the exchange at which a branch leaves its parent episode."""

from __future__ import annotations

from hashlib import blake2b

from osler.core.events import Frozen


class BranchPoint(Frozen):
    """The shared prefix of a run's episodes: the first `at` exchanges of a parent episode.

    `episode` is the parent's key, `ordinal` its number in its run, `case` its case's content hash, and
    `record` a hash of the exchanges kept. `seed` and `reseeded` (exchange, seed) are those the parent was
    played with, `moves` counts the moves of the doctor, the tutor or the examinee in the prefix, and
    `kept_by` names the players who produced it ("doctor=baseline").
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
        """16 hex digits over all fields: branches with the same digest left the same episode at one point."""
        return blake2b(self.model_dump_json().encode(), digest_size=8).hexdigest()


def seeding(
    seed: int, repeat: int, branch: BranchPoint | None
) -> tuple[str, str, tuple[tuple[int, str], ...]]:
    """Return an episode's seed, the digest of the prefix it keeps, and where it is reseeded. The first repeat
    of a branch continues as its parent would have; every other repeat gets its own seed from there on."""
    if branch is None:
        return f"{seed}/{repeat}", "", ()
    own = ((branch.at, str(repeat)),) if repeat else ()
    return branch.seed, branch.digest, (*branch.reseeded, *own)
