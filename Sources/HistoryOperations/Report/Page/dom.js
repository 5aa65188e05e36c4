// Builds elements. Text becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

// Text of a store: isolated from the direction of the text around it.
const own = (text, attributes) => el("bdi", attributes, visible(text));

const button = (text, action, attributes) =>
  el("button", { type: "button", class: "button", onclick: action, ...attributes }, text);

// A row of buttons of which one is pressed. Arrow keys move between them.
function choice(label, options, current, choose) {
  const buttons = options.map(([value, text, disabled]) =>
    el("button", {
      type: "button", "aria-pressed": String(value === current), "data-value": value, disabled,
      onclick: () => choose(value),
    }, text));
  return el("div", {
    class: "switch", role: "group", "aria-label": label,
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = buttons.indexOf(document.activeElement);
      if (!step || at < 0) return;
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    },
  }, buttons);
}

// Replaces the children of an element, and keeps the keyboard at the button that was pressed.
function replace(element, ...children) {
  const active = element.contains(document.activeElement) ? document.activeElement : null;
  const key = active?.dataset.value ?? active?.dataset.focus;
  const group = active?.closest("[aria-label]")?.getAttribute("aria-label");
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  if (key === undefined) return;
  for (const found of element.querySelectorAll("[data-value], [data-focus]")) {
    if ((found.dataset.value ?? found.dataset.focus) !== key) continue;
    if (group && found.closest("[aria-label]")?.getAttribute("aria-label") !== group) continue;
    found.focus({ preventScroll: true });
    return;
  }
}

// Tells screen readers what has changed.
const say = (text) => { document.getElementById("said").textContent = text; };

const narrow = () => matchMedia("(max-width: 1000px)").matches;
