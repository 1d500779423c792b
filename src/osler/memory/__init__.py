"""THE MEMORY: cards drawn from earlier episodes, stored in frozen snapshots, retrieved without leakage.

    trace -> record -> buffers -> card -> collection -> snapshot        (writing, after the judgement)
    query -> filters and exclusions -> ranking -> hits -> audit         (reading, before an episode)

Everything here is a pure function of its arguments, except that `vectors`, `descriptors` and `summary` may
call an endpoint and `keeper` writes to a database. A card is a hint from earlier experience, never a fact
about this patient.
"""
