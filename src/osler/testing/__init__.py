"""For users' own tests: a small case, and players that watch, forget or play at random."""
