"""The teaching ward round: a tutor, reviewed before it speaks, leads students through a case.

seats, events, views      the contracts of the seats, what can happen, and what each seat sees of a case
story, rules              the encounter round by round, and the checks of its replies
monologue                 the tags of a tutor's private thought and of its statement
settings, config          the options of an encounter and of a run, by names
casting, episode          built-in players and casts; one encounter by instances
players, model, forms     built-in players, language models, and people at a terminal
seating                   language models and people in the seats
replies                   what wrappers know of a tutor's replies
judge, measures           the judges of an encounter, and the measures it is scored by
notes, debriefing         what a run shows beside its measures, and the feedback to a person
training                  the tutor as a seat that a model is trained to play
export                    the published form of its runs
protocol                  all of it as a value: all that Osler asks of a protocol
"""
