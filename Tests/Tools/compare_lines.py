#!/usr/bin/env python3
"""Compares the lines of `histctl log --reverse --json` with those of an independent decoder.

    compare_lines.py OURS THEIRS

OURS holds histctl's lines, THEIRS the decoder's, whose tombstones have the stored values (blobs as
{"$blob": hexadecimal}) where ours have those of the attribute's type.  Numbers are compared bit for
bit.  Prints every difference and ends with 1 where there is one.
"""
import base64, json, sys, uuid
from datetime import datetime, timezone
from fractions import Fraction


def seconds(text):
    """Seconds since 2001 of an ISO 8601 time in UTC, exactly."""
    whole, _, digits = text.rstrip("Z").partition(".")
    moment = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    unix = int((moment - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds())
    return float(Fraction(unix - 978307200) + Fraction(int(digits or 0), 10 ** len(digits)))


def same_number(ours, theirs):
    return type(ours) is type(theirs) and repr(ours) == repr(theirs)


def same_value(ours, theirs):
    """Whether a typed value of ours stands for a stored value of theirs."""
    if isinstance(theirs, dict):
        data = bytes.fromhex(theirs["$blob"])
        if isinstance(ours, str):
            return len(data) == 16 and ours == str(uuid.UUID(bytes=data)).upper()
        return isinstance(ours, dict) and base64.b64decode(ours["$blob"]) == data
    if isinstance(ours, bool):
        return type(theirs) is int and theirs == int(ours)
    if isinstance(theirs, float) and isinstance(ours, str):
        return same_number(seconds(ours), theirs)
    if isinstance(theirs, (int, float)):
        return same_number(ours, theirs)
    return ours == theirs


def differences(ours, theirs):
    for key in ("transaction", "author", "bundle", "process", "context"):
        if ours.get(key) != theirs[key]:
            yield f"{key}: {ours.get(key)!r} instead of {theirs[key]!r}"
    if not same_number(ours.get("timestampRaw"), theirs["timestampRaw"]):
        yield f"timestampRaw: {ours.get('timestampRaw')!r} instead of {theirs['timestampRaw']!r}"
    if len(ours["changes"]) != len(theirs["changes"]):
        yield f"{len(ours['changes'])} changes instead of {len(theirs['changes'])}"
    for mine, other in zip(ours["changes"], theirs["changes"]):
        place = f"change {other['change']}: "
        for key in ("change", "kind", "entity", "pk"):
            if mine.get(key) != other[key]:
                yield f"{place}{key}: {mine.get(key)!r} instead of {other[key]!r}"
        names = mine.get("attributes")
        if names is not None and len(set(names)) != len(names):
            yield f"{place}a name twice in {names!r}"
        if (None if names is None else sorted(names)) != other["attributes"]:
            yield f"{place}attributes: {names!r} instead of {other['attributes']!r}"
        kept, expected = mine.get("tombstone"), other["tombstone"]
        if (kept is None) != (expected is None):
            yield f"{place}tombstone: {kept!r} instead of {expected!r}"
        elif kept is not None:
            if list(kept) != list(expected):
                yield f"{place}tombstone names: {list(kept)!r} instead of {list(expected)!r}"
            for name in set(kept) & set(expected):
                if not same_value(kept[name], expected[name]):
                    yield f"{place}tombstone {name}: {kept[name]!r} instead of {expected[name]!r}"


def main():
    ours, theirs = ([json.loads(line) for line in open(path, encoding="utf-8")]
                    for path in sys.argv[1:3])
    found = [f"{len(ours)} transactions instead of {len(theirs)}"] if len(ours) != len(theirs) else []
    for mine, other in zip(ours, theirs):
        found += [f"transaction {other['transaction']}: {text}" for text in differences(mine, other)]
    print("\n".join(found[:20]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
