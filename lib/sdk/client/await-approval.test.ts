import { expect, test } from "vitest";
import { longTest } from "@/lib/testing/in-full.ts";
import { createGate } from "../gate/gate.ts";
import {
  apiKeyOf,
  createFakeService,
  planOf,
  refusal,
  SUBSCRIBER,
} from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

/**
 * A gated agent whose service waits for a person, who decides at the `decidedAt`th look. `fail` may answer a look in place
 * of the decision.
 */
function setUp(
  status: "approved" | "declined",
  decidedAt: number,
  fail: (look: number) => Response | null = () => null,
) {
  const service = createFakeService([planOf("42")]);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.endsWith("/approvals/app_1")) return service.fetch(request);
      looks += 1;
      const failed = fail(looks);
      if (failed) return failed;
      return Response.json(approval(looks < decidedAt ? "pending" : status));
    },
  });
  let looks = 0;
  const verify = service.handlers.verify;
  service.handlers.verify = (call) => {
    if (looks >= decidedAt && status === "approved") return verify?.(call);
    return {
      isValid: false,
      invalidReason: "insufficient_balance",
      invalidMessage: "This request waits for a person’s approval.",
      cause: status === "declined" && looks >= decidedAt ? "approval_declined" : "pending_approval",
      approval: { approvalId: "app_1", url: "https://service.test/approvals/app_1" },
      error: "insufficient_balance",
    };
  };
  const gate = createGate(payments, { "POST /ask": { planId: "42" } });
  const ask = (approvalTimeoutMs?: number) =>
    payments.fetch(
      "http://agent.test/ask",
      { method: "POST", body: "hello" },
      {
        fetch: (request) => gate(request, async (each) => new Response(await each.text())),
        ...(approvalTimeoutMs && { approvalTimeoutMs }),
      },
    );
  return { ask, looks: () => looks };
}

const approval = (status: string) => ({
  approvalId: "app_1",
  status,
  reason: "amount",
  planId: "42",
  planName: "Starter",
  builder: "0x000000000000000000000000000000000000dEaD",
  call: "POST /ask",
  maxCents: "6400",
  maxCredits: "1",
  history: { orders: 0, approved: 0, declined: 0 },
  createdAt: "2026-01-31T12:00:00.000Z",
  expiresAt: "2026-01-31T12:30:00.000Z",
});

test("fetch waits until a person approves the request, and pays then", async () => {
  const { ask, looks } = setUp("approved", 3);
  const { response, receipt } = await ask(20_000);
  expect(await response.text()).toBe("hello");
  expect(receipt).toMatchObject({ success: true });
  expect(looks()).toBe(3);
});

test("without a time to wait the 402 comes back at once, with the decision it waits for", async () => {
  const { ask, looks } = setUp("approved", 1);
  const { response } = await ask();
  expect(response.status).toBe(402);
  expect(await response.json()).toMatchObject({
    cause: "pending_approval",
    approval: { approvalId: "app_1" },
  });
  expect(looks()).toBe(0);
});

test("a declined request, and one decided too late, come back as 402", async () => {
  const declined = setUp("declined", 1);
  expect((await declined.ask(20_000)).response.status).toBe(402);
  const late = setUp("approved", 1_000);
  expect((await late.ask(300)).response.status).toBe(402);
  expect(late.looks()).toBeLessThan(6);
});

test.each<[string, () => Response]>([
  [
    "be reached",
    () => {
      throw new TypeError("connection refused");
    },
  ],
  ["answer", () => refusal(503, "unavailable")],
  ["answer as often", () => refusal(429, "rate_limited")],
])("fetch goes on waiting while the service cannot %s", async (_, fail) => {
  // Each look is repeated twice before it fails.
  const { ask } = setUp("approved", 4, (look) => (look < 4 ? fail() : null));
  expect((await ask(20_000)).response.status).toBe(200);
});

test("fetch stops waiting where the service refuses to tell the decision", async () => {
  const { ask, looks } = setUp("approved", 2, () => refusal(403, "forbidden"));
  await expect(ask(20_000)).rejects.toMatchObject({ code: "forbidden" });
  expect(looks()).toBe(1);
});

longTest("a service that is never reached ends the wait in time, with the 402", async () => {
  const { ask } = setUp("approved", 1_000, () => refusal(503, "unavailable"));
  expect((await ask(1_500)).response.status).toBe(402);
});
