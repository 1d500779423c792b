"""Cases made up from the built-in knowledge: as many as wanted, each by its number, the same every time.

What they are good for: long runs, load, longitudinal studies, and tests of the machinery. They are no
patients: the probabilities are approximate, and a player that holds the same knowledge is at an advantage,
which is why a knowledge base that is wrong on purpose (`misspecified`) can make them as well.
"""
