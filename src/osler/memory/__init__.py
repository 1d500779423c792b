"""WHAT IS REMEMBERED: cards drawn from earlier episodes, kept in frozen snapshots, found again without a
leak.

    trace -> record -> buffers -> card -> collection -> snapshot        (writing, after the judgement)
    query -> filters and exclusions -> ranking -> hits -> audit         (reading, before an episode)

Everything here is a pure function of its arguments but two: `vectors` and `summary` may ask an endpoint, and
`keeper` writes to a database. A card is a hint from earlier experience, never a fact about this patient.
"""
