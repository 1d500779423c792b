"""Practise: the shelf, sittings of people, and their debriefs."""
