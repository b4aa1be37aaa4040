"""Where an index has 32 bits, as in WebAssembly, numbers are what they are where it has 64.

Here numpy is made to answer as it does there: places, and whole numbers without a type of their
own, come with 32 bits, and what it refuses there is refused. `tests/wasm` asks the real one.
"""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import capcurve as cap
from capcurve.counts.scores import ScoreCounts
from capcurve.inference.designs import dealt
from capcurve.input.arrays.groups import crossed
from capcurve.input.columns import InputColumn
from capcurve.numbers.exact import Turns, square_dot
from capcurve.numbers.order import order_of
from capcurve.numbers.totals import BlockSums
from capcurve.numbers.types import Crossing
from capcurve.studies.grades.scales import CommonScale

OF_PLACES = ("flatnonzero", "nonzero", "argsort", "searchsorted", "lexsort", "digitize")
DRAW = np.random.default_rng(11)
LATENT, OTHER = DRAW.random(120_000), DRAW.random(120_000)
TARGET = OTHER < LATENT
MANY = [900_000_000 + 40_000_000 * each for each in range(12)]
MORE = [1_800_000_000 - 90_000_000 * each for each in range(12)]


def narrowed(found):
    """Return whole numbers of 64 bits in 32, where these hold them."""
    if isinstance(found, tuple):
        return tuple(map(narrowed, found))
    fits = found.dtype == np.int64 and np.abs(found).max(initial=0) < 2**31
    return found.astype(np.int32) if fits else found


def untyped(values):
    """Return whole numbers of Python as numpy takes them there, and all else as it is."""
    own = isinstance(values, int | list | tuple) and not isinstance(values, bool)
    return narrowed(np.array(values)) if own else values


def refused(places):
    """Raise TypeError as numpy does for places that an index there does not hold."""
    if isinstance(places, np.ndarray) and not np.can_cast(places.dtype, np.int32, "safe"):
        raise TypeError(f"Cannot cast array data from {places.dtype!r} to dtype('int32')")


class Narrow:
    """The functions of numpy that answer otherwise there."""

    def __init__(self):
        self.real = SimpleNamespace(**{name: getattr(np, name) for name in dir(np)})

    def arange(self, *given, **options):
        found = self.real.arange(*given, **options)
        typed = "dtype" in options or any(getattr(each, "itemsize", 0) > 4 for each in given)
        return found if typed else narrowed(found)

    def bincount(self, x, weights=None, minlength=0):
        refused(x)
        found = self.real.bincount(x, weights, minlength)
        return found if weights is not None else narrowed(found)

    def repeat(self, a, repeats, axis=None):
        refused(repeats)
        return self.real.repeat(a, repeats, axis)

    def cumsum(self, a, *given, **options):
        found = self.real.cumsum(a, *given, **options)
        wide = given or options or np.asarray(a).dtype.itemsize > 4
        return found if wide else found.astype(np.int32)

    def unique(self, *given, **options):
        found = self.real.unique(*given, **options)
        return (found[0], *map(narrowed, found[1:])) if isinstance(found, tuple) else found

    def append(self, a, values, axis=None):
        return self.real.append(untyped(a), untyped(values), axis)

    def diff(self, a, *given, **options):
        return self.real.diff(a, *given, **{name: untyped(each) for name, each in options.items()})

    def concatenate(self, arrays, *given, **options):
        return self.real.concatenate([*map(untyped, arrays)], *given, **options)

    def asarray(self, values, *given, **options):
        found = self.real.asarray(values, *given, **options)
        typed = given or options or not isinstance(values, list | tuple)
        return found if typed else narrowed(found)


class NarrowAdd:
    """Addition, whose runs begin at places."""

    def __init__(self, real):
        self.real = real

    def __call__(self, *given, **options):
        return self.real(*given, **options)

    def __getattr__(self, name):
        return getattr(self.real, name)

    def reduceat(self, values, places, *given, **options):
        refused(places)
        return self.real.reduceat(values, places, *given, **options)


@pytest.fixture
def narrow(monkeypatch):
    """Return a call after which numpy answers as it does where an index has 32 bits."""

    def begin():
        there = Narrow()
        for name in (name for name in vars(Narrow) if hasattr(np, name) and name[0] != "_"):
            monkeypatch.setattr(np, name, getattr(there, name))
        for name in OF_PLACES:
            real = getattr(np, name)
            monkeypatch.setattr(np, name, lambda *a, _real=real, **o: narrowed(_real(*a, **o)))
        monkeypatch.setattr(np, "add", NarrowAdd(np.add))
        monkeypatch.setattr(np, "intp", np.int32)

    return begin


def counted(score=LATENT, **options):
    return cap.count_scores(TARGET, score, **options)


def told(counts):
    """Return what is saved of counts, and the type of their scores."""
    return json.dumps(counts.to_dict()), counts.to_dict()["dtype"]


def by_region():
    region = np.floor(OTHER * 3)
    return cap.count_segments(TARGET, np.round(LATENT, 3), by=region)


def of_pds():
    return counted(np.clip(LATENT, 0.01, 0.99).round(2))


