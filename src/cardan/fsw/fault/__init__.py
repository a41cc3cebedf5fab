"""Fault detection and recovery: what has failed, and what to do about it."""
