import { expect, test } from "vitest";
import { changedFields, listChanges, withListChanges } from "./changes.ts";

test("only fields that differ from what was saved are changes", () => {
  const saved = { name: "A", tags: ["a"], days: 14, isOn: true };
  expect(changedFields(saved, { ...saved, tags: ["a"] })).toEqual({});
  expect(changedFields(saved, { ...saved, tags: [], days: 0 })).toEqual({ tags: [], days: 0 });
});

test("an edit of an old list keeps what others added and removed since", () => {
  const edit = listChanges(["a", "b", "c"], ["b", "c", "d"]);
  expect(edit).toEqual({ added: ["d"], removed: ["a"] });
  // Since the page was read "c" was removed and "e" added.
  expect(withListChanges(["a", "b", "e"], edit)).toEqual(["b", "e", "d"]);
  expect(withListChanges(["d"], edit)).toEqual(["d"]);
});
