"""Time of one call of Pinocchio's `aba` through its Python package, for the vehicle in an MJCF file."""

import json
import sys
import time

import numpy as np
import pinocchio as pin

model = pin.buildModelFromMJCF(sys.argv[1])
data = model.createData()
rng = np.random.default_rng(0)
q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
best = np.inf
for _ in range(8):
    began = time.perf_counter()
    for _ in range(20_000):
        pin.aba(model, data, q, v, tau)
    best = min(best, (time.perf_counter() - began) / 20_000)
print(json.dumps({"aba_s": best, "nv": model.nv}))
