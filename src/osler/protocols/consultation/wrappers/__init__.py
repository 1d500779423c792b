"""Wrappers made for the seats of a consultation: biases, ensembles, memories, panels and interventions."""
