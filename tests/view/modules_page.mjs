// modules_page.mjs - a substitute for a page: elements that store attributes, children and listeners, and
// the other members that the modules of web/src use.

export class Part {
  constructor(name) {
    Object.assign(this, {
      name,
      attributes: {},
      children: [],
      listeners: {},
      clientWidth: 600,
      clientHeight: 300,
    });
    const properties = (this.properties = {});
    this.style = { setProperty: (key, value) => (properties[key] = value) };
    this.classList = { contains: () => false, add: () => {}, toggle: () => {} };
  }
  setAttribute(key, value) {
    this.attributes[key] = String(value);
  }
  addEventListener(kind, listener) {
    this.listeners[kind] = listener;
  }
  removeEventListener() {}
  append(...children) {
    for (const child of children) if (child instanceof Part) child.parentElement = this;
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }
  remove() {
    this.removed = true;
  }
  click() {
    if (this.name === "a") saved.push(this.href ?? this.attributes.href);
    this.listeners.click?.();
  }
  getContext() {
    return {};
  }
  getRootNode() {
    return document;
  }
  get ownerDocument() {
    return document;
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? String(child)).join("");
  }
  set textContent(text) {
    this.children = [text];
  }

  // Returns the elements below this one with that NAME.
  all(name) {
    const parts = this.children.filter((child) => child instanceof Part);
    return parts.flatMap((part) => [...(part.name === name ? [part] : []), ...part.all(name)]);
  }
  button(text) {
    return this.all("button").find((button) => button.textContent.includes(text));
  }
}

export const saved = []; // addresses of files offered
export const byId = new Map();
export const page = { dark: false, frames: [] }; // frames: callbacks to be called before the next drawing

export function setPage() {
  const create = (name) => new Part(name);
  globalThis.window = globalThis;
  Object.assign(globalThis, {
    Node: Part,
    document: {
      createElement: create,
      createElementNS: (space, name) => create(name),
      getElementById: (id) => byId.get(id) ?? null,
      documentElement: create("html"),
      addEventListener: () => {},
      removeEventListener: () => {},
    },
    devicePixelRatio: 1,
    addEventListener: () => {},
    getComputedStyle: () => ({ getPropertyValue: () => "#ffffff" }),
    matchMedia: () => ({
      addEventListener: () => {},
      get matches() {
        return page.dark;
      },
    }),
    requestAnimationFrame: (call) => page.frames.push(call),
    ResizeObserver: class {
      observe() {}
    },
    Path2D: class {
      steps = [];
      moveTo(...at) {
        this.steps.push(at);
      }
      lineTo(...at) {
        this.steps.push(at);
      }
      arc(x, y, r) {
        this.steps.push(["arc", r]);
      }
      closePath() {}
    },
  });
}
