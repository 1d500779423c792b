"""WHAT WE ASK OF IT: execute one episode, build a run from names, play many."""
