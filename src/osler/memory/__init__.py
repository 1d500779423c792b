"""THE MEMORY: cards drawn from earlier episodes, stored in frozen snapshots, retrieved without leakage.

    trace -> record -> buffers -> card -> collection -> snapshot        (writing, after the judgement)
    query -> filters and exclusions -> ranking -> hits -> audit         (reading, before an episode)

Everything here is a pure function of its arguments, except that `index`, `descriptors` and `summary` may
call an endpoint and `sql_memory` writes to a database. A card is a hint from earlier experience, never a fact
about this patient.
"""
