"""Contacts as MuJoCo has found them, handed on to the pairs that are looked at (docs/theory/mujoco.md, Contact).

`mjData` is a C structure. Where the number of contacts and the list of them lie in it is found once, by looking at data
whose contacts are known, and is refused unless one place alone fits.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple

import mujoco
import numpy as np
from llvmlite import ir
from numba import types

from cardan.errors import MechanismError
from cardan.mechanism.plumbing import S, at
from cardan.mechanism.plumbing.contacts import add_contact, clear_contacts
from cardan.native.forms import compiled_as
from cardan.native.pointers import load_float, load_int, pointer
from cardan.native.tuples import add3, load3, load9, scale3, subtract3, turned_back

# ---- words, in bytes from the first of them ------------------------------------------------------------------------
# of mjData: where the number of contacts and the address of the first lie; of mjContact: its size and where fields lie
COUNT_AT, LIST_AT, STRIDE, DISTANCE_AT, PLACE_AT, AXES_AT, GEOMS_AT = range(0, 56, 8)
# mj_contactForce, the bodies of geoms, where the links of bodies begin, room for six numbers
FORCE_FUNCTION, GEOM_BODY, BODY_LINKS, ROOM = 56, 64, 72, 80
WORDS = 16


class Places(NamedTuple):
    """Where things lie, in bytes, in the order of the words above."""

    number: int
    contacts: int
    stride: int
    distance: int
    place: int
    axes: int
    geoms: int


def read_contacts(context, words, model, data, moved_r):
    """Native code: sum up all contacts; `moved_r` is what has been taken out of positions."""
    clear_contacts(context)
    count = half_word(data + load_int(words + COUNT_AT))
    contact = load_int(data + load_int(words + LIST_AT))
    for i in range(count):
        call_contact_force(load_int(words + FORCE_FUNCTION), model, data, i, words + ROOM)
        # rows of the frame are its axes; the first points from the first geom to the second, which feels the force
        axes = load9(contact + load_int(words + AXES_AT))
        force = scale3(turned_back(axes, load3(words + ROOM)), -1.0)
        torque = scale3(turned_back(axes, load3(words + ROOM + 24)), -1.0)
        place = add3(load3(contact + load_int(words + PLACE_AT)), moved_r)
        geoms = contact + load_int(words + GEOMS_AT)
        first = side(context, words, half_word(geoms), place)
        second = side(context, words, half_word(geoms + 4), place)
        add_contact(context, first, second, force, torque, -load_float(contact + load_int(words + DISTANCE_AT)))
        contact += load_int(words + STRIDE)


def side(context, words, geom, place):
    """Body and geom of one side, and the place relative to the origin of its vehicle."""
    body = half_word(load_int(words + GEOM_BODY) + 4 * geom)
    link = load_int(words + load_int(words + BODY_LINKS) + 8 * body)
    if link > 0:
        vehicle = load_int(at(context, S.vehicle) + 8 * link)
        place = subtract3(place, load3(at(context, S.origin_r) + 24 * vehicle))
    return body, geom, place


def half_word(address):
    """A whole number of four bytes, which is not negative."""
    return load_int(address) & 0x7FFFFFFF


_FORCE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_INT = ir.IntType(64)


def _contact_force(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    address, model, data, number, result = args
    function = pointer(builder, address, ir.FunctionType(ir.VoidType(), [_INT, _INT, ir.IntType(32), _INT]))
    builder.call(function, [model, data, builder.trunc(number, ir.IntType(32)), result])
    return context.get_dummy_value()


@compiled_as(types.void(types.int64, types.int64, types.int64, types.int64, types.int64), _contact_force)
def call_contact_force(address: int, model: int, data: int, number: int, result: int) -> None:
    """Call `mj_contactForce`."""
    _FORCE(int(address))(int(model), int(data), int(number), int(result))


# ---- where things lie ----------------------------------------------------------------------------------------------


@cache
def places() -> Places:
    """Where the contacts lie in the data of the library that is installed."""
    counts = None
    for depths in ((0.01, 0.01, 0.01, -1.0), (0.01, -1.0, 0.01, 0.01), (0.01, -1.0, -1.0, -1.0)):
        data = _spheres_on_a_floor(depths)
        # between two arrays that lie in the structure itself
        begin, end = data.solver_fwdinv.ctypes.data, data.energy.ctypes.data
        found = begin - data._address + _equal(begin, end, data.ncon, np.int32)
        counts = found if counts is None else np.intersect1d(counts, found)
    contact = data.contact
    after = data.energy.ctypes.data + data.energy.nbytes
    first = contact.dist.ctypes.data
    lists = after - data._address + _equal(after, after + 64, first, np.int64)
    if counts is None or len(counts) != 1 or len(lists) != 1:
        raise MechanismError(
            f"Contacts cannot be read from MuJoCo {mujoco.__version__}: its data are laid out otherwise.\n"
            "  Install `mujoco-core` 4.0.1, or leave the ports `contact` alone."
        )
    stride = contact.pos.strides[0]
    fields = (contact.dist, contact.pos, contact.frame, contact.geom)
    return Places(int(counts[0]), int(lists[0]), stride, *(field.ctypes.data - first for field in fields))


def _equal(begin: int, end: int, value: int, kind: Any) -> np.ndarray:
    """[bytes] Where in memory a number lies, from `begin`."""
    words = np.frombuffer(ctypes.string_at(begin, end - begin), kind)
    return np.flatnonzero(words == value) * words.itemsize


def _spheres_on_a_floor(depths: tuple[float, ...]) -> Any:
    """Spheres in twos, the upper one in the lower one, so that islands are fewer than contacts; some lie deeper."""
    bodies = "".join(
        f'<body pos="{3 * i} 0 {0.1 - depth}"><freejoint/><geom size="0.1"/></body>'
        f'<body pos="{3 * i} 0 {0.3 - 1.5 * depth}"><freejoint/><geom size="0.1"/></body>'
        for i, depth in enumerate(depths)
    )
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data
