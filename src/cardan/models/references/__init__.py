"""Motions to follow, as functions of time."""
