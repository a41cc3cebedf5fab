"""The share of each facet of a body that sunlight reaches past other facets."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from cardan.contracts import Constraint, OnePer, Whole, task
from cardan.errors import UnknownName
from cardan.maths import Rows3, Vec, dcm_from_mrp, dot, matvec_transposed, norm
from cardan.messages import FrameMotions, Light, LitShares

_MOST_PIECES, _MOST_CORNERS = 64, 24
_NotNegative = Constraint("zero or more", lambda value: value >= 0)


class HasFacets(Protocol):
    """What has facets with corners, as `cardan.mechanism.facets_of` gives them."""

    @property
    def corners_B(self) -> tuple[np.ndarray, ...]: ...


class FacetShadowsOutputs(NamedTuple):
    lit: LitShares


@task
class FacetShadows(NamedTuple):
    """Facets as convex polygons in the Sun's view: from each, what lies before it is cut away, exactly.

        share = area left of the polygon in the Sun's view / its whole area there                                  (1)

    A facet that lies before another is first cut at the other's plane. The shares are held until the next tick.

    Attributes:
        corner_B: [m] Corners of all facets one after the other, each facet in its own body's components.
        sides: [-] How many corners each facet has.
        body: [-] Which row of `motions` each facet belongs to.
        receiver: [-] Of which row of `motions` the shares are sent.
    """

    corner_B: Annotated[Rows3, "m"]
    sides: Annotated[Vec, "-", Whole]
    body: Annotated[Vec, "-", Whole, OnePer("sides")]
    receiver: Annotated[int, "-", _NotNegative]

    def step(self, motions: FrameMotions, light: Light) -> FacetShadowsOutputs:
        facets = len(self.sides)
        corners = np.zeros((facets, _MOST_CORNERS, 3))  # relative to the receiver, along N
        normals = np.zeros((facets, 3))
        at = 0
        for i in range(facets):
            row = int(self.body[i])
            dcm_BN = dcm_from_mrp(motions.sigma_BN[row])
            origin = motions.r_BN_N[row] - motions.r_BN_N[self.receiver]
            for k in range(int(self.sides[i])):
                corners[i, k] = origin + matvec_transposed(dcm_BN, self.corner_B[at + k])
            at += int(self.sides[i])
            normals[i] = _normal(corners[i], int(self.sides[i]))
        own = 0
        for i in range(facets):
            own += 1 if int(self.body[i]) == self.receiver else 0
        share = np.ones(own)
        own = 0
        for i in range(facets):
            if int(self.body[i]) == self.receiver:
                if dot(normals[i], light.s_N) > 0.0:
                    share[own] = _lit(corners, normals, self.sides, i, light.s_N)
                own += 1
        return FacetShadowsOutputs(lit=LitShares(share=share))


def _normal(corners: Any, count: int) -> Any:
    """Of a polygon, not of unit length."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(1, count - 1):
        ax, ay, az = corners[k, 0] - corners[0, 0], corners[k, 1] - corners[0, 1], corners[k, 2] - corners[0, 2]
        b = corners[k + 1]
        bx, by, bz = b[0] - corners[0, 0], b[1] - corners[0, 1], b[2] - corners[0, 2]
        x, y, z = x + ay * bz - az * by, y + az * bx - ax * bz, z + ax * by - ay * bx
    return np.array([x, y, z])


def _lit(corners: Any, normals: Any, count: Any, i: int, s: Any) -> Any:
    """The share of facet `i` that no other facet hides from light of direction `s`."""
    first = 1.0 if abs(s[0]) < 0.7 else 0.0
    e = np.array([first, 1.0 - first, 0.0])
    e = e - dot(e, s) * s
    e = e / norm(e)
    f = np.array([s[1] * e[2] - s[2] * e[1], s[2] * e[0] - s[0] * e[2], s[0] * e[1] - s[1] * e[0]])
    pieces = np.zeros((_MOST_PIECES, _MOST_CORNERS, 2))
    sizes = np.zeros(_MOST_PIECES, dtype=np.int64)
    sizes[0] = int(count[i])
    for k in range(sizes[0]):
        pieces[0, k, 0], pieces[0, k, 1] = dot(corners[i, k], e), dot(corners[i, k], f)
    whole = _area(pieces[0], sizes[0])
    number = 1
    reach = np.sqrt(norm(normals[i]))
    before = np.zeros((_MOST_CORNERS, 2))
    for j in range(len(count)):
        if j == i or dot(normals[j], s) <= 0.0:
            continue
        size = _in_front(corners[j], int(count[j]), corners[i, 0], normals[i], 1e-9 * reach, e, f, before)
        if size >= 3:
            number = _cut_away(pieces, sizes, number, before, size)
    left = 0.0
    for k in range(number):
        left += _area(pieces[k], sizes[k])
    return min(max(left / whole, 0.0), 1.0)


