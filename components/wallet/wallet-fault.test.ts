import { expect, test } from "vitest";
import { readWalletFault } from "./wallet-fault.ts";

test.each([
  ["a closed request", { code: 4001 }, "rejected"],
  ["a closed request a library wrapped", new Error("x", { cause: { code: 4001 } }), "rejected"],
  ["a locked wallet", { code: 4100 }, "locked"],
  ["a wallet that is busy", { cause: { cause: { code: -32002 } } }, "pending"],
  ["anything else", new Error("boom"), "failed"],
  ["no error at all", null, "failed"],
])("%s", (_, cause, fault) => {
  expect(readWalletFault(cause)).toBe(fault);
});
