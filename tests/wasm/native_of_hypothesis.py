"""What hypothesis has compiled for the machine, written in Python: WebAssembly has no such wheel.

A version that asks for more than this fails by name when it is imported.
"""

import math
import struct
import sys
from types import ModuleType

BITS = {16: ("<H", "<e"), 32: ("<I", "<f"), 64: ("<Q", "<d")}
SMALLEST_NORMALS = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}


def float_of(x, width):
    """Return the float of so many bits that is nearest to a number."""
    form = BITS[width][1]
    return struct.unpack(form, struct.pack(form, float(x)))[0]


def float_to_int(value, width=64):
    """Return the bits of a float as a number."""
    whole, form = BITS[width]
    return struct.unpack(whole, struct.pack(form, value))[0]


def int_to_float(value, width=64):
    """Return the float that has such bits."""
    whole, form = BITS[width]
    return struct.unpack(form, struct.pack(whole, value))[0]


def is_negative(x):
    """Say whether a number is below zero, or -0.0."""
    return math.copysign(1.0, x) < 0


def next_up(value, width=64):
    """Return the next larger float."""
    if math.isnan(value) or value == math.inf:
        return value
    if value == 0:
        return 0.0 if is_negative(value) else int_to_float(1, width)
    step = -1 if value < 0 else 1
    return int_to_float(float_to_int(value, width) + step, width)


def next_down(value, width=64):
    """Return the next smaller float."""
    return -next_up(-value, width)


def next_down_normal(value, width, *, allow_subnormal):
    """Return the next smaller float, without those next to 0 that have fewer digits."""
    value, least = next_down(value, width), SMALLEST_NORMALS[width]
    if allow_subnormal or not 0 < abs(value) < least:
        return value
    return 0.0 if value > 0 else -least


def next_up_normal(value, width, *, allow_subnormal):
    """Return the next larger float, without those next to 0 that have fewer digits."""
    return -next_down_normal(-value, width, allow_subnormal=allow_subnormal)


def count_between_floats(x, y, width=64):
    """Return how many floats there are from one to another, both among them."""
    places = [
        -1 - float_to_int(-each, width) if is_negative(each) else float_to_int(each, width)
        for each in (x, y)
    ]
    return places[1] - places[0] + 1


def width_smallest_normals(width):
    """Return the smallest float above 0 that has all digits."""
    return SMALLEST_NORMALS[width]


def cathetus(h, a):
    """Return the other side of a right triangle."""
    h, a = abs(h), abs(a)
    if math.isinf(h):
        return math.nan if math.isinf(a) else math.inf
    if math.isnan(h) or math.isnan(a) or a > h:
        return math.nan
    return math.sqrt(h - a) * math.sqrt(h + a)


def install(version):
    """Let hypothesis of this version find all this where it looks for what was compiled."""
    names = ("", ".internal", ".internal.floats", ".internal.cathetus")
    native, _, floats, side = (ModuleType(f"hypothesis._native{name}") for name in names)
    sys.modules |= {module.__name__: module for module in (native, _, floats, side)}
    native.__version__, side.cathetus = version, cathetus
    for each in (
        *(count_between_floats, float_of, float_to_int, int_to_float, is_negative, next_down),
        *(next_down_normal, next_up, next_up_normal, width_smallest_normals),
    ):
        setattr(floats, each.__name__, each)
