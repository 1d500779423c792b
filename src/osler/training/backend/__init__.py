"""The only files that know torch, transformers, TRL and PEFT; they import them inside functions.

libraries     what must be installed, said plainly where it is not
models        bases and processors: loading, saving, hashes
tiny_models   tiny bases of random weights, built from configurations
rows, chats   rows of a data set, and their tokens and labels
sft, merge    fine-tuning; adapters merged into their base
serve         an endpoint for a trained model on this machine
"""
