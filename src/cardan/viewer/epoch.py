"""The date of a run, where its description has one, and where the Sun stands then."""

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np

_J2000 = datetime.datetime(2000, 1, 1, 12, tzinfo=datetime.UTC)
_LONGEST = 1.0e11  # [s] some three thousand years


def epoch_of(about: Mapping[str, Any]) -> datetime.datetime | None:
    """The date at time zero that a run describes as `epoch`, in ISO form; None without one."""
    told = about.get("epoch")
    if isinstance(told, Mapping):
        told = told.get("utc")
    if not isinstance(told, str):
        return None
    try:
        read = datetime.datetime.fromisoformat(told.strip().removesuffix("UTC").strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=datetime.UTC)


def utc(epoch: datetime.datetime, t: float) -> str:
    """The date at a time [s] since the epoch; leap seconds are not counted."""
    if abs(t) > _LONGEST:
        return ""
    try:
        at = epoch + datetime.timedelta(seconds=t)
    except OverflowError:
        return ""
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S") + f".{at.microsecond // 100000} UTC"


def sun_direction(epoch: datetime.datetime, t: float) -> np.ndarray:
    """(3,) Towards the Sun from the Earth, in axes of the equator of J2000.

    The Astronomical Almanac's formulae of low precision: within 0.02 deg from 1950 to 2050, which is enough for light.
    """
    days = ((epoch - _J2000).total_seconds() + t) / 86400.0
    mean = np.deg2rad(280.460 + 0.9856474 * days)
    anomaly = np.deg2rad(357.528 + 0.9856003 * days)
    longitude = mean + np.deg2rad(1.915 * np.sin(anomaly) + 0.020 * np.sin(2.0 * anomaly))
    slant = np.deg2rad(23.439 - 4.0e-7 * days)
    return np.array([np.cos(longitude), np.cos(slant) * np.sin(longitude), np.sin(slant) * np.sin(longitude)])
