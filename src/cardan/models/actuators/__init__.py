"""Continuous actuators: what drives joints and pushes bodies."""
