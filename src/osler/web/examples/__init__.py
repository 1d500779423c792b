"""Recorded examples: encounters whose leading part we wrote, so that no screen is empty on the first day.

A script holds the moves of one seat; all other seats are built-in players. It is played once into the store,
under a name that says what it is, and is listed, watched and branched like any other run.
"""
