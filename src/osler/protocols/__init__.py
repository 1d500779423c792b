"""WHAT CAN HAPPEN: the protocols that come with Osler, each in a folder that tells its whole story."""

from typing import Final

OURS: Final = ("consultation", "ward_round", "scenario")
