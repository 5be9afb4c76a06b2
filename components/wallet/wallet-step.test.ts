import { expect, test } from "vitest";
import { walletStep } from "./wallet-step.ts";

test.each([
  [{ isConnected: false }, "connect"],
  [{ isConnected: true, address: "0xB", chainId: 8453 }, "switch-account"],
  [{ isConnected: true, address: "0xa", chainId: 1 }, "switch-network"],
  [{ isConnected: true, address: "0xa", chainId: 8453 }, "sign"],
] as const)("%j leads to %s", (wallet, step) => {
  expect(walletStep(wallet, "0xA", 8453)).toBe(step);
});
