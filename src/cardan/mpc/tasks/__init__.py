"""Controllers that predict."""
