import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import {
  createMarket,
  createTestService,
  TEST_ORIGIN,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { Payments } from "../../client/payments.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

let database: Database;
let service: TestService;
beforeAll(async () => {
  database = await openRuleStore();
  service = createTestService(database);
});
afterAll(() => database.close());

/** Two replicas of an agent, and whether A's verify is lost: before the service has it, or its answer. */
async function setUp() {
  const market = await createMarket(service, { credits: getFixedCreditsConfig(10n, 2n) });
  const stage = { lost: null as "request" | "answer" | null, ran: [] as string[] };
  const replica = (name: string, work: () => Response | Promise<Response>) => {
    const payments = Payments.getInstance({
      apiKey: market.builder.apiKey,
      baseUrl: TEST_ORIGIN,
      maxRetries: 0,
      async fetch(input, init) {
        const isCut = name === "A" && stage.lost && String(input).endsWith("/verify");
        const answer = isCut && stage.lost === "request" ? null : await service.fetch(input, init);
        if (isCut || !answer) throw new TypeError("connection reset");
        return answer;
      },
    });
    const gate = createGate(
      payments,
      { "POST /ask": { planId: market.planId, agentId: market.agentId } },
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} } },
    );
    const headers = { "payment-signature": market.token, "idempotency-key": "k-0123456789" };
    return () =>
      gate(new Request(market.endpoint, { method: "POST", headers }), () => {
        stage.ran.push(name);
        return work();
      });
  };
  const balance = async () => {
    const read = await market.subscriber.payments.plans.getPlanBalance(market.planId);
    return [read.balance, read.held];
  };
  return { stage, replica, balance };
}

test("T01: a replica whose verify was lost leaves alone what another one has reserved meanwhile", async () => {
  const { stage, replica, balance } = await setUp();
  const a = replica("A", () => {
    throw new Error("This work can't run twice.");
  });
  let finish = (_answer: Response) => {};
  const b = replica("B", () => new Promise<Response>((resolve) => (finish = resolve)));
  stage.lost = "request";
  expect((await a()).status).toBe(503);
  stage.lost = null;
  const delivered = b();
  await vi.waitFor(() => expect(stage.ran).toEqual(["B"]), { timeout: 10_000 });
  const refused = await a();
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({ code: "conflict", retryable: true }),
  ]);
  finish(new Response("done"));
  const receipt = decodeHeader((await delivered).headers.get("payment-response") ?? "");
  expect([stage.ran, receipt]).toEqual([["B"], expect.objectContaining({ success: true })]);
  expect(await balance()).toEqual([8n, 0n]);
});

test("T01: a replica finds what it reserved itself where the answer was lost, and no other one does", async () => {
  const { stage, replica, balance } = await setUp();
  const [a, b] = [replica("A", () => new Response("a")), replica("B", () => new Response("b"))];
  stage.lost = "answer";
  expect((await a()).status).toBe(503);
  stage.lost = null;
  expect((await b()).status).toBe(409);
  expect(await (await a()).text()).toBe("a");
  expect([stage.ran, await balance()]).toEqual([["A"], [8n, 0n]]);
});
