"""People rate episodes: blind sheets out, ratings in, and how far people and judges agree."""
