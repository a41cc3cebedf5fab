"""Your own model and task: plain Python to write, native code to run."""

from typing import Annotated, NamedTuple

import cardan as cd


@cd.message
class Temperature(NamedTuple):
    temperature: Annotated[float, "K"]


@cd.message
class HeaterPower(NamedTuple):
    power: Annotated[float, "W"]


class PanelState(NamedTuple):
    temperature: Annotated[float, "K"] = 250.0


@cd.model
class RadiatingPanel(NamedTuple):
    """A panel that is heated and radiates to space: C dT/dt = power - emissivity sigma A T^4."""

    capacity: Annotated[float, "J/K"] = 900.0
    area: Annotated[float, "m^2"] = 0.5
    emissivity: Annotated[float, "-"] = 0.8

    def derivatives(self, x: PanelState, heater: HeaterPower) -> PanelState:
        squared = x.temperature * x.temperature  # `**` is rounded otherwise on some machines
        radiated = self.emissivity * 5.670374419e-8 * self.area * squared * squared
        return PanelState(temperature=(heater.power - radiated) / self.capacity)

    @cd.output
    def sensed(self, x: PanelState) -> Temperature:
        return Temperature(x.temperature)


class Outputs(NamedTuple):
    heater: HeaterPower


@cd.task
class Thermostat(NamedTuple):
    setpoint: Annotated[float, "K"] = 270.0
    power: Annotated[float, "W"] = 200.0

    def step(self, sensed: Temperature) -> Outputs:
        return Outputs(HeaterPower(self.power if sensed.temperature < self.setpoint else 0.0))


scn = cd.Scenario("thermostat")
panel = scn.add(RadiatingPanel(), name="panel")
thermostat = scn.add(Thermostat(), name="thermostat", every=1.0, sensed=panel.sensed)
scn.connect(thermostat.heater, panel.heater)
report = cd.check_model(RadiatingPanel())  # pure, finite, and the same in plain Python and native code?
print(f"native code gives {report.targets['native']} as plain Python")
log = cd.Simulation(scn, integrator=cd.DormandPrince54()).run(until=3600.0)
print(f"after an hour: {log['panel.state'].temperature[-1]:.2f} K")
