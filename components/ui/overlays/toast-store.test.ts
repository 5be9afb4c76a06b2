import { expect, test } from "vitest";
import { createToastStore } from "./toast-store.ts";

const textsOf = (store: ReturnType<typeof createToastStore>) =>
  store.read().map(({ text }) => text);

test("the oldest of three gives way to the fourth", () => {
  const store = createToastStore();
  for (const text of ["a", "b", "c", "d"]) store.add({ text });
  expect(textsOf(store)).toEqual(["b", "c", "d"]);
});

test("one is dismissed by its id, and whoever listens is told until they leave", () => {
  const store = createToastStore();
  let told = 0;
  const leave = store.subscribe(() => {
    told += 1;
  });
  const id = store.add({ text: "a" });
  store.add({ text: "b" });
  store.dismiss(id);
  expect(textsOf(store)).toEqual(["b"]);
  leave();
  store.add({ text: "c" });
  expect(told).toBe(3);
});
