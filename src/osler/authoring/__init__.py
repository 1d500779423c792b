"""Cases and scenarios made: by a model, from source material, prepared for teaching, or from a template."""
