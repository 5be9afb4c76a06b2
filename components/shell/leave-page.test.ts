import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { guardPage, leavePage } from "./leave-page.ts";

const ask = vi.fn<(go: () => void) => void>();
const push = vi.fn<(href: string) => void>();
const navigation = Object.assign(new EventTarget(), { traverseTo: vi.fn() });
let page: EventTarget;
let stop = () => {};

beforeEach(() => {
  ask.mockReset();
  push.mockReset();
  page = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("location", {
    origin: "https://turnpike.test",
    pathname: "/plans/7",
    search: "?tab=settings",
  });
  vi.stubGlobal("window", Object.assign(new EventTarget(), { navigation }));
  stop = guardPage(ask, push);
});
afterEach(() => stop());

const goWhereAsked = () => ask.mock.calls[0]?.[0]();

/** A click on a link, as the document hears it. */
function click(link: object): Event {
  const event = new Event("click", { cancelable: true });
  const target = { closest: () => link };
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
  return event;
}

function navigate(navigationType: string, { cancelable = true } = {}): Event {
  const event = new Event("navigate", { cancelable });
  navigation.dispatchEvent(Object.assign(event, { navigationType, destination: { key: "k1" } }));
  return event;
}

const link = {
  target: "",
  origin: "https://turnpike.test",
  hash: "",
  pathname: "/tokens",
  search: "?a=1",
};

test("a command or a shortcut asks before it leaves a guarded page", () => {
  const go = vi.fn();
  leavePage(go);
  expect(go).not.toHaveBeenCalled();
  goWhereAsked();
  expect(go).toHaveBeenCalledOnce();
});

test("a page that asks no longer is left at once", () => {
  stop();
  const go = vi.fn();
  leavePage(go);
  expect(go).toHaveBeenCalledOnce();
  expect(navigate("traverse").defaultPrevented).toBe(false);
  expect(ask).not.toHaveBeenCalled();
});

test("a link within the page's origin asks; a new tab and another origin do not", () => {
  expect(click({ ...link, target: "_blank" }).defaultPrevented).toBe(false);
  expect(click({ ...link, origin: "https://else.test" }).defaultPrevented).toBe(false);
  expect(click(link).defaultPrevented).toBe(true);
  goWhereAsked();
  expect(push).toHaveBeenCalledWith("/tokens?a=1");
});

test("a link to the open page leaves nothing, and the next one asks", () => {
  const own = { ...link, pathname: "/plans/7", search: "?tab=settings" };
  expect(click(own).defaultPrevented).toBe(false);
  expect(ask).not.toHaveBeenCalled();
  expect(click({ ...own, search: "" }).defaultPrevented).toBe(true);
});

test("Back asks where the browser lets a page cancel it, and then goes there", () => {
  expect(navigate("push").defaultPrevented).toBe(false);
  expect(navigate("traverse", { cancelable: false }).defaultPrevented).toBe(false);
  expect(ask).not.toHaveBeenCalled();
  expect(navigate("traverse").defaultPrevented).toBe(true);
  goWhereAsked();
  expect(navigation.traverseTo).toHaveBeenCalledWith("k1");
});

test("a page with two forms that have unsaved edits asks once", () => {
  const first = vi.fn<(go: () => void) => void>();
  const stopFirst = guardPage(first, push);
  const stopSecond = guardPage(ask, push);
  click(link);
  expect(first).not.toHaveBeenCalled();
  goWhereAsked();
  expect(push).toHaveBeenCalledOnce();
  expect(navigate("traverse").defaultPrevented).toBe(false);
  stopSecond();
  stopFirst();
});
