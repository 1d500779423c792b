"""VQA: multiple-choice questions about medicine, with pictures or without, put to one model.

item, readers     a question with its options, and the published formats that hold such questions
pictures          the image files beside them, checked and without metadata
order             the order in which options are shown: permuted by item, and rotated
prompt            the one prompt, and the pictures in the order in which the text names them
reading           the option that a reply names, or none
answerers         who answers: a model of osler.toml, or a baseline
answer, journal   an answer as it is kept; the answers on disk, to go on after a kill
asking            one call per item, some at a time, in flat memory
scoring, report   accuracy with intervals, blind and paired comparisons; as JSON and as tables
"""
