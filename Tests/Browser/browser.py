"""A headless Chromium that opens reports, and the questions that the tests ask of a page."""
import atexit
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HISTCTL = os.environ.get("HISTCTL", "histctl")
FOLDER = tempfile.mkdtemp(prefix="histctl-browser-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
running = {}


def histctl(*arguments, **environment):
    """What the program prints. Reports and figures of the tests are in UTC where nothing else is said."""
    done = subprocess.run([HISTCTL, *arguments], capture_output=True, env=dict(os.environ, **dict({"TZ": "UTC"}, **environment)))
    if done.returncode != 0:
        raise AssertionError(f"histctl {' '.join(arguments)}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def json_lines(*arguments, **environment):
    return [json.loads(line) for line in histctl(*arguments, "--json", **environment).splitlines()]


def chromium():
    """The browser, the same for all tests."""
    if "driver" in running:
        return running["driver"]
    options = Options()
    options.binary_location = os.environ.get("BROWSER", "/usr/bin/chromium")
    options.add_argument("--headless=new")
    # The sandbox of Chromium refuses root, and containers often run as root. The pages are our own.
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    for argument in ("--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking", f"--user-data-dir={FOLDER}/profile"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = Service(os.environ.get("BROWSER_DRIVER", "/usr/bin/chromedriver"), env=dict(os.environ, TZ="UTC"))
    running["driver"] = driver = webdriver.Chrome(options=options, service=service)
    atexit.register(driver.quit)
    return driver


class PageTest(unittest.TestCase):
    """A test of a page. At its end no message and no request may have come up."""

    def setUp(self):
        self.driver = chromium()
        self.look(1440, 1000)
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def tearDown(self):
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        self.assertEqual(messages, [], "messages in the console")
        requests = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("data:", "about:")) and not url.split("#")[0].endswith(".html"):
                    requests.append(url)
        self.assertEqual(requests, [], "requests")

    def look(self, width, height, dark=False, zone="UTC", features=()):
        run = self.driver.execute_cdp_cmd
        run("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        run("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}, *features]})
        run("Emulation.setTimezoneOverride", {"timezoneId": zone})

    def open(self, path, address=""):
        self.driver.get("about:blank")
        self.driver.get(f"file://{path}{address}")
        self.settle()

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.driver.execute_async_script("const done = arguments[0]; setTimeout(() => requestAnimationFrame(() => setTimeout(done, 0)), 0)")

    def ask(self, script, *arguments):
        return self.driver.execute_script(f"return {script}", *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.ask("document.querySelector(arguments[0])?.textContent", selector)

    def texts(self, selector):
        return self.ask("[...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector)

    def click(self, selector):
        """A click by the mouse, as a reader does it."""
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.settle()

    def click_at(self, selector, x, y):
        element = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        self.pointer(element, x, y).click().perform()
        self.settle()

    def pointer(self, element, x, y):
        size = element.size
        return ActionChains(self.driver, duration=30).move_to_element_with_offset(element, int(x - size["width"] / 2), int(y - size["height"] / 2))

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    @property
    def shown(self):
        """How many transactions the list shows."""
        first = self.ask("document.querySelector('.row')?.getAttribute('aria-setsize')")
        return int(first or 0)

    @property
    def address(self):
        return self.ask("location.hash")

    @property
    def numbers(self):
        """The numbers of all transactions that match, from the list itself, scrolled to its end."""
        return [int(row[0]) for row in self.rows()]

    def rows(self):
        """Number, author and summary of each transaction in the list, scrolled to its end."""
        return self.driver.execute_async_script("""
            const done = arguments[0], box = document.querySelector('.rows'), found = new Map();
            box.scrollTop = 0;
            const read = () => {
              for (const row of box.querySelectorAll('.row')) {
                found.set(Number(row.dataset.position), [row.dataset.tx, row.querySelector('.who .name').textContent,
                  row.querySelector('.what').textContent, row.querySelector('.time').textContent]);
              }
              if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) {
                done([...found].sort((a, b) => a[0] - b[0]).map(([, row]) => row));
              } else {
                box.scrollTop += box.clientHeight;
                requestAnimationFrame(() => requestAnimationFrame(read));
              }
            };
            requestAnimationFrame(() => requestAnimationFrame(read));""")

    def picture(self, name, full=False):
        folder = os.environ.get("BROWSER_PICTURES")
        if folder:
            os.makedirs(folder, exist_ok=True)
            shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": full})
            with open(os.path.join(folder, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(shot["data"]))


def written(name, text):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return path
