"""The choreography: where everybody of an episode is, walks, speaks and shows, at any instant on a screen.

    plan, paths         the hospital as data (`plan.json`): rooms, doors, slots; and the ways through it
    scene               the frozen values: walks, poses, bubbles, cards, slips, scenes
    cues                the vocabulary in which a protocol's staging says what an event becomes
    shared              the stagings of the events that any protocol may tell
    figure              the looks of a person, by what their view says of them and the episode's key
    floors              several episodes of a run on one plan
    stage, director     the fold over what a view was told
    instant             the picture at one instant

A choreography is a pure function of what one view of an episode was told and of the plan. It is never part of
an episode's bytes, and no model is ever asked for it. What a view may not have is left out before directing.
"""
