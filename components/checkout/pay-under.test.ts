import { expect, test, vi } from "vitest";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { payUnder } from "./pay-under.ts";
import type { PayOutcome } from "./read-pay-answer.ts";

const offer = { version: 2, price: "2.00 USDC", terms: "", unit: "" };

async function pay(data: PayOutcome) {
  const answer: ActionAnswer<PayOutcome> = { ok: true, data };
  const send = vi.fn(async () => answer);
  const revoke = vi.fn(async () => answer);
  expect(await payUnder("d1", send, revoke)).toBe(answer);
  expect(send).toHaveBeenCalledExactlyOnceWith({ delegationId: "d1" });
  return revoke;
}

test("a delegation that was signed for a price that has changed is revoked", async () => {
  expect(await pay({ changed: offer })).toHaveBeenCalledExactlyOnceWith({
    delegationId: "d1",
  });
});

test("one that paid, or may have, stays", async () => {
  for (const data of [{ orderId: "o1" }, { isLost: true }] as const) {
    expect(await pay(data)).not.toHaveBeenCalled();
  }
});
