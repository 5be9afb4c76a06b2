import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepPlace } from "./keep-place.ts";

/** An element as far as the focus is concerned; `name` is what `matches` and `querySelector` know it by. */
class Part extends EventTarget {
  isConnected = true;
  tabIndex = 0;
  focus = vi.fn(() => {
    page.activeElement = this;
  });
  constructor(
    readonly name: string,
    readonly parentElement: Part | null = null,
    private readonly isPlace = false,
  ) {
    super();
  }
  matches = (selector: string) => this.isPlace && selector.startsWith("main ");
  hasAttribute = () => false;
  removeAttribute = vi.fn();
}

const body = new Part("body");
let page: EventTarget & { body: Part; activeElement: Part; querySelector: () => Part | null };
let changed = () => {};
let stop = () => {};
let heading: Part;
let list: Part;
let button: Part;

beforeEach(() => {
  vi.useFakeTimers();
  heading = new Part("heading");
  list = new Part("list", body, true);
  button = new Part("button", new Part("row", list));
  page = Object.assign(new EventTarget(), {
    body,
    activeElement: body,
    querySelector: () => heading,
  });
  vi.stubGlobal("document", page);
  vi.stubGlobal(
    "MutationObserver",
    class {
      constructor(callback: () => void) {
        changed = callback;
      }
      observe() {}
      disconnect() {}
    },
  );
  stop = keepPlace();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function report(type: "focusin" | "focusout", target: Part): void {
  const event = new Event(type);
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
}

function focus(part: Part): void {
  page.activeElement = part;
  report("focusin", part);
}

function remove(...parts: Part[]): void {
  for (const part of parts) part.isConnected = false;
  if (parts.includes(page.activeElement)) page.activeElement = body;
  changed();
}

test("the focus of a control that disappears goes to the part of the page it was in", () => {
  focus(button);
  remove(button);
  vi.runAllTimers();
  expect(page.activeElement).toBe(list);
  list.dispatchEvent(new Event("blur"));
  expect(list.removeAttribute).toHaveBeenCalledWith("tabindex");
});

test("it goes to the page's heading when that part disappears too", () => {
  focus(button);
  remove(button, list);
  vi.runAllTimers();
  expect(page.activeElement).toBe(heading);
});

test("a removal that reports the loss of the focus is no leaving", () => {
  focus(button);
  page.activeElement = body;
  button.isConnected = false;
  report("focusout", button);
  changed();
  vi.runAllTimers();
  expect(page.activeElement).toBe(list);
});

test("a control that was left before it disappears moves no focus", () => {
  focus(button);
  page.activeElement = body;
  report("focusout", button);
  vi.runAllTimers();
  remove(button);
  vi.runAllTimers();
  expect(page.activeElement).toBe(body);
});

test("what takes the focus itself keeps it", () => {
  const dialog = new Part("dialog");
  focus(button);
  remove(button);
  focus(dialog);
  vi.runAllTimers();
  expect(page.activeElement).toBe(dialog);
});

test("on another page the focus goes to its heading, once that has loaded", () => {
  focus(button);
  page.querySelector = () => null;
  remove(button, list);
  vi.runAllTimers();
  expect(page.activeElement).toBe(body);
  page.querySelector = () => heading;
  changed();
  vi.runAllTimers();
  expect(page.activeElement).toBe(heading);
});
