"""Predictive controllers."""
