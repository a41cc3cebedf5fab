"""Sequential quadratic programming, shared by all predictive controllers (docs/theory/tracking_mpc.md).

Every program starts from a feasible plan and ends with one that costs no more, so any number of programs gives a
working controller.
"""

from typing import NamedTuple

from cardan.mpc.interior_point import BROKEN_DOWN, COLD, SOLVED, WARM
from cardan.mpc.problem import new_iterate
from cardan.mpc.program import solve_program
from cardan.native.pointers import store_float


class Budget(NamedTuple):
    """What a tick may take.

    Attributes:
        tolerance: [-] Of a program.
        programs: Most of them about a plan that is nearly optimal.
        first_programs: Most about one that is not: it is new, or it exceeds a soft limit.
        iterations: Most of each program.
        is_new: Whether the plan is no more than a guess.
        halvings: How often a step that makes the plan worse is halved before it is bent.
    """

    tolerance: float
    programs: int
    first_programs: int
    iterations: int
    is_new: bool
    halvings: int


class Improvement(NamedTuple):
    """What was done.

    Attributes:
        status: Of the last program, as in `interior_point`.
        programs: How many.
        iterations: Of all of them.
        mu: Of the last one.
        residual: Of the last one.
        cost: Of the plan.
    """

    status: int
    programs: int
    iterations: int
    mu: float
    residual: float
    cost: float


class Outcome(NamedTuple):
    """What is reported of it, in the order in which it lies in memory.

    Attributes:
        status: Of the last program, as in `interior_point`.
        programs: How many.
        iterations: Of all of them.
        mu: Of the last one.
        residual: Of the last one.
        cost: Of the plan, by its own prediction.
        excess: Largest excess over a soft limit, by the same.
        active: How many bounds and soft limits are met, to rounding.
    """

    status: float
    programs: float
    iterations: float
    mu: float
    residual: float
    cost: float
    excess: float
    active: float


SETTLED = 1.0e-9  # [-] a program that gains less of the cost is the last
TIGHTENED, FINEST = 1.0e-2, 1.0e-7  # [-] by how much and how far a tolerance is tightened if nothing is gained
ALLOWED = 1.0e-4  # in the units of soft limits: a plan that exceeds one by more is not one to end with
MOST = 7  # halvings of a step that makes a plan worse


def improve(
    case,
    problem,
    iterate,
    plan,
    trial,
    now,
    nodes,
    room,
    budget,
    free,
    linearise,
    cost_of,
    excess_of,
    bend,
    begin,
    feed_back,
):
    """Improve a plan, in place; on return `nodes` is where it leads.

    Args:
        case: What the functions below need.
        problem: Memory of the program.
        iterate: Memory of its solution.
        plan: (N, nu) Inputs.
        trial: (N, nu) Memory.
        now: Where the prediction begins.
        nodes: (N + 1, n) Where the plan leads.
        room: Memory of the functions.
        budget: See there.
        free: How many states, the last ones, are decided at the beginning too.
        linearise: `f(case, problem, iterate, plan, nodes, room)`, the program about a plan, with the multipliers of the
            one before; whether soft limits have moved.
        cost_of: `f(case, plan, now, nodes, room)`, which follows a plan.
        excess_of: `f(case, nodes)`, the largest excess over a soft limit.
        bend: `f(case, problem, iterate, nodes)`, which makes the soft limits of a program exact where its step leads.
        begin: `f(case, iterate, share)`, which moves what is decided at the beginning by a share of its step.
        feed_back: `f(case, plan, now, nodes, room)`, which writes the plan that feedback makes; whether there is one.
    """
    tolerance, inward = budget.tolerance, COLD if budget.is_new else WARM
    status, programs, count, mu, residual = 0, 0, 0, 0.0, 0.0
    straight = new_iterate(plan.shape[0], iterate.x.shape[1], plan.shape[1], iterate.row.shape[1])
    cost = cost_of(case, plan, now, nodes, room)
    left = budget.first_programs if budget.is_new else budget.programs
    more, has_fed_back = budget.first_programs - left, False
    while left > 0:
        left -= 1
        if linearise(case, problem, iterate, plan, nodes, room):
            cost = cost_of(case, plan, now, nodes, room)  # by the limits of this program
        iterate.x[:, :] = 0.0
        iterate.u[:, :] = plan
        outcome = solve_program(problem, iterate, tolerance, budget.iterations, free, inward)
        programs, count = programs + 1, count + outcome.iterations
        status, mu, residual = outcome.status, outcome.mu, outcome.residual
        if status == BROKEN_DOWN:
            break
        keep(iterate, straight)
        there = whole_step(case, problem, iterate, plan, trial, now, nodes, room, cost, cost_of, begin)
        few = budget.halvings
        share, there = shorten(
            few, case, problem, iterate, straight, plan, trial, now, nodes, room, 1.0, there, cost, cost_of, begin
        )
        if not there <= cost and left + more > 0:
            take_step(case, problem, iterate, plan, trial, now, nodes, room, 1.0, False, cost_of, begin)
            if excess_of(case, nodes) > ALLOWED:
                # a long step along a round limit leaves it: solved again, the program bends the step by as much
                left, more = (left - 1, more) if left > 0 else (left, more - 1)
                bend(case, problem, iterate, nodes)
                outcome = solve_program(problem, iterate, tolerance, budget.iterations, free, inward)
                programs, count = programs + 1, count + outcome.iterations
                if square_between(iterate.u, straight.u) <= square_between(straight.u, plan):
                    share = 1.0
                    there = whole_step(case, problem, iterate, plan, trial, now, nodes, room, cost, cost_of, begin)
                else:
                    keep(straight, iterate)  # what bends more than it goes ahead came from a step into nowhere
        _, there = shorten(
            MOST, case, problem, iterate, straight, plan, trial, now, nodes, room, share, there, cost, cost_of, begin
        )
        gained = 0.0
        if there <= cost:
            gained, cost = cost - there, there
            plan[:, :] = trial
        else:
            begin(case, iterate, 0.0)
            cost = cost_of(case, plan, now, nodes, room)  # so that `nodes` is where the plan leads again
        if status != SOLVED and not has_fed_back and more > 0:
            # about a plan that disturbances have led astray, no program may be solved again
            has_fed_back = True
            there = cost_of(case, trial, now, nodes, room) if feed_back(case, trial, now, nodes, room) else cost
            if there < cost:
                plan[:, :] = trial
                cost, inward, left, more = there, COLD, left + 1, more - 1
                continue
            cost = cost_of(case, plan, now, nodes, room)
        if gained <= SETTLED * abs(cost):
            # while penalties are most of the cost, a residual relative to them may be too loose to gain anything
            if tolerance <= FINEST or excess_of(case, nodes) <= ALLOWED:
                break
            tolerance, left = max(TIGHTENED * tolerance, FINEST), left + 1
        elif left == 0 and more > 0 and excess_of(case, nodes) > ALLOWED:
            # what a program keeps clear of as planes is round, and what moves in it turns
            left, more = 1, more - 1
    return Improvement(status, programs, count, mu, residual, cost)