def _in_front(corners: Any, count: int, origin: Any, normal: Any, room: float, e: Any, f: Any, found: Any) -> int:
    """Project onto (e, f) what of a polygon lies before a plane; returns how many corners that has."""
    scale = 1.0 / norm(normal)
    size = 0
    for k in range(count):
        a, b = corners[k], corners[(k + 1) % count]
        high_a = scale * dot(normal, a - origin) - room
        high_b = scale * dot(normal, b - origin) - room
        if high_a >= 0.0:
            found[size, 0], found[size, 1] = dot(a, e), dot(a, f)
            size += 1
        if (high_a >= 0.0) != (high_b >= 0.0):
            share = high_a / (high_a - high_b)
            cut = a + share * (b - a)
            found[size, 0], found[size, 1] = dot(cut, e), dot(cut, f)
            size += 1
    return size


def _cut_away(pieces: Any, sizes: Any, number: int, hole: Any, size: int) -> int:
    """Take a convex polygon out of convex pieces; returns how many pieces are left."""
    sign = 1.0 if _signed_area(hole, size) > 0.0 else -1.0
    made, made_sizes = np.zeros_like(pieces), np.zeros_like(sizes)
    inner, outer = np.zeros((_MOST_CORNERS, 2)), np.zeros((_MOST_CORNERS, 2))
    total = 0
    for p in range(number):
        inner[:] = pieces[p]
        inner_size = sizes[p]
        for k in range(size):
            a, b = hole[k], hole[(k + 1) % size]
            # to the left of every edge is the hole: what is to the right stays
            outer_size = _clip(inner, inner_size, a, b, -sign, outer)
            if outer_size >= 3 and _area(outer, outer_size) > 0.0:
                if total == _MOST_PIECES:
                    raise ValueError("FacetShadows: a facet is cut into more than 64 pieces.")
                made[total] = outer
                made_sizes[total] = outer_size
                total += 1
            kept = np.zeros((_MOST_CORNERS, 2))
            inner_size = _clip(inner, inner_size, a, b, sign, kept)
            inner[:] = kept
            if inner_size < 3:
                break
    pieces[:] = made
    sizes[:] = made_sizes
    return total


def _clip(polygon: Any, size: int, a: Any, b: Any, sign: float, found: Any) -> int:
    """What of a convex polygon lies to the left of a line, or to its right for a negative sign."""
    count = 0
    for k in range(size):
        p, q = polygon[k], polygon[(k + 1) % size]
        at_p = sign * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))
        at_q = sign * ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0]))
        if at_p >= 0.0:
            if count == _MOST_CORNERS:
                raise ValueError("FacetShadows: a piece of a facet has more than 24 corners.")
            found[count] = p
            count += 1
        if (at_p > 0.0 and at_q < 0.0) or (at_p < 0.0 and at_q > 0.0):
            share = at_p / (at_p - at_q)
            if count == _MOST_CORNERS:
                raise ValueError("FacetShadows: a piece of a facet has more than 24 corners.")
            found[count, 0] = p[0] + share * (q[0] - p[0])
            found[count, 1] = p[1] + share * (q[1] - p[1])
            count += 1
    return count


def _area(polygon: Any, size: int) -> Any:
    return abs(_signed_area(polygon, size))


def _signed_area(polygon: Any, size: int) -> Any:
    total = 0.0
    for k in range(1, size - 1):
        ax, ay = polygon[k, 0] - polygon[0, 0], polygon[k, 1] - polygon[0, 1]
        bx, by = polygon[k + 1, 0] - polygon[0, 0], polygon[k + 1, 1] - polygon[0, 1]
        total += 0.5 * (ax * by - ay * bx)
    return total


def facet_shadows(bodies: Mapping[str, HasFacets], receiver: str) -> FacetShadows:
    """The shadows that the facets of some bodies cast on one of them.

    Args:
        bodies: Facets by name, in the order of the group whose `motions` the part reads.
        receiver: Whose facets' shares are wanted.
    """
    if receiver not in bodies:
        raise UnknownName(f"`{receiver}` is none of the bodies.\n  There are: {', '.join(bodies)}")
    polygons = [(i, corners) for i, facets in enumerate(bodies.values()) for corners in facets.corners_B]
    return FacetShadows(
        corner_B=np.concatenate([corners for _, corners in polygons]),
        sides=np.array([float(len(corners)) for _, corners in polygons]),
        body=np.array([float(i) for i, _ in polygons]),
        receiver=list(bodies).index(receiver),
    )
