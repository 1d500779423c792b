"""TRAINING: from stored encounters to a data set, a reward, and a trained seat back at the bedside.

    state, task       a recorded moment of the trained seat; all that a protocol knows about that seat
    samples, reading  the rows of a data set, and a written one read back
    plain_seat        a trained seat whose every exchange is a turn
    harvest, build    stored episodes played again, turn by turn; a data set of them, in a spool
    filters, splits   the rules that a row must pass, and the clusters of cases; likeness of texts
    audit             leakage, duplicates, markers and lengths of a written data set
    written, writers  the folder of a data set: Parquet, ShareGPT, lines, manifest, card, Croissant
    config            the settings of SFT and GRPO, and their profiles
    folder, report    a training's output folder, and trainings side by side as one page
    tiny, backend     tiny bases; what knows torch

Only `osler.training.backend` imports torch and the like, and only inside functions.
"""
