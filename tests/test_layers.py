"""Who may import whom: downwards only, no cycles, optional packages only in their own folders."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "cardan"

LEVELS = [
    {"errors", "files"},
    {"maths"},
    {"native"},
    {"contracts"},
    {"messages"},
    {"mechanism", "gimbals"},
    {"dynamics", "models", "fsw"},
    {"robotics"},
    {"scenario"},
    {"simulation"},
    {"plots"},
    {"missions"},
    {"cli"},
]
NEVER = {
    ("simulation", "dynamics"),
    ("scenario", "dynamics"),
    ("scenario", "models"),
    ("scenario", "fsw"),
    ("simulation", "models"),
    ("simulation", "fsw"),
    ("models", "fsw"),
    ("robotics", "dynamics"),
    ("scenario", "robotics"),
    ("simulation", "robotics"),
}
OPTIONAL = {
    "matplotlib": {"plots/figures.py"},
    "grandalf": {"scenario/diagram_layout.py"},
    "jax": {"contracts/jax_target.py"},
    "netCDF4": {"simulation/log_netcdf.py"},
    "xarray": {"simulation/log.py"},
    "pandas": {"simulation/log.py", "simulation/log_table.py", "simulation/log_parquet.py"},
    "pyarrow": {"simulation/log_parquet.py"},
    "scipy": {"simulation/log_matlab.py"},
}
# `Log.plot` forwards to the layer above when it is called, so that a newcomer can write `log.plot()`
FORWARDED = {("simulation/log.py", "cardan.plots")}


def level(package: str) -> int:
    return next(i for i, packages in enumerate(LEVELS) if package in packages)


def imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "cardan" else [node.module]
            )
    return names


def files() -> list[tuple[str, str, Path]]:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        if str(relative) != "__init__.py":
            found.append((str(relative), relative.parts[0].removesuffix(".py"), path))
    return found


def test_every_package_has_its_level():
    assert {package for _, package, _ in files()} == set().union(*LEVELS)


def test_imports_go_downwards():
    wrong = []
    for relative, package, path in files():
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != "cardan" or len(parts) < 2 or parts[1] == package or (relative, name) in FORWARDED:
                continue
            if level(parts[1]) >= level(package) or (package, parts[1]) in NEVER:
                wrong.append(f"{relative} imports {name}")
    assert wrong == []


def test_optional_and_slow_packages_stay_in_their_files():
    wrong = [
        f"{relative} imports {name}"
        for relative, _, path in files()
        for name in imports(path)
        if name.split(".")[0] in OPTIONAL and relative not in OPTIONAL[name.split(".")[0]]
    ]
    assert wrong == []
