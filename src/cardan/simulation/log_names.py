"""Names of recorded fields as files take them: any path has one, no two have the same, and it leads back to the path.

Elements of a mechanism may be called anything, and a file format takes less. A letter that it does not take is written
as a URL writes it, `%` and two hexadecimal digits for each byte in UTF-8, and so is `%` itself.
"""

import hashlib
import unicodedata
from itertools import accumulate
from urllib.parse import quote_from_bytes, unquote_to_bytes

_LONGEST = 200  # [bytes] netCDF takes 256, of which its readers in Python miss the last
_CUT = "~"


def printable(path: str) -> str:
    """`path` without what cannot be printed or encoded, for a line of a table."""
    return "".join(letter if letter.isprintable() and letter != "%" else _escaped(letter) for letter in path)


def netcdf_name(path: str) -> str:
    """How netCDF calls the field at `path`: `/` is `:`, and what is too long ends with a digest instead."""
    is_plain = unicodedata.is_normalized("NFC", path)  # netCDF would change it otherwise
    letters = [_netcdf_letter(letter, is_plain) for letter in path]
    if letters and not letters[0][0].isalnum():
        letters[0] = "_" + _escaped(path[0])
    if letters and path[-1] == " ":
        letters[-1] = ("_" if len(path) == 1 else "") + _escaped(" ")
    name = "".join(letters)
    return name if len(name.encode()) <= _LONGEST else _shortened(letters, path)


def path_in_netcdf(name: str) -> str:
    """The path that `netcdf_name` made a name of, unless it was too long."""
    name = name[1:] if name.startswith("_%") else name
    return unescaped(name.replace(":", "/"))


def is_shortened(name: str) -> bool:
    """Whether the name does not lead back to its path."""
    return _CUT in name


def escaped(path: str) -> str:
    """`path` in letters that any format takes."""
    return quote_from_bytes(path.encode("utf-8", "surrogatepass"))


def unescaped(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogatepass")


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))


def _netcdf_letter(letter: str, is_plain: bool) -> str:
    if letter == "/":
        return ":"
    if letter in f"%:{_CUT}" or not letter.isprintable() or not (is_plain or letter.isascii()):
        return _escaped(letter)
    return letter


def _shortened(letters: list[str], path: str) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    ends = accumulate(len(letter.encode()) for letter in letters)
    kept = sum(end < _LONGEST - len(digest) for end in ends)
    return "".join(letters[:kept]) + _CUT + digest
