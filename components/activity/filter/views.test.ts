import { expect, test } from "vitest";
import { faultOfName, readViews, withoutView, withView } from "./views.ts";

const view = (name: string, query = "role=builder") => ({ name, query });

test("a view is kept under its name, and deleted", () => {
  const two = readViews(withView(readViews(withView([], view("a"))), view("b")));
  expect(two).toEqual([view("a"), view("b")]);
  expect(readViews(withoutView(two, "a"))).toEqual([view("b")]);
});

test("a view is saved only under a new name, and while there is room", () => {
  expect(faultOfName([view("a")], "a")).toBe(
    "You already have a view named “a”. Choose another name, or delete that view first.",
  );
  expect(faultOfName([view("a")], "b")).toBeUndefined();
  const full = Array.from({ length: 20 }, (_, n) => view(`view ${n}`));
  expect(faultOfName(full, "b")).toBe("You have 20 views. Delete one to save another.");
  expect(faultOfName(full.slice(1), "b")).toBeUndefined();
  // What was saved before, in another tab too, is kept.
  expect(readViews(withView(full, view("b")))).toHaveLength(21);
});

test("a text that is not ours is no view", () => {
  expect([undefined, "", "{", '[{"name":1}]'].map(readViews)).toEqual([[], [], [], []]);
});
