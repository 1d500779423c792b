"""WHAT WE ASK OF IT: studies, comparisons, audits and ratings over runs of any protocol."""
