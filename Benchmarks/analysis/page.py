#!/usr/bin/env python3
"""The manual page of analysis and the recipes in it.

    page.py check     whether the blocks of the page are the files that are run
    page.py write     put the files into the page
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "man", "histctl-analysis.7")
BLOCK = re.compile(r'^\.\\" recipe (\S+)\n\.Bd -literal -offset indent\n(.*?)^\.Ed\n', re.M | re.S)
ESCAPES = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "~": r"\(ti", "^": r"\(ha",
           '"': r"\(dq"}


def recipes():
    for folder in ("duckdb", "spark", "queries"):
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            if name.endswith((".sql", ".py")):
                yield f"{folder}/{name}"


def source(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        text = "".join(ESCAPES.get(character, character) for character in file.read())
    return re.sub(r"^\.", r"\\\&.", text, flags=re.M)


def main():
    if sys.argv[1:] not in (["check"], ["write"]):
        sys.exit("usage: page.py check|write")
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    shown = [name for name, _ in BLOCK.findall(page)]
    if sorted(shown) != sorted(recipes()):
        sys.exit(f"histctl-analysis.7 shows {sorted(shown)}; the recipes are {sorted(recipes())}")
    fresh = BLOCK.sub(
        lambda found: f'.\\" recipe {found[1]}\n.Bd -literal -offset indent\n'
                      f"{source(found[1])}.Ed\n", page)
    if sys.argv[1] == "write":
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(fresh)
    elif fresh != page:
        sys.exit("the blocks of histctl-analysis.7 are not the recipes; "
                 "Benchmarks/analysis/page.py write puts them in")


if __name__ == "__main__":
    main()
