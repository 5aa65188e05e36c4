"""Writes the picture of the README: a report of the demo's store.

    .build/browser/bin/python Tests/Browser/picture.py FILE.png    (HISTCTL names the program)
"""
import base64
import os
import sys
import tempfile
import time

from browser import chromium, histctl


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        histctl("demo", ".", "--ending", "2026-11-20")
        histctl("report", "trips.store", "--reproducible", "-o", "report.html")
        driver = chromium()
        run = driver.execute_cdp_cmd
        run("Emulation.setDeviceMetricsOverride", {"width": 1320, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        run("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
        driver.get(f"file://{folder}/report.html")
        time.sleep(1)
        shot = run("Page.captureScreenshot", {"optimizeForSpeed": False})
        os.chdir("/")
        with open(sys.argv[1], "wb") as file:
            file.write(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    sys.argv[1] = os.path.abspath(sys.argv[1])
    main()
