"""What effectors of one freedom on the hub have in common, once they know U and D of it. Eqs. (2) and (12)."""

from cardan.dynamics.back_substitution.hub import add_answer, answer_to_hub
from cardan.dynamics.back_substitution.links import (
    is_known,
    load_answer,
    move_as_known,
    move_freely,
    push_of,
    store_answer,
)
from cardan.dynamics.back_substitution.words import DIVISOR_, link_words
from cardan.native.pointers import store_float


def answer_with(context, link, sums, U, D, force):
    """Let a freedom whose acceleration needs U, and D of its own effort, answer the hub: D a = push - U . hub."""
    store_float(link_words(context, link) + DIVISOR_, D)
    push = push_of(context, link, force)
    answer = (-U[3] / D, -U[4] / D, -U[5] / D, -U[0] / D, -U[1] / D, -U[2] / D, push / D)
    store_answer(context, link, answer)
    return add_answer(sums, U, answer)


def respond(context, first, last, acceleration):
    """Acceleration of the freedom, after that of the hub."""
    if is_known(context, first):
        move_as_known(context, first, 1)
    else:
        move_freely(context, first, answer_to_hub(load_answer(context, first), acceleration))
