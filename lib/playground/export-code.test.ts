import type { PaymentOffer, X402PaymentRequired } from "@turnpike/payments/protocol";
import { expect, test } from "vitest";
import { exactCentsOf } from "./export-code.ts";

const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const offer = (changes: Partial<PaymentOffer> = {}): PaymentOffer => ({
  scheme: "exact",
  network: "eip155:84532",
  amount: "12500",
  asset: USDC,
  payTo: "0x000000000000000000000000000000000000dEaD",
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
  ...changes,
});
const requirement = (...accepts: PaymentOffer[]): X402PaymentRequired => ({
  x402Version: 2,
  accepts,
});
const other = { asset: `0x${"77".repeat(20)}`, amount: "20000000000000000" };
const onSolana = { network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", amount: "900000" };

test.each<[string, X402PaymentRequired | null, string | undefined]>([
  ["USDC", requirement(offer()), "2"],
  ["a token of unknown worth", requirement(offer(other)), undefined],
  ["the first offer that a run can pay", requirement(offer(onSolana), offer()), "2"],
  ["plans beside it", requirement(offer({ scheme: "svc:erc4337" }), offer()), undefined],
  ["no requirement", null, undefined],
])("the limit of a snippet: %s", (_, given, cents) => {
  expect(exactCentsOf(given)).toBe(cents);
});
