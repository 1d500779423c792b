"""The model judges of our protocols, opened from a model client. Anything a judge needs besides the trace, it
takes from the episode.

Separate from the protocols, because a model client is slow to import.
"""

from __future__ import annotations
