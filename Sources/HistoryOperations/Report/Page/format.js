// Turns numbers, sizes and values into text.

const english = new Intl.NumberFormat("en-US");
const number = (value) => (typeof value === "number" ? english.format(value) : value ?? "unknown");
const plural = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

function bytes(value) {
  if (typeof value !== "number") return "unknown";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(value) >= 1023.95) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

// Three digits are enough for a rate.
const rate = (value) => (value >= 100 ? number(Math.round(value)) : String(Number(value.toPrecision(3))));

function duration(days) {
  if (days < 2 / 24) return plural(Math.max(1, Math.round(days * 1440)), "minute");
  if (days < 2) return plural(Math.round(days * 24), "hour");
  if (days < 60) return plural(Math.round(days), "day");
  if (days < 730) return plural(Math.round(days / 30.44), "month");
  return plural(Math.round(days / 365.25), "year");
}

// Control characters and those that turn the direction of text would hide what a text says.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
const visible = (text) => String(text).replace(hidden, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);
const oneLine = (text) => visible(text).replace(/[\t\n]+/g, " ");

const KINDS = ["insert", "update", "delete", "other"];
const MARKS = ["+", "~", "\u2212", "?"];
const NONE = "(none)";
const named = (name) => (name === null || name === undefined ? NONE : oneLine(name));

// A value as text and, where the text alone does not say it, its type.
function valueText(value) {
  if (value === null) return { text: "nil", type: "none" };
  if (typeof value === "string") return { text: value === "" ? "\u201c\u201d" : visible(value), type: "text" };
  if (typeof value !== "object") return { text: String(value), type: typeof value };
  if ("$blob" in value) return { text: value.$blob, type: "data", note: `data, ${bytes(base64Length(value.$blob))}` };
  if ("$text" in value) return { text: value.$text, type: "data", note: "malformed text in Base64" };
  if ("$int" in value) return { text: value.$int, type: "number" };
  if ("$real" in value) return { text: value.$real, type: "number" };
  if ("$sha256" in value) return { text: value.$sha256, type: "data", note: `SHA-256 of ${bytes(value.length)}` };
  if ("$object" in value) return { text: visible(value.$object), type: "object" };
  if ("$cut" in value) return { text: `${visible(value.$cut)}\u2026`, type: "text", note: `cut, ${bytes(value.bytes)} in all` };
  return { text: visible(JSON.stringify(value)), type: "other" };
}

const base64Length = (text) => Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);

// A length of time, in the largest unit of which there are at least two.
function interval(seconds) {
  for (const [length, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`;
  }
  return seconds >= 1 ? `${Math.floor(seconds)} s` : `${seconds.toFixed(2)} s`;
}
