import { expect, test } from "vitest";
import { withdrawalTarget } from "./withdrawal-target.ts";

const address = (name: string, isUsable = true) => ({
  address: name,
  createdAt: "2026-11-21T14:02:11.000Z",
  usableAt: "2026-11-22T14:02:11.000Z",
  isUsable,
  uses: 0,
});
const target = (chosen: string | undefined, isUnknown = false) =>
  withdrawalTarget({ items: [address("0xa"), address("0xb", false)], chosen, isUnknown });

test("a withdrawal goes to the chosen address, and nowhere once that was removed or has to wait", () => {
  expect(target("0xa")).toBe("0xa");
  expect(target("0xremoved")).toBeUndefined();
  expect(target("0xb")).toBeUndefined();
  expect(target(undefined)).toBeUndefined();
});

test("the status of a withdrawal can be checked after its address was removed", () => {
  expect(target("0xremoved", true)).toBe("0xremoved");
});
