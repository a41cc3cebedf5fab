"""Values that are not what their declarations say they must be."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts import (
    Above,
    AnyInertia,
    Ascending,
    AtLeast,
    AtMost,
    Below,
    Constraint,
    EvenlySpaced,
    Inertia,
    NotEmpty,
    NotNegative,
    NotZero,
    OfShape,
    OneOf,
    OnePer,
    OtherThan,
    Positive,
    PositiveDefinite,
    Rotation,
    Symmetric,
    Unit,
    Whole,
    Within,
)
from cardan.errors import ContractViolation, DeclarationError, ImpossibleValue
from cardan.maths import dcm_from_quaternion
from cardan.messages import BallState, HingeTorque, MassProperties
from cardan.models import MassSpringDamper, RigidBody, RigidBodyState
from errors.conftest import refused
from parts import Number, RelayOutputs

Even = Constraint("even", lambda n: n % 2 == 0)


@cd.model
class Everything(NamedTuple):
    mass: Annotated[float, "kg", Positive] = 1.0
    noise: Annotated[cd.Vec, "rad/s", NotNegative, NotEmpty] = np.zeros(2)
    share: Annotated[float, "-", Within(0.0, 1.0)] = 0.5
    lower: Annotated[float, "m", AtLeast(-1.0)] = 0.0
    upper: Annotated[float, "m", Above("lower"), AtMost(10.0)] = 1.0
    eccentricity: Annotated[float, "-", Below(1.0)] = 0.0
    tip_axis: Annotated[int, "-", OneOf(1, 2, 3)] = 1
    tilt_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("tip_axis")] = 2
    axis_B: Annotated[cd.Vec3, "-", Unit] = np.array([1.0, 0.0, 0.0])
    axes_B: Annotated[cd.Rows3, "-", Unit] = np.eye(3)
    second_N: Annotated[cd.Vec3, "-", NotZero] = np.ones(3)
    q_BN: Annotated[cd.Vec4, "-", Unit] = np.array([1.0, 0.0, 0.0, 0.0])
    dcm_BN: Annotated[cd.Mat3, "-", Rotation] = np.eye(3)
    weight_B: Annotated[cd.Mat3, "-", Symmetric] = np.eye(3)
    covariance: Annotated[cd.Mat, "-", PositiveDefinite] = np.eye(2)
    inertia_B: Annotated[cd.Mat3, "kg m^2", Inertia] = np.eye(3)
    rod_B: Annotated[cd.Mat3, "kg m^2", AnyInertia] = np.zeros((3, 3))
    time: Annotated[cd.Vec, "s", Ascending] = np.arange(3.0)
    gains: Annotated[cd.Vec, "N m", OnePer("time")] = np.zeros(3)
    grid: Annotated[cd.Vec, "rad", EvenlySpaced] = np.arange(4.0)
    table: Annotated[cd.Mat, "rad", OnePer("grid", "time")] = np.zeros((4, 3))
    phases: Annotated[cd.Vec, "-", Whole] = np.zeros(2)
    rows: Annotated[cd.Vec, "-", OfShape(6)] = np.zeros(6)
    teeth: Annotated[int, "-", Even] = 2

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(t)


INERTIA = "the inertia of a body: symmetric, its principal moments positive and none larger than the other two together"
ANY_INERTIA = "an inertia: symmetric, no principal moment negative and none larger than the other two together"
ROTATION = "a rotation matrix: orthonormal and right-handed"

REFUSED: list[tuple[str, Any, str, str]] = [
    ("mass", -1.0, "positive", "-1.0 kg"),
    ("mass", 0.0, "positive", "0.0 kg"),
    ("noise", [0.1, -0.1], "zero or positive", "[ 0.1, -0.1] rad/s"),
    ("noise", [], "one or more", "none"),
    ("share", 1.5, "within 0 and 1", "1.5"),
    ("lower", -2.0, "at least -1", "-2.0 m"),
    ("upper", 0.0, "above `lower`", "0.0 m"),
    ("upper", 11.0, "at most 10", "11.0 m"),
    ("eccentricity", 1.0, "below 1", "1.0"),
    ("tip_axis", 4, "1, 2 or 3", "4"),
    ("tilt_axis", 1, "other than `tip_axis`", "1"),
    ("axis_B", [1.0, 1.0, 0.0], "of unit length", "a length of 1.41421356\n  Divide it by its length."),
    ("axis_B", [0.0, 0.0, 0.0], "of unit length", "a length of 0\n  Divide it by its length."),
    ("axis_B", [1e200, 0.0, 0.0], "of unit length", "a length of inf\n  Divide it by its length."),
    (
        "axes_B",
        [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
        "of unit length",
        "a length of 2 in row 1\n  Divide it by its length.",
    ),
    ("second_N", [0.0, 0.0, 0.0], "other than zero", "zero"),
    ("q_BN", [2.0, 0.0, 0.0, 0.0], "of unit length", "a length of 2\n  Divide it by its length."),
    ("dcm_BN", np.diag([1.0, 1.0, -1.0]), ROTATION, "a determinant of -1, rows of length 1, 1, 1"),
    ("dcm_BN", 2.0 * np.eye(3), ROTATION, "a determinant of 8, rows of length 2, 2, 2"),
    ("weight_B", [[1, 2, 0], [0, 1, 0], [0, 0, 1]], "symmetric", "2 at (0, 1) and 0 at (1, 0)"),
    ("covariance", [[1, 2], [2, 1]], "symmetric and positive definite", "principal values of -1, 3"),
    ("covariance", np.ones((2, 3)), "symmetric and positive definite", "size 2 x 3"),
    ("inertia_B", -np.eye(3), INERTIA, "principal values of -1, -1, -1"),
    ("inertia_B", np.diag([1.0, 1.0, 3.0]), INERTIA, "principal values of 1, 1, 3"),
    ("inertia_B", np.diag([1e300, 1e300, -1e300]), INERTIA, "principal values of -1e+300, 1e+300, 1e+300"),
    ("inertia_B", np.zeros((3, 3)), INERTIA, "principal values of 0, 0, 0"),
    ("inertia_B", [[2, 1, 0], [0, 2, 0], [0, 0, 2]], INERTIA, "1 at (0, 1) and 0 at (1, 0)"),
    ("rod_B", np.diag([0.0, 1.0, 2.0]), ANY_INERTIA, "principal values of 0, 1, 2"),
    ("time", [0.0, 1.0, 1.0], "ascending", "[0., 1., 1.] s"),
    ("gains", [1.0], "one per entry of `time`", "1 for 3"),
    ("grid", [0.0, 1.0, 3.0, 4.0], "ascending and evenly spaced, two or more", "[0., 1., 3., 4.] rad"),
    (
        "table",
        np.zeros((3, 4)),
        "one row per entry of `grid` and one column per entry of `time`",
        "3 x 4 for 4 x 3",
    ),
    ("phases", [0.0, 1.5], "whole numbers", "[0. , 1.5]"),
    ("rows", [0.0], "of size 6", "size 1"),
    ("teeth", 3, "even", "3"),
]


class TestParameters:
    @pytest.mark.parametrize(("field", "value", "must", "got"), REFUSED)
    def test_a_value_that_cannot_be_is_refused(self, field, value, must, got):
        with refused(ImpossibleValue, f"`Everything.{field}` must be {must}.\n  got {got}"):
            Everything(**{field: value})

    def test_all_offenders_are_named_at_once(self):
        with refused(
            ImpossibleValue,
            """
            `Everything.mass` must be positive.
              got -1.0 kg
            `Everything.q_BN` must be of unit length.
              got a length of 2
              Divide it by its length.
            """,
        ):
            Everything(mass=-1.0, q_BN=[0.0, 2.0, 0.0, 0.0])

    def test_a_replaced_parameter_is_checked(self):
        with refused(ImpossibleValue, "`Everything.mass` must be positive.\n  got -2.0 kg"):
            Everything()._replace(mass=-2.0)

    def test_a_parameter_that_a_scenario_sets_is_checked_and_named_by_its_path(self):
        scn = cd.Scenario()
        scn.add(MassSpringDamper(), name="plant")
        with refused(ImpossibleValue, "`plant.mass` must be positive.\n  got -2.0 kg"):
            scn.set("plant.mass", -2.0)

    def test_an_array_too_long_to_show_is_shown_in_part(self):
        noise = -np.arange(100.0)
        with refused(
            ImpossibleValue,
            "`Everything.noise` must be zero or positive.\n  got [ -0.,  -1.,  -2., ..., -97., -98., -99.] rad/s",
        ):
            Everything(noise=noise)


class TestRounding:
    """Six digits are enough; what they leave is removed, so that equations may rely on it."""

    def test_a_vector_of_six_digits_becomes_a_unit_vector(self):
        given = np.array([0.577350, 0.577350, 0.577350])
        taken = Everything(axis_B=given).axis_B
        assert abs(np.linalg.norm(taken) - 1.0) < 1e-15
        assert np.allclose(taken, given, rtol=1e-6)

    def test_a_vector_that_is_off_by_more_is_refused(self):
        with pytest.raises(ImpossibleValue):
            Everything(axis_B=[1.00001, 0.0, 0.0])

    def test_a_unit_vector_keeps_its_bits(self):
        given = np.array([0.1, -0.2, 0.3, 0.4])
        given /= np.linalg.norm(given)
        assert np.array_equal(Everything(q_BN=given).q_BN, given)

    def test_taking_twice_is_taking_once(self):
        rng = np.random.default_rng(0)
        for _ in range(200):
            q = rng.normal(size=4)
            q = q / np.linalg.norm(q) + 1e-7 * rng.normal(size=4)
            once = Everything(q_BN=q)
            assert np.array_equal(once._replace(mass=2.0).q_BN, once.q_BN)

    def test_a_matrix_of_six_digits_becomes_a_rotation(self):
        c, s = 0.866025, 0.5
        taken = Everything(dcm_BN=[[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]).dcm_BN
        assert np.max(np.abs(taken @ taken.T - np.eye(3))) < 4e-15
        assert np.array_equal(Everything(dcm_BN=taken).dcm_BN, taken)

    def test_six_digits_are_always_enough(self):
        rng = np.random.default_rng(1)
        for _ in range(500):
            q = rng.normal(size=4)
            q /= np.linalg.norm(q)
            exact = Everything(q_BN=q, dcm_BN=dcm_from_quaternion(q), axis_B=q[1:] / np.linalg.norm(q[1:]))
            Everything(
                q_BN=exact.q_BN.round(6),
                dcm_BN=exact.dcm_BN.round(6),
                axis_B=exact.axis_B.round(6),
                axes_B=exact.dcm_BN,
            )
            assert np.array_equal(exact.q_BN, q) and np.array_equal(exact.dcm_BN, dcm_from_quaternion(q))

    def test_an_inertia_of_six_digits_becomes_symmetric(self):
        tensor = np.diag([900.0, 800.0, 600.0])
        tensor[0, 1], tensor[1, 0] = 5.0001, 5.0
        taken = Everything(inertia_B=tensor).inertia_B
        assert np.array_equal(taken, taken.T)

    @pytest.mark.parametrize("tensor", [np.diag([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.000001])])
    def test_a_flat_body_has_an_inertia(self, tensor):
        assert np.array_equal(Everything(inertia_B=tensor).inertia_B, tensor)

    def test_a_rod_and_a_point_have_any_inertia(self):
        Everything(rod_B=np.diag([0.0, 1.0, 1.0]))
        Everything(rod_B=np.zeros((3, 3)))


class TestStates:
    START = RigidBodyState(q_BN=np.array([2.0, 0.0, 0.0, 0.0]))
    TEXT = "must be of unit length.\n  got a length of 2\n  Divide it by its length."

    def test_an_initial_state_is_checked(self):
        with refused(ImpossibleValue, f"`body.initial.q_BN` {self.TEXT}"):
            cd.Scenario().add(RigidBody(np.eye(3)), name="body", initial=self.START)

    def test_a_state_at_reset_is_checked(self):
        scn = cd.Scenario()
        scn.add(RigidBody(np.eye(3)), name="body")
        sim = cd.Simulation(scn, jit=False)
        with refused(ImpossibleValue, f"`body.state.q_BN` {self.TEXT}"):
            sim.reset({"body": self.START})

    def test_a_state_without_a_possible_default_must_be_given(self):
        class Turn(NamedTuple):
            q_BN: Annotated[cd.Vec4, "-", Unit]

        @cd.model
        class Turning(NamedTuple):
            def derivatives(self, x: Turn) -> Turn:
                return Turn(0.0 * x.q_BN)

        scn = cd.Scenario()
        scn.add(Turning(), name="turning")
        with refused(
            ImpossibleValue,
            """
            `turning.state.q_BN` must be of unit length.
              got a length of 0
              Divide it by its length.
            """,
        ):
            cd.Simulation(scn, jit=False)


class TestMessages:
    def test_a_constant_message_is_checked(self):
        @cd.model
        class Heavy(NamedTuple):
            @cd.output
            def signal(self, body: MassProperties) -> Number:
                return Number(body.mass)

        with refused(ImpossibleValue, "`heavy.body (constant).mass` must be zero or positive.\n  got -1.0 kg"):
            cd.Scenario().add(Heavy(), body=MassProperties(mass=-1.0))

    def test_a_joint_starts_with_a_unit_quaternion(self):
        sat = cd.Mechanism("sat")
        sat.add_body("arm", joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
        scn = cd.Scenario(mechanism=sat)
        scn.start({"arm_joint": BallState(q_CP=np.array([0.0, 0.0, 0.0, 3.0]))})
        with refused(
            ImpossibleValue,
            """
            `arm_joint (start).q_CP` must be of unit length.
              got a length of 3
              Divide it by its length.
            """,
        ):
            cd.Simulation(scn, dynamics=cd.RecursiveTree(), jit=False)


class TestMechanisms:
    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"mass": -1.0}, "`bus.mass` must be zero or positive.\n  got -1.0 kg"),
            ({"mass": np.nan}, "`bus.mass` must be finite.\n  got nan kg"),
            ({"mass": "5"}, "`bus.mass` must be made of numbers.\n  got '5'"),
            ({"r_BP_P": [0, [1], 2]}, "`bus.r_BP_P` must be made of numbers.\n  got [0, [1], 2]"),
            ({"mass": [1.0, 2.0]}, "`bus.mass` must be of size 1.\n  got size 2"),
            (
                {"mass": 1.0, "inertia_B": np.diag([1.0, 1.0, 3.0])},
                f"`bus.inertia_B` must be {ANY_INERTIA}.\n  got principal values of 1, 1, 3",
            ),
            ({"mass": 1.0, "inertia_B": [1.0, 1.0, 1.0]}, "`bus.inertia_B` must be of size 3 x 3.\n  got size 3"),
            ({"inertia_B": np.eye(3)}, "`bus` has an inertia and no mass.\n  Give it a `mass` [kg]."),
            (
                {"q_BP": [2.0, 0.0, 0.0, 0.0]},
                "`bus.q_BP` must be of unit length.\n  got a length of 2\n  Divide it by its length.",
            ),
            ({"r_BP_P": [0.0, 1.0]}, "`bus.r_BP_P` must be of size 3.\n  got size 2"),
            ({"joint": cd.Hinge(axis_B=[0.0, 0.0, 0.0])}, "`bus_joint.axis_B` must be other than zero.\n  got zero"),
            ({"joint": cd.Slide(damping=-1.0)}, "`bus_joint.damping` must be zero or positive.\n  got -1.0"),
            ({"joint": cd.Ball(armature=-1.0)}, "`bus_joint.armature` must be zero or positive.\n  got -1.0"),
        ],
    )
    def test_a_body_that_cannot_be_is_refused(self, options, text):
        with refused(ImpossibleValue, text):
            cd.Mechanism("sat").add_body("bus", **options)

    def test_a_site_and_an_attached_mechanism_have_unit_quaternions(self):
        sat = cd.Mechanism("sat")
        bus = sat.add_body("bus")
        text = "must be of unit length.\n  got a length of 0\n  Divide it by its length."
        with refused(ImpossibleValue, f"`tip.q_SB` {text}"):
            sat.add_site("tip", bus, q_SB=np.zeros(4))
        with refused(ImpossibleValue, f"`arm.q_BP` {text}"):
            sat.attach(cd.Mechanism("arm"), name="arm", q_BP=np.zeros(4))

    def test_a_body_may_be_a_point_or_flat(self):
        sat = cd.Mechanism("sat")
        sat.add_body("point", mass=1.0)
        sat.add_body("flat", mass=1.0, inertia_B=np.diag([1.0, 2.0, 3.0]))


class TestDeclarations:
    def test_a_default_is_possible(self):
        with refused(ImpossibleValue, "`Wrong.mass (default)` must be positive.\n  got 0.0 kg"):

            @cd.message
            class Wrong(NamedTuple):
                mass: Annotated[float, "kg", Positive] = 0.0

    def test_a_constraint_speaks_of_a_field_that_exists(self):
        with refused(
            DeclarationError,
            """
            `Wrong.upper` must be above `lwer`, but Wrong has no field `lwer`. Did you mean `lower`?
              fields: lower, upper
            """,
        ):

            @cd.message
            class Wrong(NamedTuple):
                lower: Annotated[float, "m"]
                upper: Annotated[float, "m", Above("lwer")]

    def test_a_constraint_with_arguments_is_called(self):
        with refused(
            DeclarationError,
            """
            `Wrong.share` is annotated with `Within`, which says nothing by itself.
              Call it: `Within(...)`.
            """,
        ):

            @cd.message
            class Wrong(NamedTuple):
                share: Annotated[float, "-", Within]

    def test_a_constraint_shows_what_it_says(self):
        assert repr(Positive) == "<must be positive>"


class TestChecks:
    def test_random_messages_are_possible(self):
        @cd.message
        class Possible(NamedTuple):
            mass: Annotated[float, "kg", Positive]
            q_BN: Annotated[cd.Vec4, "-", Unit]
            axes_B: Annotated[cd.Rows3, "-", Unit]
            dcm_BN: Annotated[cd.Mat3, "-", Rotation]
            inertia_B: Annotated[cd.Mat3, "kg m^2", Inertia]
            covariance: Annotated[cd.Mat, "-", PositiveDefinite]
            axis: Annotated[int, "-", OneOf(1, 2, 3)]
            share: Annotated[float, "-", Within(0.1, 0.2)]
            upper: Annotated[float, "-", Above("share")]
            time: Annotated[cd.Vec, "s", Ascending]

        class Seen(NamedTuple):
            echo: Possible

        @cd.task
        class Echo(NamedTuple):
            def step(self, source: Possible) -> Seen:
                return Seen(source)

        cd.check_task(Echo())

    def test_a_random_message_that_cannot_be_made_is_asked_for(self):
        @cd.message
        class Teeth(NamedTuple):
            count: Annotated[float, "-", Even]

        @cd.task
        class Wheel(NamedTuple):
            def step(self, teeth: Teeth) -> RelayOutputs:
                return RelayOutputs(Number(teeth.count))

        with pytest.raises(DeclarationError) as caught:
            cd.check_task(Wheel())
        lines = str(caught.value).splitlines()
        assert lines[:2] == ["No random Teeth can be made for Wheel:", "`Teeth.count` must be even."]
        assert lines[-1] == "  Give one in `inputs`, or give the constraint a `nearest`."
        cd.check_task(Wheel(), inputs={"teeth": Teeth(4.0)})

    def test_a_message_that_cannot_be_is_a_violation(self):
        @cd.message
        class Mass(NamedTuple):
            mass: Annotated[float, "kg", Positive]

        @cd.model
        class Leak(NamedTuple):
            @cd.output
            def mass(self, drain: HingeTorque) -> Mass:
                return Mass(-1.0)

        with pytest.raises(ContractViolation) as caught:
            cd.check_model(Leak(), inputs={"drain": HingeTorque(1.0)})
        assert str(caught.value) == (
            "`Leak.mass -> mass.mass` must be positive.\n  got -1.0 kg\n  for these arguments:\n"
            "  drain = HingeTorque(torque=np.float64(1.0))"
        )
