"""Mutated MJCF and URDF: each is refused in our words, or gives a mechanism on which all services agree."""

import random
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from mechanisms import random_mechanism

import cardan as cd
from cardan.maths import mrp_from_quaternion
from cardan.mechanism.inertia import inertia_at, least_inertia
from cardan.mechanism.tree import FREE, HINGE
from cardan.messages import FrameMotion, HingeState
from fuzz.campaign import REFUSALS, Case, kind

_ROOT = Path(__file__).parents[2]
_ODD = [
    "", " ", "0", "-0", "-1", "1", "2", "1e-300", "1e300", "1e308", "1e400", "nan", "inf", "-inf", "0 0 0", "0 0 0 0",
    "1 0 0", "1 2 3 4 5 6 7", "2147483647", "2147483648", "99999999999999999999", "true", "false", "auto", "world",
    "*", "..", "/", "ä", "a" * 300, "x.stl", "../x.xml", "free", "ball", "slide", "hinge", "mesh", "continuous",
    "floating", "planar", "prismatic",
]  # fmt: skip
_WILD_TEXTS = ["<", ">", "&", "&amp;", "</body>", "<!--", "]]>", "\0", "\x7f", "<body/>", '"', "<?xml?>", "\ufeff"]
_LARGEST = 1e4  # states beyond this are compared no more: rounding has its way with them
_APART = 1e-8  # of the largest number, after two steps; contact is left out
_LOST = 1e-12  # the same, over the inertia that is left: rounding, ten thousand times (recursive_tree.md, Eq. (19))
_NUDGE = 1e-12  # [rad/s] if a start that differs by this ends far away, the step is too long and rounding grows as well
_GROWN = 100.0  # times what the nudge does


@cache
def mjcf_files() -> list[str]:
    """Files that are good: those of the missions, an arm, and mechanisms of all kinds of joints."""
    files = [*sorted((_ROOT / "src/cardan/missions/vehicles").glob("*.xml"))]
    files.append(_ROOT / "tests/mechanism/arms/seven_joints.xml")
    return [path.read_text() for path in files] + [
        random_mechanism(seed, most=6, wheels=seed % 3).mjcf for seed in range(12)
    ]


@cache
def urdf_files() -> list[str]:
    inertia = '<inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0.1" iyz="0"/>'
    rest = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="1"/>'
    tree = [f'<link name="{name}"><inertial><mass value="2"/>{inertia}</inertial></link>' for name in "abcd"]
    for kind_of, parent, child in (("continuous", "a", "b"), ("prismatic", "a", "c"), ("fixed", "c", "d")):
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        tree.append(f'<joint name="{parent}{child}" type="{kind_of}">{ends}{rest}</joint>')
    arm = (_ROOT / "tests/mechanism/arms/six_joints.urdf").read_text()
    return [arm, f'<robot name="r">{"".join(tree)}</robot>']


def mutated(text: str, rng: random.Random, others: list[str]) -> str:
    """The text with one change: of its letters, or of its elements as long as it is XML."""
    if rng.random() < 0.08:
        return _with_other_letters(text, rng)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return _with_other_letters(text, rng)
    parents = [element for element in root.iter() if len(element)]
    parent = rng.choice(parents or [root])
    element = rng.choice(list(parent) or [root])
    what = rng.randrange(16)  # most are numbers: of files with other elements few are taken
    if what == 0 and element is not root:
        parent.remove(element)
    elif what == 1 and element is not root:
        parent.insert(rng.randrange(len(parent) + 1), element)  # twice, with its names
    elif what == 2:
        rng.choice(list(root.iter())).append(element if element is not root else ElementTree.Element("body"))
        if _is_circular(root):
            return text
    elif what == 3:
        donor = rng.choice(list(ElementTree.fromstring(rng.choice(others)).iter()))
        parent.append(ElementTree.fromstring(ElementTree.tostring(donor)))
    elif what == 4 and element.attrib:
        del element.attrib[rng.choice(list(element.attrib))]
    elif what == 5:
        donor = rng.choice([inner for inner in root.iter() if inner.attrib] or [ElementTree.Element("x", a="1")])
        name = rng.choice(list(donor.attrib))
        element.set(name, donor.attrib[name])
    elif what > 5:
        changed = rng.choice([inner for inner in root.iter() if inner.attrib] or [ElementTree.Element("x", a="1")])
        name = rng.choice(list(changed.attrib))
        changed.set(name, _other_value(changed.attrib[name], rng))
    return ElementTree.tostring(root, encoding="unicode")


def _is_circular(root: ElementTree.Element) -> bool:
    seen: set[int] = set()

    def visit(element: ElementTree.Element) -> bool:
        if id(element) in seen:
            return True
        seen.add(id(element))
        found = any(visit(inner) for inner in element)
        seen.discard(id(element))
        return found

    return visit(root)


def _other_value(value: str, rng: random.Random) -> str:
    """Another number in one place as a rule; now and then an odd word."""
    words = value.split()
    if not words or rng.random() < 0.05:
        return rng.choice(_ODD)
    i = rng.randrange(len(words))
    if rng.random() < 0.1:
        words[i] = rng.choice(_ODD)
        return " ".join(words)
    try:
        number = float(words[i])
    except ValueError:
        return value if rng.random() < 0.8 else value + rng.choice(_ODD)
    factor = rng.choice([-1.0, 0.0, 1e-9, 1e-3, 1e3, 1e9, *(rng.uniform(0.2, 5.0) for _ in range(4))])
    words[i] = repr(number * factor if number else rng.choice([0.1, -1.0, 7.0]) * abs(factor))
    return " ".join(words)


