"""The stores whose numbers are compared: the demo's, and five real or generated ones."""
import glob
import os
import shutil

from browser import FOLDER, histctl, json_lines

WANTED = 5
found = []


def demo():
    folder = os.path.join(FOLDER, "demo")
    if not os.path.isdir(folder):
        histctl("demo", folder, "--ending", "2026-11-20")
    return os.path.join(folder, "trips.store")


def real():
    """Copies of real stores with a history, and where too few are at hand generated ones in their place."""
    if found:
        return found
    place = os.environ.get("HISTCTL_REAL_STORES") or os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "stores")
    for path in sorted(glob.glob(os.path.join(place, "*"))):
        if len(found) == WANTED:
            break
        if not path.endswith((".sqlite", ".store", ".db")) or os.path.getsize(path) > 20_000_000:
            continue
        copy = os.path.join(FOLDER, "real", os.path.basename(path))
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        for suffix in ("", "-wal"):
            if os.path.exists(path + suffix):
                shutil.copyfile(path + suffix, copy + suffix)
        try:
            if json_lines("info", copy)[0].get("transactions", 0) > 30:
                found.append(copy)
        except AssertionError:
            continue
    if len(found) < WANTED:
        print(f"browser-test: {len(found)} real stores found; generated ones take the place of the others", flush=True)
    while len(found) < WANTED:
        folder = os.path.join(FOLDER, f"generated-{len(found)}")
        histctl("demo", folder, "--ending", f"202{len(found)}-0{len(found) + 1}-15")
        found.append(os.path.join(folder, "trips.store"))
    return found


def report(name, *stores):
    path = os.path.join(FOLDER, f"{name}.html")
    if not os.path.exists(path):
        histctl("report", *stores, "-o", path)
    return path
