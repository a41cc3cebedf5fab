"""Attempts to break Cardan at random, case by case (docs/how-to/fuzz.md)."""
