"""WHO PLAYS: players of any protocol, by name: models, people, scripts, packages, and their wrappers."""
