"""Doctors that learn: lessons written from earlier consultations, and retrieved in later ones."""
