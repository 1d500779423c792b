"""The consultation: a doctor asks, examines, orders tests and concludes.

seats, events, views      the contracts of the seats, what can happen, and what each seat sees of a case
story, rules, orders      the encounter turn by turn, its limits and checks, and the desk for orders
settings, config          the options of an encounter and of a run, by names
casting, episode          built-in players and casts; one encounter by instances
biases, twins             what a run may change about a player, or about the patient of a case
oracle_plan               the answer of a case, for the one player that is given it
players, model, forms     built-in players, language models, and people at a terminal
seating                   language models and people in the seats
replies, wrappers         what wrappers know of a doctor's replies, and the wrappers made for doctors
memory                    doctors that learn from earlier encounters
judge, measures           the judges of an encounter, and the measures it is scored by
notes, report, audit      what a run shows beside its measures, its page, its audit
debriefing                the feedback to a person, as records
longitudinal              studies of doctors over a stream of cases
protocol                  all of it as a value: all that Osler asks of a protocol
"""
