"""What the command line saves and draws of the missions with mechanisms."""

import sys

import pytest

import cardan as cd
from cardan.cli import main
from cardan.missions import MISSIONS

MOTION = ("r_BN_N", "v_BN_N", "sigma_BN", "omega_BN_B")
ATTITUDE_ERROR = ("err.error.sigma_BR", "err.error.omega_BR_B")

# what others read from the file of each mission, besides the motion of its hub and the states of its joints
WHEELS = (*ATTITUDE_ERROR, "ctl.torque.torque_B", "limit.torques.torque")
PANELS = ("seq.locks.is_engaged", "seq.locks.angle", "ref.reference.angle", "pid.torques.torque")
ARMS = (*ATTITUDE_ERROR, "arms.torques.torque", "arms.hub.torque_B", "allocation.thrust_1.command")
PROMISED = {"reaction-wheels": ("bus", WHEELS), "branching-panels": ("hub", PANELS), "thruster-arms": ("hub", ARMS)}


@pytest.mark.parametrize("name", PROMISED)
def test_a_mission_saves_what_is_promised_and_draws_its_figures(name, tmp_path, monkeypatch, capsys):
    file, folder = tmp_path / "run.nc", tmp_path / "figures"
    monkeypatch.setenv("MPLBACKEND", "Agg")
    arguments = ["cardan", "run", name, "--until", "20", "--save", str(file), "--plot", str(folder)]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr().err

    mission = MISSIONS[name]
    hub, others = PROMISED[name]
    joints = [joint for joint in mission.build().mechanism.joints if not joint.lower().endswith("free")]
    expected = {f"{hub}.motion.{field}" for field in MOTION} | set(others)
    expected |= {f"{joint}.state.{field}" for joint in joints for field in ("angle", "rate")}
    assert len(joints) == {"reaction-wheels": 3, "branching-panels": 6, "thruster-arms": 8}[name]
    assert expected <= {field.path for field in cd.load_log(file).fields()}
    assert {path.name for path in folder.iterdir()} == {f"{name}-{figure}.png" for figure in mission.figures}
