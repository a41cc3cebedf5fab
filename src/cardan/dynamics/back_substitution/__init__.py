"""The hub's six equations, with everything that hangs on it substituted into them."""

from cardan.dynamics.back_substitution.service import BackSubstitution as BackSubstitution
