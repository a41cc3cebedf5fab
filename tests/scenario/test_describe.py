"""Scenarios in words."""

import numpy as np

import cardan as cd
from cardan import messages
from parts import Count, Gain, Lag, Number


def test_a_scenario_prints_its_parts_rates_connections_and_order():
    scn = cd.Scenario("demo", seed=4)
    count = scn.add(Count(), name="count", every=0.2, offset=0.1)
    gain = scn.add(Gain(), name="gain", source=count.signal.delayed(1))
    scn.add(Lag(), name="lag", source=gain.signal)
    scn.add(Gain(), name="idle", source=Number(2.0))
    assert str(scn) == (
        "scenario demo, seed 4\n"
        "\n"
        "part   class  runs\n"
        "count  Count  every 0.2 s from 0.1 s\n"
        "gain   Gain   every stage\n"
        "lag    Lag    every stage\n"
        "idle   Gain   every stage\n"
        "\n"
        "input            source\n"
        "gain.source  <-  count.signal (delay 1)\n"
        "lag.source   <-  gain.signal\n"
        "idle.source  <-  constant Number(value=2.0)\n"
        "\n"
        "every stage: gain.signal, lag.derivatives\n"
        "every tick:  gain.signal, lag.signal, idle.signal, count"
    )


def test_a_mechanism_is_described_with_what_acts_on_it():
    mechanism = cd.Mechanism("sat")
    bus = mechanism.add_body("bus", joint=cd.Free(), mass=2.0, inertia_B=np.eye(3))
    scn = cd.Scenario("demo", mechanism=mechanism)
    scn.connect(messages.BodyWrench(force_B=np.array([1.0, 0.0, 0.0])), bus.wrench)
    text = str(scn)
    assert "mechanism sat: 1 body, 1 joint" in text
    assert "bus.wrench  <-  constant BodyWrench(force_B=[1.0, 0.0, 0.0], torque_B=[0.0, 0.0, 0.0])" in text
    assert "every stage: mechanism.kinematics, mechanism.dynamics" in text
    about = cd.Simulation(scn, dynamics=cd.RecursiveTree()).run(until=0.1).about
    assert about["dynamics"] == "RecursiveTree(lock_time_constant=0.1, ignore_limits=False)"
    again = cd.Mechanism.from_mjcf(about["mechanism"]["mjcf"])
    assert np.array_equal(again.tree.mass, mechanism.tree.mass)


def test_elements_of_a_mechanism_show_their_names():
    mechanism = cd.Mechanism("sat")
    mechanism.add_body("bus", joint=cd.Free(), mass=2.0, inertia_B=np.eye(3))
    assert repr(mechanism.bodies) == "<body names of sat: bus>"
    assert repr(mechanism.sites) == "<site names of sat: none>"
