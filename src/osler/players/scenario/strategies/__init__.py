"""Test-time strategies: examinees made of an examinee. Whoever is asked sees the whole encounter so far."""
