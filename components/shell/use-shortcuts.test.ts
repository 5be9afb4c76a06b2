import { beforeEach, expect, test, vi } from "vitest";
import { createPress } from "./use-shortcuts.ts";

let ran: string[] = [];
let dialogs: string[] = [];

beforeEach(() => {
  ran = [];
  dialogs = [];
  // The palette is a dialog with `cmdk-root` inside, which the selector leaves out.
  vi.stubGlobal("document", {
    querySelector: (selector: string) => {
      const leftOut = selector.includes(":not(:has([cmdk-root]))") ? "palette" : "";
      return dialogs.find((name) => name !== leftOut) ?? null;
    },
  });
});

const shortcuts = {
  n: () => ran.push("new"),
  "g h": () => ran.push("home"),
  "mod+k": () => ran.push("palette"),
};

/** Presses keys; `consumed` are those that the page's own handlers take. */
function pressAll(keys: string[], { isText = false, apartMs = 100, consumed = "" } = {}) {
  const { second, single } = createPress(
    () => shortcuts,
    () => isText,
  );
  for (const [index, name] of keys.entries()) {
    const event = {
      key: name.replace("mod+", ""),
      ctrlKey: name.startsWith("mod+"),
      timeStamp: index * apartMs,
      target: null,
      defaultPrevented: false,
      preventDefault: () => {
        event.defaultPrevented = true;
      },
    };
    second(event);
    if (consumed === event.key) event.preventDefault();
    single(event);
  }
  return ran;
}

test("a key, two keys within a second, and a key with its modifier run their shortcuts", () => {
  expect(pressAll(["n", "g", "h", "mod+k"])).toEqual(["new", "home", "palette"]);
});

test("two keys more than a second apart are no sequence", () => {
  expect(pressAll(["g", "h"], { apartMs: 1_500 })).toEqual([]);
});

test("a text field takes single keys; those with a modifier keep working", () => {
  expect(pressAll(["n", "mod+k"], { isText: true })).toEqual(["palette"]);
});

test("a key that the page takes is no shortcut, unless it completes one", () => {
  expect(pressAll(["h"], { consumed: "h" })).toEqual([]);
  expect(pressAll(["n"], { consumed: "n" })).toEqual([]);
  expect(pressAll(["g", "h"], { consumed: "h" })).toEqual(["home"]);
});

test("an open dialog lets no shortcut act on the page beneath it", () => {
  dialogs = ["Revoke delegation?"];
  expect(pressAll(["n", "g", "h", "mod+k"])).toEqual([]);
});

test("the palette is closed by the shortcut that opened it", () => {
  dialogs = ["palette"];
  expect(pressAll(["mod+k"])).toEqual(["palette"]);
});
