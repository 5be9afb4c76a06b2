import { expect, test } from "vitest";
import { queuePages } from "./queue-pages.ts";

const side = "role=subscriber&range=7d";

test("every request of a long queue can be reached, under the side and range of the other views", () => {
  expect(queuePages({ side }, "after-50")).toEqual({
    newest: undefined,
    older: "/activity/reconcile?role=subscriber&range=7d&cursor=after-50",
  });
  expect(queuePages({ side, cursor: "after-50" }, undefined)).toEqual({
    newest: "/activity/reconcile?role=subscriber&range=7d",
    older: undefined,
  });
});
