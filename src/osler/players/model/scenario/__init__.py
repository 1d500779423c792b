"""Language models in the seats of a standardized-patient scenario."""
