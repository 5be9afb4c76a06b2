import { expect, test } from "vitest";
import { createToastStore, isTimed } from "./toast-store.ts";

const textsOf = (store: ReturnType<typeof createToastStore>) =>
  store.read().map(({ text }) => text);

test("drops the oldest of three for a fourth", () => {
  const store = createToastStore();
  for (const text of ["a", "b", "c", "d"]) store.add({ text });
  expect(textsOf(store)).toEqual(["b", "c", "d"]);
});

test("dismisses by id, and notifies listeners until they unsubscribe", () => {
  const store = createToastStore();
  let calls = 0;
  const leave = store.subscribe(() => {
    calls += 1;
  });
  const id = store.add({ text: "a" });
  store.add({ text: "b" });
  store.dismiss(id);
  expect(textsOf(store)).toEqual(["b"]);
  leave();
  store.add({ text: "c" });
  expect(calls).toBe(3);
});

test("a message that stays, or that offers an action, is not timed", () => {
  const action = { label: "Undo", run: () => {} };
  expect([isTimed({}), isTimed({ stays: true }), isTimed({ action })]).toEqual([
    true,
    false,
    false,
  ]);
});
