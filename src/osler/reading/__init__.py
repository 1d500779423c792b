"""Reading of what is said: which of some candidates words mean, how surely, and how they are put."""
