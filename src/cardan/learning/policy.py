"""A trained policy as a task: it flies in any scenario, in place of PD or MPC."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import message, task
from cardan.errors import CardanError, SettingError, UnknownName
from cardan.learning.columns import Column
from cardan.learning.environment import Environment
from cardan.learning.files import read_arrays, write_arrays
from cardan.learning.networks import Layer, Layers
from cardan.learning.normalisation import Normaliser
from cardan.maths import Mat, RandomKey, Scalar, Vec, clip, exp, normal_if

FORMAT = "cardan policy 1"
FIRST, SECOND = 5, 3  # rows that the convolutions of an encoder of histories take together; they move on by two
LEAST_SPREAD, LARGEST_SPREAD = -5.0, 2.0  # [-] of the logarithm of a deviation that a network gives
_LARGEST = 10.0  # [-] standard deviations of an observation, as in `Normaliser`


class PolicyError(CardanError):
    """A file that holds no policy, or one that does not fit."""


@message
class PolicySample(NamedTuple):
    """What a policy thought of at a tick, before actions are squashed.

    Attributes:
        mean: [-] The best action that it knows.
        taken: [-] The one that it took: the same, unless it explores.
    """

    mean: Annotated[Vec, "-"]
    taken: Annotated[Vec, "-"]


# ---- what runs natively --------------------------------------------------------------------------------------------


def rational_tanh(x: Scalar) -> Scalar:
    """[-] tanh, to 2e-8, by arithmetic alone.

    tanh(y) = n / d,  n = y (135135 + 17325 y^2 + 378 y^4 + y^6),  d = 135135 + 62370 y^2 + 3150 y^4 + 28 y^6
    tanh(2 y) = 2 n d / (n^2 + d^2), with a single division: these take most of the time           (Lambert, 1768)
    """
    y = 0.5 * min(max(x, -10.0), 10.0)
    s = y * y
    n = y * (135135.0 + s * (17325.0 + s * (378.0 + s)))
    d = 135135.0 + s * (62370.0 + s * (3150.0 + 28.0 * s))
    return 2.0 * n * d / (n * n + d * d)


# Products are those of BLAS, which is twice as fast as loops whose indices are checked; so a policy gives the same in
# plain Python and natively to rounding, not to the bit. The rest are loops, which the compiler turns into operations on
# several numbers at once; expressions of whole arrays stay as they are.


def hidden_layer(weights: Mat, bias: Vec, x: Vec) -> Vec:
    """[-] tanh(bias + x weights)."""
    out: Vec = np.dot(x, weights)
    for j in range(min(len(out), len(bias))):
        out[j] = rational_tanh(bias[j] + out[j])
    return out


def last_layer(weights: Mat, bias: Vec, x: Vec) -> Vec:
    """[-] bias + x weights."""
    out: Vec = bias + np.dot(x, weights)
    return out


def spread_layer(weights: Mat, bias: Vec, x: Vec, share: Vec) -> Vec:
    """[-] Shares of the deviation exp(bias + x weights), whose exponent is within -5 and 2."""
    out: Vec = np.dot(x, weights)
    for j in range(min(len(out), len(bias), len(share))):
        out[j] = share[j] * exp(min(max(bias[j] + out[j], LEAST_SPREAD), LARGEST_SPREAD))
    return out


def moved_up(rows: Mat, row: Vec) -> Mat:
    """[-] Rows without the first, and with another behind them."""
    out = 1.0 * rows
    last = out.shape[0] - 1
    for i in range(last):
        for j in range(out.shape[1]):
            out[i, j] = rows[i + 1, j]
    for j in range(min(out.shape[1], len(row))):
        out[last, j] = row[j]
    return out


def convolved(weights: Mat, bias: Vec, rows: Mat, width: int) -> Mat:
    """[-] tanh(bias + (as many rows as `width`, side by side) weights), at every second row."""
    count = (rows.shape[0] - width) // 2 + 1
    out = np.zeros((count, weights.shape[1]))
    for p in range(count):
        out[p] = hidden_layer(weights, bias, rows[2 * p : 2 * p + width].copy().reshape(-1))
    return out


def squashed(low: Vec, high: Vec, u: Vec) -> Vec:
    """[-] Between the limits: low + (high - low) (1 + tanh(u / 2)) / 2."""
    out = 1.0 * u
    for j in range(min(len(out), len(low), len(high))):
        out[j] = low[j] + (high[j] - low[j]) * (0.5 + 0.5 * rational_tanh(0.5 * out[j]))
    return out


_SOURCE = '''
class Outputs(NamedTuple):
    {outputs}
    sample: PolicySample


{memory}class Policy(NamedTuple):
    """A network of {layers} layers that was trained in `{environment}`.

        h = (seen - mean) scale, within 10;  h = tanh(b + h W) for each layer but the last;  u = b + h W            (1)
        action = low + (high - low) (1 + tanh(u / 2)) / 2                                               (2){guessing}

    Attributes:
        mean: [-] Of what was seen in training.
        scale: [-] One over its standard deviation.
        low: [-] Least actions, in their own units.
        high: [-] Largest actions.
        deviation: [-] Of actions before they are squashed, while it explores; 0 for the best that it knows.{spreading}
        {attributes}
    """

    mean: Annotated[Vec, "-"]
    scale: Annotated[Vec, "-"]
    low: Annotated[Vec, "-"]
    high: Annotated[Vec, "-"]
    deviation: Annotated[Vec, "-"]
    {fields}
{initial}
    def step(self, {arguments}, rng: RandomKey) -> {result}:
        # Eq. (1)
        h = np.concatenate(({seen}))
        h = clip((h - self.mean) * self.scale, -LARGEST, LARGEST)
        {context}{hidden}
        u = last_layer(self.W{last}, self.b{last}, h)
        deviation = {deviation}
        taken = u + deviation * normal_if(np.max(self.deviation) > 0.0, rng, len(u))
        # Eq. (2)
        action = squashed(self.low, self.high, taken)
        return {memorised}Outputs({actions}, PolicySample(u, taken))
'''

_MEMORY = '''
class History(NamedTuple):
    """What was seen and done at the last ticks, through the encoder's first layer; the last action, from 0 to 1."""

    rows: Annotated[Mat, "-"]
    action: Annotated[Vec, "-"]


