"""Several orders become one: by reciprocal rank, so that scores need not be comparable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_K = 60  # how little the first place says more than the second


def fuse(orders: Iterable[tuple[float, Sequence[int]]]) -> list[tuple[int, float]]:
    """Give each number `weight / (k + rank)` of every order that it is in, the best first.

    Of equal ones the higher number, which is the newer unit, is the first.
    """
    scores: dict[int, float] = {}
    for weight, numbers in orders:
        for rank, number in enumerate(numbers, start=1):
            scores[number] = scores.get(number, 0.0) + weight / (_K + rank)
    return sorted(scores.items(), key=lambda each: (-each[1], -each[0]))
