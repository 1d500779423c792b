"""Language models in any seat: prompts that only grow at their end, and replies of the seat's own type."""
