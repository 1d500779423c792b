"""WHAT IS PLAYED: cases and scenarios, personas and rubrics, read, generated, checked and packaged."""
