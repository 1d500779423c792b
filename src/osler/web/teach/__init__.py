"""Teach: rooms that learners join by a link, and what a teacher sees of them."""
