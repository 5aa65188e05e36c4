"""The query that the README shows, and what it says there."""
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "..", "..", "README.md")
EXAMPLE = re.compile(r"^```sql\n(.*?)^```\n\n```text\n(.*?)^```\n", re.M | re.S)


def check(histctl, engines, cache, say):
    """Run it on the store that the README speaks of; how many examples are wrong."""
    with open(README, encoding="utf-8") as file:
        examples = EXAMPLE.findall(file.read())
    folder = os.path.join(cache, "analysis", "readme")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([histctl, "demo", folder, "--ending", "2026-11-20", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([histctl, "export", "trips.store", "--output-dir", "exports"], check=True,
                   cwd=folder)
    wrong = 0 if examples else 1
    if not examples:
        say("README.md has no query with its output")
    for query, output in examples:
        shown = engines.run(folder, ["-c", "import duckdb, sys; duckdb.sql(sys.argv[1]).show()",
                                     query])
        if shown.strip() != output.strip():
            say(f"README.md shows another output than DuckDB's:\n{shown}")
            wrong += 1
    return wrong
