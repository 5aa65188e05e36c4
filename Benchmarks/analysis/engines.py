"""DuckDB, Spark and Timesketch's importer from PyPI, at the versions of requirements.txt, in a folder of their own."""
import json
import os
import shutil
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))


class EngineError(Exception):
    """An engine that cannot be installed, or that failed."""


class Engines:
    def __init__(self, cache):
        self.folder = os.path.join(cache, "engines")
        self.python = os.path.join(self.folder, "bin", "python")

    def install(self, names, say):
        """Install what is missing of these packages."""
        with open(os.path.join(HERE, "requirements.txt"), encoding="utf-8") as file:
            wanted = [line for line in file.read().split() if line.split("==")[0] in names]
        # What has been installed to its end.
        stamp = os.path.join(self.folder, "installed.txt")
        installed = []
        if os.path.exists(stamp):
            with open(stamp, encoding="utf-8") as file:
                installed = file.read().split()
        missing = [line for line in wanted if line not in installed]
        if not missing:
            return
        say(f"installing {' '.join(missing)} from PyPI")
        if not installed:
            shutil.rmtree(self.folder, ignore_errors=True)
            venv.create(self.folder, with_pip=True)
        done = subprocess.run([self.python, "-m", "pip", "install", "--quiet", *missing],
                              stdout=sys.stderr)
        if done.returncode != 0:
            raise EngineError(f"{' '.join(missing)} could not be installed from PyPI")
        others = [line for line in installed if line.split("==")[0] not in names]
        with open(stamp, "w", encoding="utf-8") as file:
            file.write("\n".join(others + wanted) + "\n")

    def duckdb(self, folder, recipes, suffix, queries):
        return json.loads(self.run(
            folder, [os.path.join(HERE, "in_duckdb.py"), recipes, suffix, *queries]))

    def spark(self, runs):
        arguments = []
        for number, (folder, recipe, suffix, queries) in enumerate(runs):
            arguments += (["--"] if number else []) + [folder, recipe, suffix, *queries]
        return json.loads(self.run(None, [os.path.join(HERE, "in_spark.py"), *arguments]))

    def timesketch(self, paths):
        """The number of events that Timesketch's importer takes and leaves as they are."""
        return int(self.run(None, [os.path.join(HERE, "in_timesketch.py"), *paths]))

    def run(self, folder, arguments):
        # Spark says much; it is of use only when it fails.
        done = subprocess.run([self.python, *arguments], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise EngineError(f"{' '.join(arguments)[:200]}\n{done.stderr[-3000:]}")
        return done.stdout
