import { expect, test } from "vitest";
import { readViews, withoutView, withView } from "./views.ts";

const view = (name: string, query = "role=builder") => ({ name, query });

test("a view is kept under its name, replaced by one of that name, and deleted", () => {
  const two = readViews(withView(readViews(withView([], view("a"))), view("b")));
  expect(two).toEqual([view("a"), view("b")]);
  expect(readViews(withView(two, view("a", "role=subscriber")))).toEqual([
    view("b"),
    view("a", "role=subscriber"),
  ]);
  expect(readViews(withoutView(two, "a"))).toEqual([view("b")]);
});

test("a text that is not ours is no view, and twenty are kept", () => {
  expect([undefined, "", "{", '[{"name":1}]'].map(readViews)).toEqual([[], [], [], []]);
  let views = readViews(undefined);
  for (let n = 0; n < 25; n++) views = readViews(withView(views, view(`view ${n}`)));
  expect(views).toHaveLength(20);
  expect(views[0]?.name).toBe("view 5");
});
