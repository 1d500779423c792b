"""The longitudinal study: does a doctor get better with experience, does it carry over, does it forget, and
what does it cost?

    design    the question: streams, blocks, orders, seeds, memory
    planning  the split into taught, probed and held-out cases: a pure function of the cases and the seed
    playing   one stream, stage by stage, resumable at any point
    reading   a stream's scores and costs, read from the store
    results   all streams together, with intervals
"""