def of_many(kind=list):
    score = [*range(12)]
    if kind is not list:
        return ScoreCounts.from_counts(score, *(np.array(each, kind) for each in (MANY, MORE)))
    return ScoreCounts.from_counts(score, MANY, MORE)


def of_amounts():
    return cap.count_values(np.round(1000 * LATENT) + 1, LATENT)


ASKED = {
    "accuracy ratio of distinct scores": lambda: cap.accuracy_ratio(counted()),
    "limits of distinct scores": lambda: cap.confidence_interval(counted(), "auc").to_dict(),
    "KS of distinct scores": lambda: cap.ks(counted()),
    "whole scores": lambda: counted(np.floor(LATENT * 50_000).astype(np.int64)).digest(),
    "limits of tied scores": lambda: cap.confidence_interval(
        counted(np.round(LATENT, 5)), "accuracy_ratio"
    ).to_dict(),
    "amounts": lambda: [of_amounts().n, *cap.summarize(of_amounts()).to_dict().values()],
    "weights": lambda: cap.accuracy_ratio(
        counted(np.round(LATENT, 3), weight=1 + OTHER, weight_kind="sampling")
    ),
    "a test of two classes": lambda: (
        cap.discrimination_test(ScoreCounts.from_counts([1, 2, 3], MANY[:3], MORE[:3])).p_value
    ),
    "the exact law of KS": lambda: cap.ks_test(
        counted(np.round(LATENT, 2)), method="exact"
    ).to_dict(),
    "an exact test": lambda: cap.discrimination_test(
        cap.count_scores(TARGET[:60], LATENT[:60].round(1))
    ).to_dict(),
    "implied": lambda: cap.implied_accuracy_ratio(of_pds()).to_dict(),
    "change": lambda: cap.decompose(by_region()).to_dict(),
    "grades": lambda: cap.design_grades(counted(np.round(LATENT, 3)), 4, splits=2).to_dict(),
    "dealt": lambda: dealt(np.random.default_rng(3), 5, np.array([3, 0, 4, 9])).tolist(),
    "change of clusters": lambda: cap.decompose(
        cap.count_segments(
            TARGET, LATENT.round(3), by=np.floor(OTHER * 3), cluster=np.floor(OTHER * 5000)
        )
    ).to_dict(),
    "many cases": lambda: cap.summarize(of_many()).to_dict(),
    "many cases in 32 bits": lambda: cap.summarize(of_many(np.uint32)).to_dict(),
    "grades of many cases": lambda: cap.grade_homogeneity_test(
        {"one": of_many(), "two": of_many(np.uint32)}
    ).to_dict(),
    "a list": lambda: told(cap.count_scores([1, 0, 1, 0], [3, 1, 2, 2])),
    "a list that is typed": lambda: told(ScoreCounts.from_counts([3, 1], [1, 2], [2, 2])),
    "a list of amounts": lambda: told(cap.count_values([3, 1, 2, 2], [5, 6, 7, 8])),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_same_with_places_of_32_bits(name, narrow):
    expected = ASKED[name]()
    narrow()
    assert repr(ASKED[name]()) == repr(expected)


def test_sums_of_single_cases_are_exact_with_places_of_32_bits(narrow):
    one = TARGET.view(np.uint8)
    expected = BlockSums.of(one, 1 - one, int(one.sum()), int((1 - one).sum()))
    narrow()
    assert BlockSums.of(one, 1 - one, expected.positives, expected.negatives) == expected


def test_turns_count_in_64_bits(narrow):
    narrow()
    found = Turns.of(np.array([1, 0, 0, 2, 0]), np.array([0, 1, 1, 1, 1]))
    assert {found.alone.dtype, found.tp.dtype, found.fp.dtype} == {np.dtype(np.int64)}


def test_an_order_is_of_places_however_wide_its_keys_are(narrow):
    expected = order_of(LATENT).tolist()
    narrow()
    found = order_of(LATENT)
    assert found.dtype == np.int32
    assert found.tolist() == expected


def test_squares_of_narrow_numbers_are_summed_in_full():
    narrow_values = np.array([2**30, 2**31 - 1], np.int32)
    assert square_dot(np.array([1, 2], np.int32), narrow_values) == 2**60 + 2 * (2**31 - 1) ** 2


def test_columns_are_crossed_into_more_segments_than_32_bits_number():
    code = np.arange(60_000)
    columns = [InputColumn(name, np.roll(code, shift)) for shift, name in enumerate("ab")]
    found = crossed(columns)
    assert (code.size**2 > 2**31, found.stored.tolist()) == (True, code.tolist())
    assert found.categories[:2] == (Crossing((0, 59_999)), Crossing((1, 0)))


def test_more_combinations_than_64_bits_number_are_refused():
    columns = [InputColumn(str(each), np.arange(70_000)) for each in range(4)]
    with pytest.raises(ValueError, match=r"^the columns of by= have too many values to"):
        crossed(columns)


def test_cases_by_grade_are_counted_in_64_bits():
    scale = CommonScale(("A", "B", "C"), (np.array([0, 2]),))
    found = scale.spread(0, np.array([2**33, 5]))
    assert found.dtype == np.int64
    assert found.tolist() == [2**33, 0, 5]
