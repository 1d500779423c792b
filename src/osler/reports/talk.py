"""How the doctor of a run talked: the communication figures of its episodes, clustered by case."""

from __future__ import annotations

from osler.encounter.trace import Trace
from osler.judging.communication import MEANINGS, communication
from osler.judging.statistics import ClusterSums, Estimate, ratio_interval


class Talk:
    """Adds up the indicators of episodes by the content hash of their case, in any order."""

    def __init__(self) -> None:
        self._met, self._of = ClusterSums(len(MEANINGS)), ClusterSums(len(MEANINGS))

    @property
    def heard(self) -> int:
        """How many episodes were counted."""
        return self._met.episodes

    def add(self, case_hash: str, trace: Trace) -> None:
        """Count one episode."""
        found = communication(trace).values()
        self._met.add(case_hash, [float(one.met) for one in found])
        self._of.add(case_hash, [float(one.of) for one in found])

    def figures(self) -> dict[str, Estimate]:
        """Each indicator over all that was counted; its `n` is of how many questions, turns or encounters."""
        met, of = self._met.arrays()[0], self._of.arrays()[0]
        return {
            name: ratio_interval(met[:, place], of[:, place], proportion=True)
            for place, name in enumerate(MEANINGS)
        }
