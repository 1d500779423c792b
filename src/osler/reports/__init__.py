"""How it is shown: tables, one-file HTML pages, plots, transcripts and exported tables."""
