"""Synthetic cases generated from the built-in knowledge: any number, addressed by index, reproducible.

They are good for long runs, load tests, longitudinal studies and tests of the machinery. They are not real
patients: the probabilities are approximate, and a player that holds the same knowledge is at an advantage,
which is why they can also be generated from a knowledge base that is wrong on purpose (`misspecified`).
"""