def _with_other_letters(text: str, rng: random.Random) -> str:
    at, length = rng.randrange(len(text) + 1), rng.choice([0, 1, 1, 5, 50, 500])
    between = rng.choice([*_WILD_TEXTS, *_ODD, chr(rng.randrange(1, 256)), text[at : at + length] * 2])
    return text[:at] + between + text[at + length :]


def prepare() -> None:
    mjcf_files(), urdf_files()
    mechanism = random_mechanism(1, most=4)
    for service in (cd.RecursiveTree(), cd.Mujoco()):
        cd.Simulation(cd.Scenario(mechanism=mechanism), dynamics=service).run(until=0.02)


def answers(
    text: str, read: object, nudge: float = 0.0, **options: object
) -> tuple[cd.Mechanism | None, dict[str, np.ndarray]]:
    """The mechanism of a file, and what each service makes of it after two steps, where it takes it."""
    found: dict[str, np.ndarray] = {}
    mechanism = None
    for service in (cd.RecursiveTree(), cd.Mujoco()):
        try:
            mechanism = read(text, **options)  # type: ignore[operator]
            scn = cd.Scenario(mechanism=mechanism)
            scn.start(_starts(mechanism, nudge))
            sim = cd.Simulation(scn, dynamics=service, integrator=cd.Rk4(step=0.01))
            log = sim.run(until=0.02, progress=False)
        except REFUSALS as error:
            assert str(error).strip(), "an error without a text"
            continue
        states = [field.values[-1].ravel() for field in log.fields()]
        assert all(np.isfinite(state).all() for state in states), "a number that is not finite went unnoticed"
        found[type(service).__name__] = np.concatenate([np.zeros(0), *states])
    return mechanism, found


def _starts(mechanism: cd.Mechanism, nudge: float) -> dict[str, object]:
    """[rad], [rad/s] Hinges that turn; with a nudge, free bodies that turn a little too."""
    hinges = [name for name, joint in mechanism.joints.items() if joint.kind == HINGE]
    starts: dict[str, object] = {name: HingeState(0.3, 0.7 + nudge) for name in hinges}
    model = mechanism.model
    for joint in np.flatnonzero(model.jnt_type == FREE) if nudge else ():
        place = model.qpos0[model.jnt_qposadr[joint] :][:7]
        starts[model.body(model.jnt_bodyid[joint]).name] = FrameMotion(
            r_BN_N=place[:3], sigma_BN=mrp_from_quaternion(place[3:]), omega_BN_B=[nudge, -nudge, nudge]
        )
    return starts


def check_agreement(text: str, read: object, **options: object) -> None:
    """Services find the same, but for what rounding leaves of masses that differ much and of runs that blow up."""
    mechanism, found = answers(text, read, **options)
    if mechanism is None or len(found) < 2:
        return
    first, second = found.values()
    assert first.shape == second.shape
    largest = max(1.0, float(np.abs(first).max(initial=0.0)), float(np.abs(second).max(initial=0.0)))
    if largest >= _LARGEST or not mechanism.tree.nv:
        return
    apart = float(np.abs(first - second).max(initial=0.0))
    left = _inertia_left(mechanism)
    if apart <= (_APART + _LOST / left) * largest:
        return
    _, nudged = answers(text, read, nudge=_NUDGE, **options)
    moved = max(float(np.abs(nudged[name] - found[name]).max(initial=0.0)) for name in found if name in nudged)
    assert apart <= _GROWN * moved, f"services are {apart:g} apart, of {largest:g}; {left:g}, {moved:g}"


def _inertia_left(mechanism: cd.Mechanism) -> float:
    """[-] The least inertia that any motion meets, relative to what its joints move, where a mechanism stands first."""
    tree = mechanism.tree
    inertia = inertia_at(tree, np.array(tree.reference), tree.mass, tree.com, tree.inertia)
    return max(least_inertia(tree, inertia, np.zeros(tree.nv, bool))[0], 1e-12)


@kind("mjcf", share=240, prepare=prepare)
def mjcf(case: Case) -> None:
    text = case.rng.choice(mjcf_files())
    plain = case.rng.random() < 0.7
    for rng in case.changes(4):
        text = mutated(text, rng, mjcf_files())
    (case.folder / "case.xml").write_text(text, encoding="utf-8", errors="surrogateescape")
    options = {"geometry": False, "contact": False, "limits": False, "friction": False} if plain else {}
    check_agreement(text, cd.Mechanism.from_mjcf, **options)


@kind("urdf", share=140, prepare=prepare)
def urdf(case: Case) -> None:
    text = case.rng.choice(urdf_files())
    plain, free = case.rng.random() < 0.9, case.rng.random() < 0.4
    for rng in case.changes(4):
        text = mutated(text, rng, urdf_files())
    (case.folder / "case.urdf").write_text(text, encoding="utf-8", errors="surrogateescape")
    options = {"geometry": False, "contact": False, "limits": False, "friction": False} if plain else {}
    check_agreement(text, cd.Mechanism.from_urdf, free_base=free, **options)
