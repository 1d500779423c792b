"""The standardized-patient scenario: an examinee acts in explicit states and is judged by a frozen rubric.

seats, events, views      the contracts of the seats, what can happen, and what each seat sees of a case
story, rules              the encounter turn by turn, and the checks of its replies
script                    a scenario in progress: `course` for explicit states, `packet_course` for prose
settings, config          the options of an encounter and of a run, by names
casting, episode          built-in players and casts; one encounter by instances
oracle_plan               the moves that show every item, for the one player that is given them
players, model, forms     built-in players, language models, and people at a terminal
seating                   language models and people in the seats
replies                   what wrappers know of an examinee's replies
judge, measures           the judges of an encounter, and the measures it is scored by
notes, debriefing         what a run shows beside its measures, and the feedback to a person
export, published         the published form of its runs
protocol                  all of it as a value: all that Osler asks of a protocol
"""
