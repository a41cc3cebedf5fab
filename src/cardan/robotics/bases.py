"""What the base of a robot does while its joints move."""

from cardan.errors import SettingError, did_you_mean

BASES = ("fixed", "floating", "flying")


def check_base(base: str) -> None:
    """Refuse what is none of them."""
    if base not in BASES:
        raise SettingError(f"base = {base!r}.{did_you_mean(base, BASES)}\n  Use one of: {', '.join(BASES)}.")
