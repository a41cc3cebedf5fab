"""Motions that are functions of time."""
