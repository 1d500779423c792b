"""Language models in the seats of a ward round: prompts, reply schemas, and the reading of replies."""
