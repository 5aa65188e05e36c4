"""Rows of an engine against those of SQLite."""
import collections
import math

from stores import TO_MANY, TO_MANY_NAME


def joined(query, rows):
    """The attributes whose names cannot be told apart counted as one; see stores.py."""
    if query != "attributes":
        return rows
    counts = collections.Counter()
    for entity, attribute, updates in rows:
        counts[entity, TO_MANY_NAME if (entity, attribute) in TO_MANY else attribute] += updates
    return [(*key, count) for key, count in counts.items()]


def ordered(rows):
    """Rows in an order that depends on what they hold alone, null before all else."""
    return sorted((tuple(row) for row in rows),
                  key=lambda row: [(value is not None, str(value)) for value in row])


def same(one, other):
    if isinstance(one, float) or isinstance(other, float):
        # Seconds: an export has microseconds, a store the double of its clock.
        return one is not None and other is not None and math.isclose(
            one, other, rel_tol=1e-9, abs_tol=2e-6)
    return one == other


def differences(query, expected, found):
    """What a person needs to see where they differ; nothing where they do not."""
    expected, found = ordered(joined(query, expected)), ordered(joined(query, found))
    if len(expected) != len(found):
        yield f"{len(expected)} rows in SQLite, {len(found)} here"
    for one, other in zip(expected, found):
        if len(one) != len(other) or not all(map(same, one, other)):
            yield f"SQLite {one}, here {other}"
