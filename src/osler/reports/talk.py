"""Communication figures of the doctor in a run, over its episodes and clustered by case."""

from __future__ import annotations

from osler.encounter.trace import Trace
from osler.judging.communication import MEANINGS, communication
from osler.judging.statistics import ClusterSums, Estimate, ratio_interval


class Talk:
    """An accumulator of the communication indicators by the content hash of the case, in any order."""

    def __init__(self) -> None:
        self._met, self._of = ClusterSums(len(MEANINGS)), ClusterSums(len(MEANINGS))

    @property
    def heard(self) -> int:
        """The number of episodes counted."""
        return self._met.episodes

    def add(self, case_hash: str, trace: Trace) -> None:
        """Count one episode."""
        found = communication(trace).values()
        self._met.add(case_hash, [float(one.met) for one in found])
        self._of.add(case_hash, [float(one.of) for one in found])

    def figures(self) -> dict[str, Estimate]:
        """Return each indicator over all episodes; its `n` counts questions, turns or encounters."""
        met, of = self._met.arrays()[0], self._of.arrays()[0]
        return {
            name: ratio_interval(met[:, place], of[:, place], proportion=True)
            for place, name in enumerate(MEANINGS)
        }
