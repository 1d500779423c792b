"""The longitudinal study: does a doctor get better with experience, does it carry over, does it forget, and
what does it cost?

    design    what is asked: streams, blocks, orders, seeds, memory
    planning  which case is taught, probed or held out: a pure function of the cases and the seed
    playing   one stream, stage by stage, resumable at any point
    reading   what the store holds of a stream, as scores and costs
    results   all streams together, with intervals
"""
