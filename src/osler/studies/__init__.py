"""Questions put to many runs: designs, comparisons, human ratings, reports and validity checks."""
