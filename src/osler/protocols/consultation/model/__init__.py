"""Language models in the seats of a consultation: prompts, reply schemas, and the reading of replies."""
