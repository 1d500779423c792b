"""Language models in the seats of a scenario: prompts, reply schemas, and the reading of replies."""
