"""Who may import whom: downwards only, no cycles, optional packages only in their own folders."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "cardan"

LEVELS = [
    {"errors", "files", "front_doors", "celestial"},
    {"maths"},
    {"native", "ephemeris"},
    {"contracts"},
    {"messages"},
    {"mechanism", "gimbals", "orbits", "relative_motion"},
    {"dynamics", "models", "drivers", "fsw"},
    {"robotics"},
    {"mpc"},
    {"scenario"},
    {"simulation"},
    {"faults"},
    {"plots", "viewer", "jax"},
    {"missions"},
    {"studies"},
    {"learning"},
    {"cli"},
]
NEVER = {
    ("simulation", "dynamics"),
    ("scenario", "dynamics"),
    ("scenario", "models"),
    ("scenario", "drivers"),
    ("scenario", "fsw"),
    ("simulation", "models"),
    ("simulation", "drivers"),
    ("simulation", "fsw"),
    ("models", "fsw"),
    ("robotics", "dynamics"),
    ("scenario", "robotics"),
    ("simulation", "robotics"),
    ("scenario", "mpc"),
    ("simulation", "mpc"),
    ("robotics", "mpc"),
    ("mpc", "dynamics"),
}
OPTIONAL = {
    "matplotlib": {"plots/figures.py", "studies/figures.py"},
    "grandalf": {"scenario/diagram_layout.py"},
    "jax": {
        "contracts/jax_target.py",
        "learning/functional.py",
        "learning/jax_members.py",
        "learning/adaptation.py",
        "learning/learner_jax.py",
        "learning/networks_jax.py",
        "learning/sac.py",
        "learning/vpg.py",
        *(f"jax/{path.name}" for path in (SOURCE / "jax").glob("*.py")),
    },
    "optax": {"learning/learner_jax.py", "learning/sac.py"},
    "gymnasium": {
        "learning/spaces.py",
        "learning/vector.py",
        "learning/single.py",
        "learning/registration.py",
        "learning/wrappers.py",
    },
    "tensorboardX": {"learning/train.py"},
    "netCDF4": {"simulation/log_netcdf.py"},
    "xarray": {"simulation/log.py", "simulation/batch_log.py", "studies/results.py"},
    "pandas": {
        "simulation/log.py",
        "simulation/log_table.py",
        "simulation/log_parquet.py",
        "studies/designs.py",
        "studies/results.py",
    },
    "pyarrow": {"simulation/log_parquet.py"},
    "scipy": {
        "simulation/log_matlab.py",
        "fsw/allocation/pseudo_inverse_allocation.py",
        "fsw/control/flyer_lqr.py",
        "studies/comparison.py",
        "studies/designs.py",
        "studies/sensitivity.py",
        "studies/statistics.py",
    },
    "viser": {"viewer/page.py"},
    "IPython": {"viewer/page.py"},
    "pymsis": {"models/environment/msis_arcs.py"},
    "jplephem": {"ephemeris/spk.py"},
    "dask": {"studies/cluster.py"},
    "cloudpickle": {"studies/cluster.py"},
}
# Methods that forward to what knows their own class, so that a newcomer can write `log.plot()` and `scn.draw()`. These
# imports are made when they are asked for.
FORWARDED = {
    ("simulation/log.py", "cardan.plots"),
    ("simulation/batch_log.py", "cardan.viewer"),
    ("simulation/log.py", "cardan.viewer"),
    ("simulation/simulation.py", "cardan.viewer"),
    ("simulation/log.py", "cardan.simulation.attitudes"),
    ("simulation/log.py", "cardan.simulation.comparison"),
    ("simulation/log.py", "cardan.simulation.log_file"),
    ("simulation/log.py", "cardan.simulation.log_table"),
    ("learning/environment.py", "cardan.learning.functional"),
    ("learning/environment.py", "cardan.learning.single"),
    ("learning/environment.py", "cardan.learning.vector"),
    ("studies/results.py", "cardan.studies.comparison"),
    ("studies/results.py", "cardan.studies.report"),
    ("scenario/scenario.py", "cardan.scenario.describe"),
    ("scenario/scenario.py", "cardan.scenario.draw"),
    ("scenario/scenario.py", "cardan.scenario.order"),
}
# On top: what they need of others comes through the front doors that users have, `cardan` and `cardan.<room>`, so that
# they prove that the public API suffices. `jax` is not among them: beside the native core it is a second one, made from
# the same layout and order.
ON_TOP = {"plots", "missions", "cli", "faults", "studies", "learning", "viewer"}
BACK_ROOMS = {"native"}  # rooms without a front door


def level(package: str) -> int:
    return next(i for i, packages in enumerate(LEVELS) if package in packages)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path, *, with_types: bool = True) -> list[str]:
    """The modules that a file imports, at the top or inside functions, with or without what only type checkers see."""
    names = []
    for node in _statements(parsed(path), with_types):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if _is_module(name) else node.module for name in full]
    return list(dict.fromkeys(names))


def _statements(module: ast.Module, with_types: bool) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        is_for_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if with_types or not is_for_types:
            # imports are statements: nothing within an expression is one
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]


def _is_module(name: str) -> bool:
    place = SOURCE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def module_of(relative: str) -> str:
    return "cardan." + relative.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def packages_entered(importer: str, name: str) -> list[str]:
    """The packages whose `__init__` runs when a module imports another: all around it that are not around both."""
    around = [name.rsplit(".", i)[0] for i in range(1, name.count("."))]
    return [package for package in around if package != importer and not importer.startswith(package + ".")]


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
            if name == "cardan" and package not in ON_TOP:
                wrong.append(f"{relative} imports from the top of the package")
            if parts[0] != "cardan" or len(parts) < 2 or parts[1] == package or (relative, name) in FORWARDED:
                continue
            if level(parts[1]) >= level(package) or (package, parts[1]) in NEVER:
                wrong.append(f"{relative} imports {name}")
    assert wrong == []


def test_no_module_needs_itself():
    """Also within one folder: what is below can be read, tested and deleted without what is above."""
    needs = {
        module_of(relative): {
            needed
            for name in imports(path, with_types=False)
            if (relative, name) not in FORWARDED
            for needed in (name, *packages_entered(module_of(relative), name))
        }
        for relative, _, path in files()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        raise AssertionError(" needs ".join(reversed(error.args[1]))) from None


def test_what_is_forwarded_is_asked_for_when_it_is_needed():
    """Never at the top of a file; and nothing stands in the list that is not imported."""
    for relative, name in FORWARDED:
        path = SOURCE / relative
        top = [node for node in parsed(path).body if isinstance(node, ast.ImportFrom)]
        assert name in imports(path)
        assert name not in {node.module for node in top}


def test_what_is_on_top_uses_the_public_api_only():
    wrong = [
        f"{relative} imports {name}"
        for relative, package, path in files()
        for name in imports(path)
        if package in ON_TOP and name.startswith("cardan.") and name.split(".")[1] != package
        if name.count(".") > 1 or name.split(".")[1] in BACK_ROOMS
    ]
    assert wrong == []


def test_what_is_on_top_uses_no_private_name_of_others():
    wrong = []
    for relative, package, path in files():
        for node in ast.walk(parsed(path)) if package in ON_TOP else ():
            if isinstance(node, ast.ImportFrom) and str(node.module).partition("cardan.")[2].split(".")[0] != package:
                wrong += [f"{relative} imports {alias.name}" for alias in node.names if alias.name.startswith("_")]
    assert wrong == []


def test_optional_and_slow_packages_stay_in_their_files():
    wrong = [
        f"{relative} imports {name}"
        for relative, _, path in files()
        for name in imports(path)
        if name.split(".")[0] in OPTIONAL and relative not in OPTIONAL[name.split(".")[0]]
    ]
    assert wrong == []
