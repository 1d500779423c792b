"""Speech within a role, and what is none: read in the words of whoever has a seat."""
