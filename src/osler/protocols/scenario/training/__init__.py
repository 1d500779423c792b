"""The examinee as a trained seat."""
