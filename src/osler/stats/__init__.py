"""INTERVALS, PAIRED COMPARISONS, AGREEMENT, POWER: pure functions of numbers."""
