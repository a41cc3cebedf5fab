"""Bodies in series on hinges and slides, such as panels, gimbals and arms, coupled with each other. Eqs. (15) to (17).

Joints that move freely follow one another; what is prescribed may hang on any of them.
"""

import math
from collections.abc import Collection, Sequence

from cardan.dynamics.back_substitution.hub import add_answer, add_rigid, answer_to_hub, rigid_times
from cardan.dynamics.back_substitution.links import (
    armature_of,
    is_known,
    link_mass,
    load_answer,
    move_as_known,
    move_freely,
    push_of,
    store_answer,
)
from cardan.dynamics.back_substitution.words import DIVISOR_, S_, U_, WHOLE_, chain_room, link_words
from cardan.mechanism.plumbing import S, at
from cardan.mechanism.tree import BALL, Tree
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add3, add6, dot6, load3, load6, store3, store6

KIND = 5


def fits(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> bool:
    """Whether the branch `links` is of this kind; `prescribed` are the names of prescribed joints."""
    return not offending(tree, links, prescribed)


def offending(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> list[int]:
    """Links whose joints are neither prescribed nor in series with the others that move freely."""
    free = [link for link in links if tree.joints[link] not in prescribed]
    tip = max(free, key=lambda link: len(_path(tree, link)))
    on_path = set(_path(tree, tip))
    return [link for link in free if link not in on_path or tree.kind[link] == BALL]


def _path(tree: Tree, link: int) -> list[int]:
    """The links from `link` back to the hub."""
    path = []
    while tree.parent[link] > 0:
        path.append(link)
        link = int(tree.parent[link])
    return path


def contribute(context, first, last, sums):
    """Add the chain to the hub's equations."""
    weigh_wholes(context, first, last)
    mass, lever, J, force = load_whole(context, first)
    sums = add_rigid(sums, mass, lever, J, force)
    solve_chain(context, first, last)
    for link in range(first, last + 1):
        if not is_known(context, link):
            sums = add_answer(sums, load6(link_words(context, link) + U_), load_answer(context, link))
    return sums


def respond(context, first, last, acceleration):
    """Accelerations of the chain, after that of the hub."""
    for link in range(first, last + 1):
        if is_known(context, link):
            move_as_known(context, link, 3 if load_int(at(context, S.kind) + 8 * link) == BALL else 1)
        else:
            move_freely(context, link, answer_to_hub(load_answer(context, link), acceleration))


def weigh_wholes(context, first, last):
    """Every link with all that hangs on it, as one rigid body. Eq. (15)."""
    for link in range(first, last + 1):
        mass, lever, J, force = link_mass(context, link)
        store_whole(context, link, mass, lever, J, force)
    for link in range(last, first, -1):
        mass, lever, J, force = load_whole(context, link)
        parent = load_int(at(context, S.parent) + 8 * link)
        above = load_whole(context, parent)
        store_whole(context, parent, above[0] + mass, add3(above[1], lever), add6(above[2], J), add6(above[3], force))


def store_whole(context, link, mass, lever, J, force):
    here = link_words(context, link) + WHOLE_
    store_float(here, mass)
    store3(here + 8, lever)
    store6(here + 32, J)
    store6(here + 80, force)


def load_whole(context, link):
    here = link_words(context, link) + WHOLE_
    return load_float(here), load3(here + 8), load6(here + 32), load6(here + 80)


def solve_chain(context, first, last):
    """How each unknown freedom answers the hub: M theta'' = push - U . hub, by Cholesky factors. Eqs. (16) and (17)."""
    room, n = chain_room(context), last - first + 1
    for link in range(first, last + 1):
        if is_known(context, link):
            continue
        k = link - first
        mass, lever, J, force = load_whole(context, link)
        s = load6(link_words(context, link) + S_)
        U = rigid_times(mass, lever, J, s)
        store6(link_words(context, link) + U_, U)
        store_answer(context, link, (-U[3], -U[4], -U[5], -U[0], -U[1], -U[2], push_of(context, link, force)))
        for other in range(first, link + 1):
            if not is_known(context, other):
                value = dot6(load6(link_words(context, other) + S_), U)
                if other == link:
                    value += armature_of(context, link)
                store_float(room + 8 * (n * k + other - first), value)

    # factor, row by row; known freedoms take no part
    for i in range(n):
        if is_known(context, first + i):
            continue
        for j in range(i + 1):
            if is_known(context, first + j):
                continue
            total = load_float(room + 8 * (n * i + j))
            for k in range(j):
                if not is_known(context, first + k):
                    total -= load_float(room + 8 * (n * i + k)) * load_float(room + 8 * (n * j + k))
            if i == j:
                store_float(link_words(context, first + i) + DIVISOR_, total)
            value = math.sqrt(total) if i == j else total / load_float(room + 8 * (n * j + j))
            store_float(room + 8 * (n * i + j), value)

    # forward, then backward, for the seven right-hand sides at once
    for i in range(n):
        if not is_known(context, first + i):
            answer = load_answer(context, first + i)
            for k in range(i):
                if not is_known(context, first + k):
                    answer = less(answer, load_answer(context, first + k), load_float(room + 8 * (n * i + k)))
            store_answer(context, first + i, divided(answer, load_float(room + 8 * (n * i + i))))
    for i in range(n - 1, -1, -1):
        if not is_known(context, first + i):
            answer = load_answer(context, first + i)
            for k in range(i + 1, n):
                if not is_known(context, first + k):
                    answer = less(answer, load_answer(context, first + k), load_float(room + 8 * (n * k + i)))
            store_answer(context, first + i, divided(answer, load_float(room + 8 * (n * i + i))))


def less(a, b, factor):
    """A - factor b"""
    return (
        a[0] - factor * b[0], a[1] - factor * b[1], a[2] - factor * b[2], a[3] - factor * b[3], a[4] - factor * b[4],
        a[5] - factor * b[5], a[6] - factor * b[6],
    )  # fmt: skip


def divided(a, by):
    return a[0] / by, a[1] / by, a[2] / by, a[3] / by, a[4] / by, a[5] / by, a[6] / by