def keep(iterate, to):
    """Copy a step and the multipliers of its soft limits."""
    to.u[:, :] = iterate.u
    to.x[0, :] = iterate.x[0]
    to.row[:, :] = iterate.row


def square_between(a, b):
    """The square of the distance between two plans."""
    total = 0.0
    for k in range(a.shape[0]):
        for i in range(a.shape[1]):
            total += (a[k, i] - b[k, i]) * (a[k, i] - b[k, i])
    return total


def whole_step(case, problem, iterate, plan, trial, now, nodes, room, cost, cost_of, begin):
    """What a plan costs after a whole step: rounded, or as it is if that is no better."""
    there = take_step(case, problem, iterate, plan, trial, now, nodes, room, 1.0, True, cost_of, begin)
    if there <= cost:
        return there
    return take_step(case, problem, iterate, plan, trial, now, nodes, room, 1.0, False, cost_of, begin)


def shorten(
    halvings, case, problem, iterate, straight, plan, trial, now, nodes, room, share, there, cost, cost_of, begin
):
    """Halve a step until the plan gets no worse; returns the share of it that is taken, and what the plan costs then.

    Half as long a step is bent by a quarter, and a short one is the straight one, which gains.
    """
    for _ in range(halvings):
        if there <= cost:
            break
        share *= 0.5
        iterate.u[:, :] = 0.5 * (iterate.u + straight.u)
        iterate.x[0, :] = 0.5 * (iterate.x[0] + straight.x[0])
        there = take_step(case, problem, iterate, plan, trial, now, nodes, room, share, False, cost_of, begin)
    return share, there


def take_step(case, problem, iterate, plan, trial, now, nodes, room, share, is_rounded, cost_of, begin):
    """What a plan, `trial`, costs after a share of a step, with inputs that belong at a bound put there or not."""
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            to = rounded(problem, iterate, k, i) if is_rounded else iterate.u[k, i]
            value = plan[k, i] + share * (to - plan[k, i])
            # rounding may bring it out
            trial[k, i] = min(max(value, problem.lower[k, i]), problem.upper[k, i])
    begin(case, iterate, share)
    return cost_of(case, trial, now, nodes, room)


def report(to, done, excess, active):
    """Write an `Outcome`."""
    is_lost = done.status == BROKEN_DOWN  # what broke down has no number
    mu, residual = -1.0 if is_lost else done.mu, -1.0 if is_lost else done.residual
    numbers = (float(done.status), float(done.programs), float(done.iterations), mu, residual)
    for i, value in enumerate(numbers):
        store_float(to + 8 * i, value)
    store_float(to + 40, done.cost)
    store_float(to + 48, excess)
    store_float(to + 56, active)


def rounded(problem, iterate, k, i):
    """An input, or the bound that it belongs at: an interior point stops a little away from it, Eq. (14)."""
    u, low, high = iterate.u[k, i], problem.lower[k, i], problem.upper[k, i]
    if iterate.low[k, i] > 0.5 * problem.R[i] * (u - low):
        return low
    return high if iterate.high[k, i] > 0.5 * problem.R[i] * (high - u) else u


def stay(case, iterate, share):
    """Nothing is decided at the beginning."""


def no_feedback(case, plan, now, nodes, room):
    """Feedback makes no plan."""
    return False


def put_within(plan, lower, upper):
    """A plan from before may be of other limits."""
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            plan[k, i] = min(max(plan[k, i], lower[i]), upper[i])
