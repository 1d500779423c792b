"""The benchmark: fixed tables of cases, seeds and limits, played the same everywhere, and one card of it."""
