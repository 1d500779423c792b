"""PARTS THAT SEVERAL PROTOCOLS SHARE: the patient's seat, views, players and models."""
