"""DuckDB and Spark from PyPI, at the versions of requirements.txt, in a folder of their own."""
import json
import os
import shutil
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")


class EngineError(Exception):
    """An engine that cannot be installed, or that failed."""


class Engines:
    def __init__(self, cache):
        self.folder = os.path.join(cache, "engines")
        self.python = os.path.join(self.folder, "bin", "python")

    def install(self, say):
        """Install what is missing, once for each requirements.txt."""
        stamp = os.path.join(self.folder, "requirements.txt")
        with open(REQUIREMENTS, encoding="utf-8") as file:
            wanted = file.read()
        if os.path.exists(stamp):
            with open(stamp, encoding="utf-8") as file:
                if file.read() == wanted:
                    return
        say("installing DuckDB and Spark from PyPI (some 450 MB; a minute or more)")
        shutil.rmtree(self.folder, ignore_errors=True)
        venv.create(self.folder, with_pip=True)
        done = subprocess.run([self.python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS],
                              stdout=sys.stderr)
        if done.returncode != 0:
            raise EngineError("DuckDB and Spark could not be installed from PyPI")
        shutil.copy(REQUIREMENTS, stamp)

    def version(self, package):
        return self.run(None, ["-c", f"import {package} as p; print(p.__version__)"]).strip()

    def duckdb(self, folder, recipes, suffix, queries):
        return json.loads(self.run(
            folder, [os.path.join(HERE, "in_duckdb.py"), recipes, suffix, *queries]))

    def spark(self, runs):
        arguments = []
        for number, (folder, recipe, suffix, queries) in enumerate(runs):
            arguments += (["--"] if number else []) + [folder, recipe, suffix, *queries]
        return json.loads(self.run(None, [os.path.join(HERE, "in_spark.py"), *arguments]))

    def run(self, folder, arguments):
        # Spark says much; it is of use only when it fails.
        done = subprocess.run([self.python, *arguments], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise EngineError(f"{' '.join(arguments)[:200]}\n{done.stderr[-3000:]}")
        return done.stdout
