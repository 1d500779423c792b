"""What we ask of it: designs, comparisons, ratings by people, reports and validity checks of many runs."""
