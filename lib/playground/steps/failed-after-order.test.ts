import { expect, test } from "vitest";
import { bannerOf } from "../banner.ts";
import type { Exchange } from "../exchange.ts";
import { describeOutcome } from "../outcomes.ts";
import { idleStep, type Run } from "../run.ts";
import type { Permission } from "./choose-permission.ts";
import { requestWithPayment } from "./request-with-payment.ts";
import type { StepContext } from "./step.ts";

/** The step of a call that the agent failed, behind a gate that released its credits. */
function fail(topsUp: boolean, status: number) {
  const headers = [["payment-request-id", "req_1"]];
  const answer = { status, headers, body: "down", bytes: 4, cut: null };
  const context = {
    input: { method: "GET", url: "https://agent.example/ask", headers: [], body: null },
    transport: async (request: object) =>
      ({ request, answer, failure: null }) as unknown as Exchange,
    service: { account: "0x1", findRequest: async () => ({ moneyStatus: "not-charged" }) },
    onProgress: () => {},
    onPartial: () => {},
  } as unknown as StepContext;
  const permission = { token: "token", exact: null } as unknown as Permission;
  return requestWithPayment(context, { permission, verified: { verdict: "valid", topsUp } });
}

test.each([500, 400])(
  "an agent that answers %i after an order leaves what it bought",
  async (status) => {
    const { outcome, values } = await fail(true, status);
    const ordered = "The plan was ordered for this call. What it bought remains.";
    expect(describeOutcome(outcome, values).verdict).toContain(ordered);
    const step = { ...idleStep("pay"), outcome, values };
    expect(bannerOf({ steps: [step], money: "not-charged" } as unknown as Run).sentence).toContain(
      ordered,
    );
    const unordered = await fail(false, status);
    expect(describeOutcome(unordered.outcome, unordered.values).verdict).not.toContain("ordered");
  },
);
