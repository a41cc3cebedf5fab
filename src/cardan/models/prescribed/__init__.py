"""Motion as a given function of time, with its exact derivatives."""
