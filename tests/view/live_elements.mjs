// live_elements.mjs - the parts of a page that modules of the live page use, for tests in node: a tree of
// elements with attributes, listeners and values, and a clock for timers. Nothing is laid out or drawn, and
// events do not bubble.
const reflected = ["hidden", "disabled", "checked"];

export class Element {
  constructor(name) {
    Object.assign(this, {
      name,
      inside: [],
      attributes: new Map(),
      heard: new Map(),
      dataset: {},
      parent: null,
    });
    this.style = { values: {}, setProperty: (key, value) => (this.style.values[key] = value) };
    const classes = () => new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
    this.classList = {
      contains: (one) => classes().has(one),
      add: (one) => this.classList.toggle(one, true),
      toggle: (one, on = !classes().has(one)) => {
        const all = classes();
        on ? all.add(one) : all.delete(one);
        this.setAttribute("class", [...all].join(" "));
      },
    };
    for (const key of reflected) this[key] = false;
  }

  // ---- Attributes and values
  setAttribute(key, value) {
    this.attributes.set(key, String(value));
    if (reflected.includes(key)) this[key] = true;
  }
  getAttribute(key) {
    return this.attributes.get(key) ?? null;
  }
  get options() {
    return this.inside.filter(({ name }) => name === "option");
  }
  // The value of a select is that of the chosen option: the first, unless another was set.
  get value() {
    if (this.name !== "select") return this.own ?? this.getAttribute("value") ?? "";
    if (this.own === null) return "";
    return (this.options.includes(this.own) ? this.own : this.options[0])?.value ?? "";
  }
  set value(value) {
    if (this.name !== "select") this.own = String(value);
    else this.own = this.options.find((option) => option.value === String(value)) ?? null;
  }

  // ---- The tree; texts are strings in `inside`
  get children() {
    return this.inside.filter((child) => child instanceof Element);
  }
  get lastChild() {
    return this.inside.at(-1) ?? null;
  }
  get firstElementChild() {
    return this.children[0] ?? null;
  }
  get lastElementChild() {
    return this.children.at(-1) ?? null;
  }
  get textContent() {
    return this.inside.map((child) => child.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  adopt(children) {
    return children.map((child) => {
      if (!(child instanceof Element)) return { textContent: String(child) };
      child.remove();
      child.parent = this;
      return child;
    });
  }
  append(...children) {
    this.inside.push(...this.adopt(children));
  }
  prepend(...children) {
    this.inside.unshift(...this.adopt(children));
  }
  replaceChildren(...children) {
    for (const child of this.children) child.parent = null;
    this.inside = [];
    if (this.name === "select") this.own = undefined;
    this.append(...children);
  }
  replaceWith(other) {
    const { parent } = this,
      at = parent.inside.indexOf(this);
    this.parent = null;
    parent.inside.splice(at, 1, ...parent.adopt([other]));
  }
  remove() {
    if (this.parent) this.parent.inside = this.parent.inside.filter((child) => child !== this);
    this.parent = null;
  }
  // Returns all elements inside for which IS is true, in order.
  all(is) {
    return this.children.flatMap((child) => [...(is(child) ? [child] : []), ...child.all(is)]);
  }
  // ".class" only.
  querySelector(selector) {
    return this.all((child) => child.classList.contains(selector.slice(1)))[0] ?? null;
  }

  // ---- Events
  addEventListener(key, listener) {
    this.heard.set(key, [...(this.heard.get(key) ?? []), listener]);
  }
  // Calls the listeners of KEY; a disabled control has no events.
  fire(key, event = {}) {
    if (this.disabled) return;
    for (const listener of this.heard.get(key) ?? [])
      listener({ target: this, preventDefault() {}, stopPropagation() {}, ...event });
  }
  // Set a value or tick a box as a user does, with its events.
  enter(value) {
    this.value = value;
    this.fire("input");
    this.fire("change");
  }
  tick(on) {
    this.checked = on;
    this.fire("change");
  }
}

// Returns the elements of NAME inside PLACE, an element or a list of them.
export const named = (place, name) => {
  const root = new Element("root");
  root.inside = [place].flat(Infinity); // not adopted: they keep their parent
  return root.all((child) => child.name === name);
};
export const button = (place, text) => named(place, "button").find(({ textContent }) => textContent === text);
export const labelled = (place, label) =>
  ["select", "input", "article", "ol"]
    .flatMap((name) => named(place, name))
    .find((child) => child.getAttribute("aria-label") === label);

export const page = new Element("main"),
  root = new Element("html"),
  everywhere = new Element("window");
globalThis.document = {
  createElement: (name) => new Element(name),
  createElementNS: (_, name) => new Element(name),
  getElementById: (name) => (name === "page" ? page : null),
  documentElement: root,
  activeElement: null,
  hidden: false,
};
globalThis.addEventListener = (key, listener) => everywhere.addEventListener(key, listener);
globalThis.matchMedia = () => ({ matches: false, addEventListener() {} });
globalThis.getComputedStyle = () => ({ getPropertyValue: () => " #ffffff " });
globalThis.ResizeObserver = class {
  observe() {}
};

// ---- A clock: timers run when a test lets time pass.
let now = 0,
  timers = [],
  count = 0;
globalThis.setTimeout = (act, ms = 0) => {
  timers.push({ act, at: now + ms, id: ++count });
  return count;
};
globalThis.clearTimeout = (id) => (timers = timers.filter((timer) => timer.id !== id));
export function pass(ms) {
  const end = now + ms;
  for (;;) {
    const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id);
    if (!next) break;
    now = next.at;
    clearTimeout(next.id);
    next.act();
  }
  now = end;
}
