"""The program of `TrackingMpc` about a plan, linearised by CasADi and solved by HPIPM: one real-time iteration."""

import casadi as ca
import numpy as np

from cardan.mpc import TrackingMpc


class RealTimeIteration:
    """One linearisation and one quadratic program, without soft limits, which HPIPM is spared."""

    def __init__(self, part: TrackingMpc) -> None:
        self._stages, self._inputs = part.horizon, len(part.max_thrust)
        stage = self._stage(part, part.weights)
        last = self._stage(part, part.last_weights)
        self._program = self._assembled(part, stage, last)
        nx, nu, n = 12, self._inputs, self._stages
        shape = {"h": self._program.sparsity_out(0), "a": self._program.sparsity_out(2)}
        sizes = {"N": n, "nx": [nx] * (n + 1), "nu": [nu] * n + [0], "ng": [0] * (n + 1)}
        self._solver = ca.conic("program", "hpipm", shape, sizes | {"print_time": False})
        low, high = np.full((n, nx + nu), -np.inf), np.full((n, nx + nu), np.inf)
        low[:, nx:], high[:, nx:] = 0.0, part.max_thrust
        low[0, :nx] = high[0, :nx] = 0.0
        self._low = np.r_[low.ravel(), np.full(nx, -np.inf)]
        self._high = np.r_[high.ravel(), np.full(nx, np.inf)]

    def step(self, nodes: np.ndarray, plan: np.ndarray) -> np.ndarray:
        """Thrusts (N, nu) after one program about nodes (N + 1, 13) and a plan (N, nu)."""
        H, g, a, b = self._program(nodes.T, plan.T)
        found = self._solver(h=H, g=g, a=a, lba=b, uba=b, lbx=self._low, ubx=self._high)
        _ = found["cost"], found["lam_a"], found["lam_x"]  # HPIPM writes all of them
        columns = np.array(found["x"]).ravel()[:-12].reshape(self._stages, 12 + self._inputs)
        return columns[:, 12:]

    def _stage(self, part: TrackingMpc, weights: np.ndarray) -> ca.Function:
        """From a node and thrusts: A, B, and Q and q of the node after them."""
        node, after, u = ca.SX.sym("node", 13), ca.SX.sym("after", 13), ca.SX.sym("u", self._inputs)
        d, e = ca.SX.sym("d", 12), ca.SX.sym("e", 12)
        moved = _step(part, _moved(node, d), u)
        near = ca.vertcat(
            moved[:3] - after[:3], 2.0 * _turned(after[3:7], moved[3:7])[1:], moved[7:10] - after[7:10],
            moved[10:] - after[10:],
        )  # fmt: skip
        A, B = (ca.substitute(ca.jacobian(near, by), d, 0) for by in (d, u))
        there = _moved(after, e)
        sine = ca.norm_2(there[4:7])
        turn = 2.0 * ca.atan2(sine, there[3]) / sine * there[4:7]
        error = ca.vertcat(there[:3], turn, there[7:10], there[10:])
        E = ca.substitute(ca.jacobian(error, e), e, 0)
        W = ca.diag(ca.vertcat(*(ca.repmat(ca.SX(w), 3, 1) for w in np.asarray(weights).tolist())))
        Q, q = E.T @ W @ E, E.T @ W @ ca.substitute(error, e, 0)
        return ca.Function("stage", [node, after, u], [A, B, Q, q])

    def _assembled(self, part: TrackingMpc, stage: ca.Function, last: ca.Function) -> ca.Function:
        """The whole program in the order x_0, u_0, x_1, ..., as HPIPM takes it."""
        n, nodes, plan = (
            self._stages,
            ca.MX.sym("nodes", 13, self._stages + 1),
            ca.MX.sym("plan", self._inputs, self._stages),
        )
        R = part.thrust_weight * ca.MX.eye(self._inputs)
        weights, slopes, rows, right = [ca.MX(12, 12)], [ca.MX.zeros(12)], [], []
        wide = n * (12 + self._inputs) + 12
        for k in range(n):
            A, B, Q, q = (last if k == n - 1 else stage)(nodes[:, k], nodes[:, k + 1], plan[:, k])
            weights += [R, Q]
            slopes += [ca.MX.zeros(self._inputs), q]
            before, behind = k * (12 + self._inputs), wide - (k + 1) * (12 + self._inputs) - 12
            rows.append(ca.horzcat(ca.MX(12, before), A, B, -ca.MX.eye(12), ca.MX(12, behind)))
            right.append(B @ plan[:, k])
        outputs = [ca.diagcat(*weights), ca.vertcat(*slopes), ca.vertcat(*rows), ca.vertcat(*right)]
        return ca.Function("program", [nodes, plan], outputs)


def _moved(node: ca.SX, d: ca.SX) -> ca.SX:
    """A node after a small move of its neighbourhood, the quaternion to first order."""
    return ca.vertcat(
        node[:3] + d[:3], _product(node[3:7], ca.vertcat(1.0, 0.5 * d[3:6])), node[7:10] + d[6:9], node[10:] + d[9:]
    )


def _product(a: ca.SX, b: ca.SX) -> ca.SX:
    return ca.vertcat(a[0] * b[0] - ca.dot(a[1:], b[1:]), a[0] * b[1:] + b[0] * a[1:] + ca.cross(a[1:], b[1:]))


def _turned(a: ca.SX, b: ca.SX) -> ca.SX:
    return _product(ca.vertcat(a[0], -a[1:]), b)


def _step(part: TrackingMpc, node: ca.SX, u: ca.SX) -> ca.SX:
    """The prediction of `TrackingMpc`: a step of Runge and Kutta, the quaternion made a unit one."""
    J, wrench, h = ca.DM(np.asarray(part.inertia_B)), ca.DM(np.asarray(part.mixer)) @ u, part.prediction_step
    inverse = ca.DM(np.linalg.inv(np.asarray(part.inertia_B)))

    def rate(s: ca.SX) -> ca.SX:
        e, f, omega = s[4:7], wrench[:3] / part.mass, s[10:]
        t = 2.0 * ca.cross(e, f)
        spin = inverse @ (wrench[3:] - ca.cross(omega, J @ omega))
        turn = 0.5 * _product(s[3:7], ca.vertcat(0.0, omega))
        return ca.vertcat(s[7:10], turn, f + s[3] * t + ca.cross(e, t), spin)

    a = rate(node)
    b = rate(node + 0.5 * h * a)
    c = rate(node + 0.5 * h * b)
    after = node + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(node + h * c))
    return ca.vertcat(after[:3], after[3:7] / ca.norm_2(after[3:7]), after[7:])
