"""A model that Osler serves itself: a file of weights (GGUF), read by llama.cpp in a process of its own."""
