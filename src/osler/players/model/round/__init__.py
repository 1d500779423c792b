"""Language models in the seats of the teaching ward round."""
