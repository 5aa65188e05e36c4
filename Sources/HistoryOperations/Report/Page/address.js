// Keeps what is shown in the part of the address after "#", so that a link leads to the same place.

const encode = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":");

function decode(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return text;
  }
}

const address = {
  // {store, tx, object, filters…} of the present address.
  read() {
    const found = {};
    for (const part of location.hash.slice(1).split("&")) {
      const at = part.indexOf("=");
      if (at > 0) found[part.slice(0, at)] = decode(part.slice(at + 1));
    }
    return found;
  },

  write(parts) {
    return "#" + Object.entries(parts).filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => `${name}=${encode(String(value))}`).join("&");
  },

  // The beginning of every link into a history.
  of(history) { return histories.length > 1 ? { store: history.position } : {}; },

  go(parts) { location.hash = address.write(parts); },

  // Changes the address without a step in the reader's history.
  replace(parts) {
    try {
      window.history.replaceState(null, "", address.write(parts) === "#" ? location.pathname + location.search : address.write(parts));
    } catch {
      // Some browsers limit how often the address may change. The next one brings the address up to date.
    }
  },

  // Filters as parts of an address.
  filters(filters) {
    const parts = {};
    const none = [];
    for (const [dimension, name] of Object.entries(filters.chosen)) {
      if (name === null) none.push(dimension);
      else parts[dimension] = name;
    }
    if (none.length) parts.none = none.join(",");
    if (filters.range) [parts.from, parts.to] = filters.range.map((time) => new Date(time).toISOString().replace(/\.000Z$/, "Z"));
    if (filters.slot !== null) parts.hour = filters.slot;
    if (filters.query) parts.search = filters.query;
    return parts;
  },

  // Whether the filters are already those of an address.
  isOf(parts, filters) {
    const { store, tx, object, ...wanted } = parts;
    const now = address.filters(filters);
    const names = new Set([...Object.keys(wanted), ...Object.keys(now)]);
    return [...names].every((name) => name in wanted && name in now && String(now[name]) === wanted[name]);
  },

  apply(parts, filters) {
    filters.chosen = {};
    for (const dimension of [...DIMENSIONS, "attribute"]) if (dimension in parts) filters.chosen[dimension] = parts[dimension];
    for (const dimension of (parts.none ?? "").split(",")) if (DIMENSIONS.includes(dimension)) filters.chosen[dimension] = null;
    const range = [Date.parse(parts.from), Date.parse(parts.to)];
    filters.range = range[0] < range[1] ? range : null;
    filters.slot = /^\d+$/.test(parts.hour ?? "") && Number(parts.hour) < 168 ? Number(parts.hour) : null;
    filters.query = parts.search ?? "";
    filters.changed();
  },
};
