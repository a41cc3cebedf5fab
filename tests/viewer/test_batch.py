"""Members of a batch in one page."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SettingError
from cardan.messages import FrameMotion
from cardan.missions import thruster_arms
from cardan.simulation import Log
from cardan.viewer import BatchReplay, RecordedMotion
from cardan.viewer.batch import BatchMotion

MEMBERS = 7


@pytest.fixture(scope="module")
def logs() -> object:
    batch = cd.Batch(thruster_arms.build(), MEMBERS, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    places = np.random.default_rng(1).normal(scale=3.0, size=(MEMBERS, 3))
    batch.reset({"hub": FrameMotion(r_BN_N=places)})
    return batch.run(until=1.0, record=cd.Record(every=0.25, ports=["*.motion", "*.state"]))


def test_members_are_where_their_own_logs_have_them(logs: object) -> None:
    with BatchReplay(logs, port=0, member=2) as replay:  # type: ignore[arg-type]
        for t in (0.5, 0.6):
            r, _ = replay.poses(t)
            origin = logs[2]["hub.motion"].r_BN_N  # type: ignore[index]
            for i, log in enumerate(logs):  # type: ignore[arg-type, var-annotated]
                alone = RecordedMotion(log).poses(t).r[0]
                here = np.array([np.interp(t, log.t, origin[:, k]) for k in range(3)])
                assert np.abs(r[i] - (alone - here)).max() < 1.0e-9
        replay.go(0.5)
        shape = replay._instances[0]
        assert shape.node.batched_positions.shape == (MEMBERS, 3)
        assert np.abs(shape.node.batched_positions[2]).max() < 1.0e-6  # the one that is picked is in the middle
        replay.pick(5)
        replay.timeline.settle()
        assert np.abs(shape.node.batched_positions[5]).max() < 1.0e-6
        assert (shape.node.batched_colors[5] != shape.node.batched_colors[2]).any()


def test_a_member_that_failed_is_seen_until_then(logs: object) -> None:
    short = logs[1]  # type: ignore[index]
    fields = [
        type(field)(field.path, field.t[:3], field.values[:3], field.unit, field.frame) for field in short.fields()
    ]
    mixed = [logs[0], Log(short.t[:3], fields, short.about)]  # type: ignore[index]
    with BatchReplay(mixed, port=0) as replay:
        replay.go(0.5)
        assert replay._instances[0].node.batched_scales.tolist() == [1.0, 1.0]
        replay.go(1.0)
        assert replay._instances[0].node.batched_scales.tolist() == [1.0, 0.0]


def test_what_cannot_be_shown_is_told(logs: object) -> None:
    with pytest.raises(SettingError, match="The batch has no members"):
        BatchMotion([])
    with pytest.raises(SettingError, match=r"member = 7.\n  Members are numbered from 0 to 6."):
        BatchReplay(logs, member=7)  # type: ignore[arg-type]
    log = logs[0]  # type: ignore[index]
    fields = [field for field in log.fields() if not field.path.startswith("arm_1")]
    with pytest.raises(SettingError, match=r"has not recorded `arm_1_base_joint_x.state`"):
        BatchMotion([Log(log.t, fields, log.about)])
