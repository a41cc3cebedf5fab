"""`Trace`: where a mechanism has been, in few points, for trails."""

import numpy as np

from cardan.viewer.motion import RecordedMotion

POINTS = 600  # of a trail


class Trace:
    """Coordinates at some times, which can grow; every second one goes when they are twice as many as it takes.

    Attributes:
        t: [s] Times, ascending.
        coordinates: (n, nq) At each of them.
        version: Goes up when points have gone, so that whoever has drawn them begins anew.
    """

    def __init__(self, t: np.ndarray, coordinates: np.ndarray) -> None:
        self.t, self.coordinates = t, coordinates
        self.version = 0

    def add(self, t: float, coordinates: np.ndarray) -> None:
        """One more point (nq,); a time before the last one, as after a reset, begins a new trace."""
        if len(self.t) and t < self.t[-1]:
            self.t, self.coordinates = self.t[:0], self.coordinates[:0]
            self.version += 1
        if len(self.t) and t == self.t[-1]:
            return
        self.t = np.append(self.t, t)
        self.coordinates = np.concatenate([self.coordinates, coordinates[np.newaxis]])
        if len(self.t) > 2 * POINTS:
            self.t, self.coordinates = self.t[::2], self.coordinates[::2]
            self.version += 1


def thinned_trace(motion: RecordedMotion) -> Trace:
    """The trace of a recorded motion, from the first sample to the last."""
    t = motion.t[:: max(1, len(motion.t) // POINTS)]
    if len(motion.t) and t[-1] != motion.t[-1]:
        t = np.append(t, motion.t[-1])
    return Trace(t, motion.coordinates(t))
