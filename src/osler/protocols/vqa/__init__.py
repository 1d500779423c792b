"""Multiple-choice questions about medicine, with pictures or without, put to one candidate.

question, source, readers   the case; published sets and their pictures; their formats
item, order                 a row as it is read; the orders in which options are shown
seats, events, views        the candidate's contract, what can happen, and what is shown
story                       the question, in each of its orders, and once without its pictures
settings, config            the options of a question and of a run, by names
players, seating            baselines; language models and people as the candidate
reading, judge              the option that an answer names, or none; the marks
measures, notes             what it is scored by, and what a run shows beside that
protocol                    all of it as a value: all that Osler asks of a protocol
"""
