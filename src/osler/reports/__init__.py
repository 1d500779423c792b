"""The results as shown: tables, one-file HTML pages, plots, transcripts and exported tables."""