'''

_GUESSING = """

    Before the network, what training alone knew is guessed from what was seen and done at the last `history` ticks:

        row = tanh(b + (h, action before) W);  rows = tanh(convolution of rows), twice;  h = (h, b + rows W)      (3)"""

_INITIAL = """
    def initial(self) -> History:
        return History(np.zeros((self.history, len(self.b_embed))), np.zeros(len(self.low)))
"""

_CONTEXT = """# Eq. (3)
        row = hidden_layer(self.W_embed, self.b_embed, np.concatenate((h, x.action)))
        rows = moved_up(x.rows, row)
        found = convolved(self.W_first, self.b_first, rows, FIRST)
        found = convolved(self.W_second, self.b_second, found, SECOND)
        context = last_layer(self.W_context, self.b_context, found.reshape(-1))
        h = np.concatenate((h, clip(context, -LARGEST, LARGEST)))
        """


# ---- classes and files ---------------------------------------------------------------------------------------------


class PolicyFacts(NamedTuple):
    """All that makes a policy what it is.

    Attributes:
        environment: The name of what it was trained in.
        period: [s] At which it acts.
        observed: Port, field, message, unit and size of what it sees, in order.
        acted: The same of what it does.
        low: (m,) Least actions.
        high: (m,) Largest actions.
        mean: (n,) Of what was seen in training.
        scale: (n,) One over its standard deviation.
        layers: Of the network.
        deviation: (m,) Of actions before they are squashed, while it explores; `spread` multiplies it, if there is one.
        spread: A last layer beside that of `layers`, for the logarithm of the deviation; None where it is the same
            everywhere.
        encoder: Layers by name that guess what training alone knew: `embed`, `first`, `second` and `context`; None
            where nothing is guessed.
        history: [-] Ticks that it guesses from.
    """

    environment: str
    period: float
    observed: list[dict[str, Any]]
    acted: list[dict[str, Any]]
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    layers: Layers
    deviation: np.ndarray
    spread: Layer | None = None
    encoder: dict[str, Layer] | None = None
    history: int = 0


def facts_of(
    environment: Environment,
    layers: Layers,
    normaliser: Normaliser,
    log_std: np.ndarray | None = None,
    spread: Layer | None = None,
) -> PolicyFacts:
    """What a trained network is, as a policy of an environment."""
    bounds = [np.concatenate([getattr(each, bound) for each in environment.acted]) for bound in ("low", "high")]
    deviation = np.zeros(len(bounds[0])) if log_std is None else np.exp(np.asarray(log_std, np.float64))
    observed, acted = ([_described(each) for each in columns] for columns in (environment.observed, environment.acted))
    mean, scale = normaliser.mean, normaliser.scale
    low, high = bounds
    about = environment.name, environment.period, observed, acted
    return PolicyFacts(*about, low, high, mean, scale, layers, deviation, spread)


def _described(column: Column) -> dict[str, Any]:
    kind = f"{column.message.__module__}:{column.message.__qualname__}"
    shape = list(column.shape)
    return {"port": column.port, "field": column.field, "message": kind, "unit": column.unit, "shape": shape}


def policy_task(facts: PolicyFacts, *, explore: bool = False, messages: Mapping[str, type] | None = None) -> Any:
    """The task that flies a policy.

    Args:
        facts: What it is.
        explore: Whether it draws its actions at random, as in training.
        messages: Classes of messages by name, where they cannot be imported.
    """
    classes = {each["message"]: _class(each["message"], messages or {}) for each in [*facts.observed, *facts.acted]}
    fixed = {"low": facts.low, "high": facts.high} | ({"history": facts.history} if facts.encoder else {})
    return _policy_class(facts, classes)(**fixed, **parameters_of(facts, explore=explore))


def parameters_of(facts: PolicyFacts, *, explore: bool = False) -> dict[str, np.ndarray]:
    """The parameters of a policy's task that training changes."""
    deviation = facts.deviation if explore else 0.0 * facts.deviation
    found = {"mean": facts.mean, "scale": facts.scale, "deviation": deviation}
    found |= _weights_by_name(facts)
    return {name: np.asarray(array, np.float64) for name, array in found.items()}


def _weights_by_name(facts: PolicyFacts) -> dict[str, np.ndarray]:
    """W and b of all layers."""
    layers = {str(i): layer for i, layer in enumerate(facts.layers)}
    if facts.spread is not None:
        layers["_spread"] = facts.spread
    layers |= {f"_{name}": layer for name, layer in (facts.encoder or {}).items()}
    return {
        f"{letter}{name}": array for name, layer in layers.items() for letter, array in zip("Wb", layer, strict=True)
    }


def _policy_class(facts: PolicyFacts, classes: Mapping[str, type]) -> Any:
    """A class of tasks whose inputs and outputs are the messages of a policy."""
    inputs, outputs = _arguments(facts.observed), _arguments(facts.acted)
    namespace: dict[str, Any] = {
        "NamedTuple": NamedTuple, "Annotated": Annotated, "Vec": Vec, "Mat": Mat, "RandomKey": RandomKey, "np": np,
        "clip": clip, "hidden_layer": hidden_layer, "last_layer": last_layer, "squashed": squashed,
        "normal_if": normal_if, "spread_layer": spread_layer, "moved_up": moved_up, "convolved": convolved,
        "FIRST": FIRST, "SECOND": SECOND,
        "PolicySample": PolicySample, "LARGEST": _LARGEST, "__name__": __name__,
    }  # fmt: skip
    names = {kind: f"Message{i}" for i, kind in enumerate(classes)}
    namespace |= {names[kind]: found for kind, found in classes.items()}
    count = len(facts.layers)
    is_adaptive = facts.encoder is not None
    names_of_layers = [*map(str, range(count)), *([] if facts.spread is None else ["_spread"])]
    names_of_layers += [f"_{name}" for name in facts.encoder or ()]
    told, more = (["history: [-] Ticks."], ['history: Annotated[int, "-"]']) if is_adaptive else ([], [])
    indent = "\n        "
    source = _SOURCE.format(
        outputs="\n    ".join(f"{name}: {names[kind]}" for name, kind in outputs.values()),
        layers=count,
        environment=facts.environment,
        spreading="" if facts.spread is None else " Shares of what the layer `spread` says.",
        attributes=indent.join([f"W{i}: [-] Of layer {i}.{indent}b{i}: [-]" for i in names_of_layers] + told),
        fields="\n    ".join(
            [f'W{i}: Annotated[Mat, "-"]\n    b{i}: Annotated[Vec, "-"]' for i in names_of_layers] + more
        ),
        memory=_MEMORY if is_adaptive else "",
        guessing=_GUESSING if is_adaptive else "",
        initial=_INITIAL if is_adaptive else "",
        context=_CONTEXT if is_adaptive else "",
        result="tuple[History, Outputs]" if is_adaptive else "Outputs",
        memorised="History(rows, squashed(0.0 * self.low, 0.0 * self.low + 1.0, taken)), " if is_adaptive else "",
        deviation="self.deviation"
        if facts.spread is None
        else "spread_layer(self.W_spread, self.b_spread, h, self.deviation)",
        arguments=", ".join(
            ["x: History"] * is_adaptive + [f"{name}: {names[kind]}" for name, kind in inputs.values()]
        ),
        seen=", ".join(_flat(f"{inputs[each['port']][0]}.{each['field']}", each) for each in facts.observed) + ",",
        hidden=indent.join(f"h = hidden_layer(self.W{i}, self.b{i}, h)" for i in range(count - 1)),
        last=count - 1,
        actions=_actions(facts.acted, outputs, names),
    )
    exec(compile(source, f"<policy of {facts.environment}>", "exec"), namespace)
    return task(namespace["Policy"])


def _arguments(columns: list[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """For each port the name of its argument and the class of its message."""
    found: dict[str, tuple[str, str]] = {}
    for each in columns:
        short = each["port"].rpartition(".")[2]
        taken = [name for port, (name, _) in found.items() if port != each["port"]]
        name = short if short not in taken else each["port"].replace(".", "_").replace("/", "_")
        found[each["port"]] = (name, each["message"])
    return found


def _flat(value: str, column: dict[str, Any]) -> str:
    if not column["shape"]:
        return f"np.array([1.0 * {value}])"
    return value if len(column["shape"]) == 1 else f"{value}.reshape(-1)"


def _actions(columns: list[dict[str, Any]], outputs: dict[str, tuple[str, str]], names: Mapping[str, str]) -> str:
    """The messages that are made of the action."""
    given: dict[str, list[str]] = {port: [] for port in outputs}
    at = 0
    for each in columns:
        size = int(np.prod(each["shape"], dtype=int))
        part = f"action[{at}]" if not each["shape"] else f"action[{at}:{at + size}]"
        part = part if len(each["shape"]) < 2 else f"{part}.reshape({tuple(each['shape'])})"
        given[each["port"]].append(f"{each['field']}={part}")
        at += size
    return ", ".join(f"{names[kind]}({', '.join(given[port])})" for port, (_, kind) in outputs.items())


def _class(kind: str, known: Mapping[str, type]) -> type:
    module, _, name = kind.partition(":")
    if name in known:
        return known[name]
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        raise UnknownName(
            f"The policy speaks of messages `{kind}`, which cannot be imported.\n"
            f"  Give the class: `messages={{{name!r}: ...}}`."
        ) from None
    return found  # type: ignore[no-any-return]


def save_policy(path: str | Path, facts: PolicyFacts) -> Path:
    """Write a policy to a file, `*.npz`."""
    encoder = list(facts.encoder or ())
    about = facts._asdict() | {"layers": len(facts.layers), "spread": facts.spread is not None, "encoder": encoder}
    arrays = {name: about.pop(name) for name in ("low", "high", "mean", "scale", "deviation")}
    arrays |= _weights_by_name(facts)
    return write_arrays(path, FORMAT, about, arrays)


def read_policy(path: str | Path) -> PolicyFacts:
    """What a file says of a policy."""
    about, arrays = read_arrays(path, FORMAT, PolicyError, "policy")
    try:

        def layer(name: str) -> Layer:
            return arrays.pop(f"W{name}"), arrays.pop(f"b{name}")

        found = {
            "layers": [layer(str(i)) for i in range(about.pop("layers"))],
            "spread": layer("_spread") if about.pop("spread", False) else None,
            "encoder": {name: layer(f"_{name}") for name in about.pop("encoder", [])} or None,
        }
        return PolicyFacts(**(about | arrays | found))
    except (KeyError, TypeError) as error:
        raise PolicyError(
            f"{path} lacks {error} of a policy.\n  It was written by another version: train it anew."
        ) from None


def load_policy(path: str | Path, *, messages: Mapping[str, type] | None = None) -> Any:
    """A trained policy as a task: `scn.add(load_policy(file), name="ctl", every=0.05, error=nav.error)`.

    Args:
        path: What `save_policy`, or a training, has written.
        messages: Classes of messages by name, where they cannot be imported.
    """
    return policy_task(read_policy(path), messages=messages)


def check_fits(facts: PolicyFacts, environment: Environment) -> None:
    """Refuse a policy whose observations or actions do not match an environment."""
    for what, own, columns in (
        ("observes", facts.observed, environment.observed),
        ("acts on", facts.acted, environment.acted),
    ):
        theirs = [_described(each) for each in columns]
        if own != theirs:
            told = [", ".join(f"{each['port']}.{each['field']}" for each in each_of) for each_of in (own, theirs)]
            raise SettingError(
                f"The policy of `{facts.environment}` {what} {told[0]}.\n  `{environment.name}` has {told[1]}."
            )
