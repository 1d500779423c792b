"""Statistics: intervals, paired comparisons, agreement, clustering, power; pure functions of numbers."""
