"""WHAT CAN HAPPEN: the protocols that come with Osler, each in a folder that tells its whole story.

The same file name means the same thing in each (`docs/protocols.md` lists them). They never import each
other; parts that several use are in `shared`.
"""

from typing import Final

OURS: Final = ("consultation", "ward_round", "scenario", "vqa")
