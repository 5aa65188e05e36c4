"""The page answers to mouse and keyboard, at every size, light and dark."""
import base64
import json

import made_up
from browser import Keys, PageTest, written

HOSTILE = made_up.HOSTILE[0]
made = {}


def page(name, *histories):
    """The path of a report of made-up histories, written once."""
    if name not in made:
        made[name] = written(f"{name}.html", made_up.page(made_up.report(*(make() for make in histories))))
    return made[name]


class LongHistory(PageTest):
    """10,000 transactions in ten years."""

    def setUp(self):
        super().setUp()
        self.open(page("long", made_up.long_history))

    def test_charts_are_drawn(self):
        self.assertEqual(self.text("h1"), "Made-up report")
        self.assertEqual(self.text(".timeline h2"), "Saves by month")
        self.assertEqual(len(self.all(".timeline .series")), 9)
        self.assertEqual(len(self.all(".cell[data-slot]")), 168)
        self.assertEqual(len(self.all(".grow-line")), 1)
        self.assertEqual(len(self.all(".rank-entity .ranks button")), 6)
        self.assertEqual(self.shown, 10000)
        # Only the rows in view are elements.
        self.assertLess(len(self.all(".row")), 60)
        self.picture("long")

    def test_every_save_is_in_a_bar(self):
        for level in ("day", "week", "month", "year"):
            self.click(f".timeline [data-value='{level}']") if level != "day" else None
            sums = self.ask("""[...document.querySelectorAll('.timeline .legend .count')].map((one) => Number(one.textContent.replace(/,/g, ''))).reduce((a, b) => a + b)""")
            self.assertEqual(sums, 10000)

    def test_click_on_a_bar_filters(self):
        self.click_at(".timeline .plot", 900, 150)
        self.assertIn("from=", self.address)
        told = int(self.text(".filters .count").split(" of ")[0].replace(",", ""))
        self.assertEqual(self.shown, told)
        self.assertTrue(0 < told < 300)
        from_table = self.bar_of_filter()
        self.assertEqual(from_table, told)
        # The same bar again shows everything.
        self.click_at(".timeline .plot", 900, 150)
        self.assertEqual(self.shown, 10000)

    def bar_of_filter(self):
        """Transactions of the month that is chosen, as the table beside the chart has them."""
        month = self.text(".chip bdi")
        self.click(".timeline > header > .button")
        rows = self.ask("[...document.querySelectorAll('.timeline tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
        self.click(".timeline > header > .button")
        # The chip has the first and the last day: "1 Mar 2024 – 31 Mar 2024".
        _, name, year = month.split(" – ")[0].split(" ")
        return next(int(row[1]) for row in rows if row[0] == f"{name} {year}")

    def test_dragging_zooms(self):
        plot = self.one(".timeline .plot")
        self.pointer(plot, 800, 100).click_and_hold().perform()
        self.pointer(plot, 900, 100).perform()
        self.pointer(plot, 900, 100).release().perform()
        self.settle()
        self.assertEqual(self.text(".timeline h2"), "Saves by week")
        self.assertEqual(len(self.all(".strip")), 1)
        self.assertTrue(0 < self.shown < 1500)
        self.picture("zoomed")
        self.click(".timeline [data-focus=all]")
        self.assertEqual(self.text(".timeline h2"), "Saves by month")
        self.assertEqual(self.shown, 10000)

    def test_zoom_reaches_hours(self):
        for _ in range(10):
            self.click(".timeline [data-focus=in]")
        self.assertEqual(self.text(".timeline h2"), "Saves by hour")

    def test_charts_and_chips_filter_together(self):
        self.click(".timeline .legend button")
        app = self.shown
        self.assertEqual(app, int(self.text(".timeline .legend .count").replace(",", "")))
        self.click(".rank-entity .ranks button")
        self.assertLess(self.shown, app)
        self.click_at(".heat .plot", 300, 60)
        self.assertEqual(len(self.all(".chip")), 3)
        self.click(".kind-link[data-kind=delete]")
        self.assertEqual(len(self.all(".chip")), 4)
        for expected in (3, 2, 1, 0):
            self.click(".chip .x")
            self.assertEqual(len(self.all(".chip")), expected)
        self.assertEqual(self.shown, 10000)

    def test_attributes_filter(self):
        self.click(".rank-attribute .ranks button")
        self.assertTrue(0 < self.shown < 10000)
        self.click_row(0)
        name = self.text(".rank-attribute .ranks button .name")
        self.assertIn(name.split(".")[1], self.text(".inspect"))

    def click_row(self, position):
        self.click(f".row[data-position='{position}']")

    def test_stacks_switch(self):
        for value in ("bundle", "process", "entity", "kind"):
            self.click(f".timeline [data-value={value}]")
            self.assertEqual(self.ask("document.querySelector(`.timeline [data-value=${arguments[0]}]`).getAttribute('aria-pressed')", value), "true")
            self.assertGreaterEqual(len(self.all(".timeline .series")), 2)
        self.assertEqual(self.text(".timeline h2"), "Changes by month")

    def test_search(self):
        self.one(".list .search input").send_keys("#9990")
        self.settle()
        self.assertEqual(self.numbers, [9990])
        self.one(".list .search input").clear()
        self.one(".list .search input").send_keys("gone")
        self.settle()
        found = self.shown
        self.assertIn("search=gone", self.address)
        self.click(".chip .x")
        self.click(".kind-link[data-kind=delete]")
        self.assertEqual(found, self.shown)
        self.click(".chip .x")
        self.one(".list .search input").clear()
        self.one(".list .search input").send_keys("trip/p10")
        self.settle()
        self.assertEqual(self.text(".offers li bdi"), "Trip/p10")
        self.press(Keys.ARROW_DOWN, Keys.ENTER)
        self.assertEqual(self.text(".inspect h2"), "Trip/p10")
        self.assertIn("object=Trip/p10", self.address)

    def test_transactions_open(self):
        self.click_row(3)
        self.assertEqual(self.address, "#tx=9997")
        self.assertEqual(self.text(".inspect h2"), "Transaction 9997")
        self.assertGreater(len(self.all(".inspect .change")), 0)
        self.click(".inspect [data-focus='Older transaction']")
        self.assertEqual(self.text(".inspect h2"), "Transaction 9996")
        self.driver.back()
        self.settle()
        self.assertEqual(self.text(".inspect h2"), "Transaction 9997")
        self.assertEqual(self.ask("document.querySelector('.row.picked').dataset.tx"), "9997")
        self.click(".inspect [data-focus=close]")
        self.assertEqual(self.text(".inspect h2"), "Objects")

    def test_objects_open(self):
        self.click(".inspect .cards button")
        name = self.text(".inspect h2")
        self.assertIn("object=" + name, self.address)
        self.assertGreater(len(self.all(".life-dot")), 1)
        related = self.text(".inspect .cards button bdi")
        self.click(".inspect .cards button")
        self.assertEqual(self.text(".inspect h2"), related)
        self.click(".change .link")
        self.assertIn("tx=", self.address)
        self.picture("object")

    def test_links_lead_to_places(self):
        self.open(page("long", made_up.long_history), "#tx=353")
        self.assertEqual(self.text(".inspect h2"), "Transaction 353")
        self.assertTrue(self.ask("(() => { const box = document.querySelector('.row.picked').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()"))
        self.open(page("long", made_up.long_history), "#author=widget&entity=Trip&tx=10001")
        self.assertIn("not in this report", self.text(".inspect"))
        self.assertEqual(len(self.all(".chip")), 2)
        self.open(page("long", made_up.long_history), "#object=Nothing/p1")
        self.assertIn("no change of this object", self.text(".inspect"))

    def test_keyboard(self):
        self.driver.execute_script("document.querySelector('.timeline .plot').focus()")
        self.press(Keys.END, Keys.ARROW_LEFT)
        self.assertRegex(self.text("#said"), r"^\w+ \d{4}: \d+ transactions, ")
        self.press(Keys.ENTER)
        chosen = self.shown
        self.assertTrue(0 < chosen < 300)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.shown, 10000)
        self.driver.execute_script("document.querySelector('.heat .plot').focus()")
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ENTER)
        self.assertIn("Tue 01:00", self.text(".chip"))
        self.press(Keys.ENTER)
        self.driver.execute_script("document.querySelector('.rows').focus()")
        self.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.PAGE_DOWN, Keys.ARROW_UP, Keys.ENTER)
        self.assertIn("tx=", self.address)
        self.press(Keys.END, Keys.ENTER)
        self.assertEqual(self.address, "#tx=1")
        # Tab reaches everything, and the focus can be seen.
        self.driver.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
        reached = set()
        for _ in range(60):
            self.press(Keys.TAB)
            reached.add(self.ask("document.activeElement.closest('section, .filters, .head')?.className.split(' ').slice(0, 2).join(' ')"))
        self.assertTrue({"panel timeline", "panel heat", "panel growth", "panel rank", "filters", "head"} <= reached, reached)

    def test_tables_stand_for_charts(self):
        for chart, columns in (("timeline", 12), ("heat", 8), ("growth", 2)):
            self.click(f".{chart} > header > .button")
            self.assertEqual(len(self.all(f".{chart} thead th")), columns)
            self.assertGreater(len(self.all(f".{chart} tbody tr")), 20)

    def test_names_for_screen_readers(self):
        unnamed = self.ask("""[...document.querySelectorAll('button, input, a, [tabindex="0"], section')].filter((one) =>
            !(one.getAttribute('aria-label') ?? document.getElementById(one.getAttribute('aria-labelledby'))?.textContent ?? one.textContent).trim()).map((one) => one.outerHTML.slice(0, 200))""")
        self.assertEqual([one for one in unnamed if 'class="panel rank' not in one], [])
        ids = self.ask("[...document.querySelectorAll('[id]')].map((one) => one.id)")
        self.assertEqual(len(ids), len(set(ids)))

    def test_dark(self):
        light = self.ask("getComputedStyle(document.body).backgroundColor")
        self.look(1440, 1000, dark=True)
        self.settle()
        self.assertNotEqual(self.ask("getComputedStyle(document.body).backgroundColor"), light)
        for dark in (False, True):
            self.look(1440, 1000, dark=dark, features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
            self.settle()
            self.assertEqual(self.low_contrast(), [])
            self.picture("dark" if dark else "light")

    def low_contrast(self):
        """Texts whose contrast to what is behind them is less than the 4.5 that WCAG asks for."""
        return self.ask("""(() => {
            const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
            const behind = (one) => {
              for (; one; one = one.parentElement) {
                const colour = channels(getComputedStyle(one).backgroundColor);
                if (colour.length === 3 || colour[3] === 1) return colour;
              }
              return [255, 255, 255];
            };
            const found = [];
            for (const one of document.querySelectorAll('#page *')) {
              if (one.closest('svg') && one.tagName !== 'text') continue;
              if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || one.closest('[disabled], .unseen, .skip')) continue;
              const style = getComputedStyle(one);
              const [a, b] = [light(channels(one.tagName === 'text' ? style.fill : style.color)), light(behind(one))];
              const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (contrast < 4.5) found.push(`${one.className.baseVal ?? one.className} ${one.textContent.slice(0, 30)} ${contrast.toFixed(2)}`);
            }
            return [...new Set(found)];
        })()""")

    def test_no_motion_where_none_is_wanted(self):
        self.look(1440, 1000, features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
        self.assertEqual(self.ask("getComputedStyle(document.querySelector('.button')).transitionDuration"), "0s")

    def test_narrow_and_wide(self):
        for width in (380, 600, 760, 1001, 1240, 1900, 2500):
            self.look(width, 800)
            self.settle()
            self.assertEqual(self.ask("document.documentElement.scrollWidth"), width)
            outside = self.ask("""[...document.querySelectorAll('.panel, .panel > *, .figures, .filters')].filter((one) => one.offsetParent && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className)""")
            self.assertEqual(outside, [])
            self.picture(f"at-{width}", full=width == 380)
        self.look(380, 800)
        self.settle()
        self.click_row(0)
        box = self.ask("(({ top, left, width, height }) => [top, left, width, height])(document.querySelector('.inspect').getBoundingClientRect())")
        self.assertEqual(box, [0, 0, 380, 800])
        self.picture("narrow-open")
        self.press(Keys.ESCAPE)
        self.assertEqual(len(self.all(".inspect.open")), 0)

    def test_print(self):
        pdf = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        data = base64.b64decode(pdf["data"])
        self.assertTrue(data.startswith(b"%PDF"))
        self.assertGreaterEqual(data.count(b"/Type /Page\n"), 3)


class OddHistories(PageTest):
    """Histories with little or nothing in them."""

    def test_empty(self):
        self.open(page("empty", made_up.empty))
        self.assertEqual(self.text(".timeline .empty"), "This history has no transactions.")
        self.assertEqual(self.text(".rows .empty"), "This history has no transactions.")
        self.press(Keys.TAB, Keys.TAB, Keys.ARROW_RIGHT, Keys.ENTER)
        self.picture("empty")

    def test_one_save(self):
        self.open(page("one", made_up.one_save))
        self.assertEqual(self.text(".timeline h2"), "Saves by hour")
        self.assertEqual(len(self.all(".timeline .series")), 1)
        self.assertEqual(self.numbers, [1])
        self.picture("one")

    def test_several_stores(self):
        path = page("several", made_up.one_save, made_up.empty, made_up.hostile_history)
        self.open(path)
        self.assertEqual(len(self.all(".stores tbody tr")), 3)
        self.assertEqual(len(self.all(".stores .spark")), 2)
        # The common timeline has the stores with transactions, and its legend opens them.
        self.assertEqual(self.texts(".timeline .legend .name"), ["one.store", self.text(".stores tbody tr:nth-child(3) .name")])
        self.assertEqual(self.all(".timeline [aria-label='Stack by']"), [])
        self.click(".timeline .legend button:nth-child(1)")
        self.assertEqual(self.address, "#store=1")
        self.open(path)
        self.picture("several")
        self.click(".stores [data-focus='sort Changes']")
        self.assertEqual(self.texts(".stores tbody td:nth-child(3)"), ["22", "1", "0"])
        self.click(".stores [data-focus='sort Changes']")
        self.click(".stores tbody tr:nth-child(1) td:nth-child(3)")
        self.assertEqual(self.address, "#store=1")
        self.assertEqual(self.text("h1"), "one.store")
        self.click(".row")
        self.assertEqual(self.address, "#store=1&tx=1")
        self.click(".crumb a")
        self.assertEqual(len(self.all(".stores")), 1)
        self.open(path, "#store=3&tx=2")
        self.assertEqual(self.text(".inspect h2"), "Transaction 2")
        self.open(path, "#store=9")
        self.assertEqual(len(self.all(".stores")), 1)
        self.look(380, 800)
        self.settle()
        self.assertEqual(self.ask("document.documentElement.scrollWidth"), 380)

    def test_problem(self):
        broken = {"name": "broken.store", "path": "broken.store", "problem": "is not a database"}
        path = written("problem.html", made_up.page(made_up.report(broken, made_up.one_save())))
        self.open(path)
        self.assertIn("broken.storecould not be readis not a database", self.text(".stores"))
        self.picture("problem")
        self.open(path, "#store=1")
        self.assertIn("is not a database", self.text(".notices"))

    def test_local_time(self):
        self.look(1440, 1000, zone="Asia/Tokyo")
        self.open(page("one", made_up.one_save))
        self.assertEqual(self.text(".row .date") + " " + self.text(".row .time"), "2026-11-18 20:06:40")
        self.click(".made [data-value=utc]")
        self.assertEqual(self.text(".row .date") + " " + self.text(".row .time"), "2026-11-18 11:06:40")

        # An hour of UTC is not an hour there.
        self.look(1440, 1000, zone="Asia/Kolkata")
        self.open(page("one", made_up.one_save))
        self.assertIn("Times in UTC", self.text(".made"))
        self.assertEqual(self.text(".row .time"), "11:06:40")

    def test_bookmarks(self):
        history = made_up.one_save()
        history["bookmarks"] = [
            {"name": f"reader {number}", "state": "valid", "token": "1", "transactionsBehind": number, "unreadSince": 1795000000000000}
            for number in range(9)] + [{"name": HOSTILE, "state": "expired", "token": "1", "transaction": 1}]
        self.open(written("bookmarks.html", made_up.page(made_up.report(history))))
        notices = self.texts(".notice")
        self.assertEqual(notices[0], f"Bookmark {HOSTILE}:expired at 1")
        self.assertEqual(notices[1], "Bookmark reader 1:1 transaction behind, unread since 2026-11-18 11:06:40")
        self.assertEqual(len(notices), 6)
        self.click(".notices .button")
        self.assertEqual(len(self.all(".notice")), 9)

    def test_what_was_left_out(self):
        history = made_up.one_save()
        history["leftOut"] = [{"kind": "transactions", "count": 1234, "text": "older transactions, which are only counted"},
                              {"kind": "redacted", "text": "values"}]
        self.open(written("left.html", made_up.page(made_up.report(history))))
        self.assertIn("1,234 older transactions, which are only counted", self.text(".notices"))
        self.assertIn("the newest 1", self.text(".list header"))


class HostileText(PageTest):
    """Text of a store is shown as text, and does nothing."""

    def test_every_text_is_shown(self):
        self.open(page("hostile", made_up.hostile_history))
        self.assertEqual(len(self.all("img, iframe, object, embed, link:not([rel=icon])")), 0)
        self.assertEqual(len(self.all("script")), 2)
        self.assertEqual(self.shown, len(made_up.HOSTILE))
        shown = self.texts(".rank-author .ranks .name bdi")
        for text in made_up.HOSTILE:
            self.assertIn(visible(text).replace("\t", " "), shown)
        for number, text in enumerate(made_up.HOSTILE, 1):
            self.driver.execute_script("location.hash = `tx=${arguments[0]}`", number)
            self.settle()
            self.assertIn(visible(text) + "!", self.text(".inspect .values"))
            name = self.ask("document.querySelector('.inspect [data-object]').dataset.object")
            self.click(".inspect [data-object]")
            self.assertEqual(self.text(".inspect h2"), visible(name))
            self.assertEqual(len(self.all("img, b.bold")), 0)
            # A link with the name leads to the object again.
            self.open(page("hostile", made_up.hostile_history), self.address)
            self.assertGreater(len(self.all(".life-dot")), 0)
        self.picture("hostile")

    def test_filters_by_hostile_names(self):
        self.open(page("hostile", made_up.hostile_history))
        for position in range(len(made_up.HOSTILE)):
            self.click(f".rank-author .ranks button:nth-child({position + 1})")
            self.assertEqual(self.shown, 1)
        self.assertNotIn("<", self.ask("location.hash"))

    def test_policy(self):
        self.open(page("hostile", made_up.hostile_history))
        policy = self.ask("document.querySelector('meta[http-equiv]').content")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        ran = self.ask("""(() => {
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            script.remove();
            return window.ran ?? false;
        })()""")
        self.assertFalse(ran)
        # This message is the refusal.
        self.assertIn("Content Security Policy", json.dumps(self.driver.get_log("browser")))


def visible(text):
    """Text as the page shows it: control characters by their numbers."""
    def shown(character):
        code = ord(character)
        hidden = (code < 32 and character not in "\t\n") or 127 <= code < 160 or character in "\u061c\u200e\u200f\ufeff" \
            or 0x2028 <= code <= 0x202e or 0x2066 <= code <= 0x2069
        return f"\\u{{{code:x}}}" if hidden else character
    return "".join(map(shown, text))
