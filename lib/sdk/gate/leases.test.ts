import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Payments } from "../client/payments.ts";
import {
  apiKeyOf,
  BUILDER,
  createFakeService,
  refusal,
  tokenTextOf,
} from "../test-support/fake-service.ts";
import { createGate } from "./gate.ts";
import type { JobEvent } from "./observe.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

function setUp() {
  const service = createFakeService();
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(BUILDER),
    fetch: service.fetch,
    maxRetries: 0,
  });
  const events: JobEvent[] = [];
  const startGate = () =>
    createGate(
      payments,
      { "POST /ask": { planId: "42" } },
      {
        queue: createMemoryQueue(),
        report: false,
        logger: { error: () => {} },
        observe: (event) => void (event.type === "job" && events.push(event)),
      },
    );
  const finishers: (() => void)[] = [];
  const ask = (gate = startGate()) =>
    gate(
      new Request("http://agent.test/ask", {
        method: "POST",
        headers: { "payment-signature": tokenTextOf("42") },
      }),
      () => new Promise((resolve) => finishers.push(() => resolve(new Response("done")))),
    );
  const renewals = () =>
    service.called("renew").map(({ body }) => body.agentRequestIds as string[]);
  return { service, events, startGate, ask, finishers, renewals };
}

describe("the reservations of work under way", () => {
  test("are renewed once a minute, all of a process in one call, until the work ends", async () => {
    const { ask, startGate, finishers, renewals, service } = setUp();
    const gate = startGate();
    const asking = [ask(gate), ask(gate), ask()];
    await expect.poll(() => finishers.length).toBe(3);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await expect.poll(() => renewals().length).toBe(1);
    const verified = service.called("verify").map(({ body }) => body.agentRequestId);
    expect(renewals()[0]?.toSorted()).toEqual(verified.toSorted());
    finishers[0]?.();
    await Promise.race(asking);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await expect.poll(() => renewals().map(({ length }) => length)).toEqual([3, 2]);
    for (const finish of finishers) finish();
    await Promise.all(asking);
  });

  test("cost no call and no timer while there is no work", async () => {
    const { ask, finishers, renewals } = setUp();
    expect(vi.getTimerCount()).toBe(0);
    const asking = ask();
    await expect.poll(() => finishers.length).toBe(1);
    expect(vi.getTimerCount()).toBe(1);
    finishers[0]?.();
    await asking;
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect([vi.getTimerCount(), renewals()]).toEqual([0, []]);
  });

  test("a renewal that fails is reported and repeated, and fails no request", async () => {
    const { ask, finishers, renewals, service, events } = setUp();
    const { renew } = service.handlers;
    service.handlers.renew = () => refusal(500, "internal");
    const asking = ask();
    await expect.poll(() => finishers.length).toBe(1);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await expect.poll(() => events.length).toBe(1);
    expect(events).toMatchObject([{ job: "renewal", outcome: "repeated" }]);
    if (renew) service.handlers.renew = renew;
    await vi.advanceTimersByTimeAsync(MINUTE);
    await expect.poll(() => renewals().length).toBe(2);
    finishers[0]?.();
    expect((await asking).status).toBe(200);
  });

  test("a reservation that has ended is reported, and renewed no more", async () => {
    const { ask, finishers, renewals, service, events } = setUp();
    service.handlers.renew = ({ body }) => ({
      items: (body.agentRequestIds as string[]).map((agentRequestId) => ({
        agentRequestId,
        state: "expired",
      })),
    });
    const asking = ask();
    await expect.poll(() => finishers.length).toBe(1);
    await vi.advanceTimersByTimeAsync(MINUTE);
    await expect.poll(() => events.length).toBe(1);
    expect(events).toMatchObject([{ job: "renewal", outcome: "given-up", reason: "expired" }]);
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(renewals()).toHaveLength(1);
    finishers[0]?.();
    expect((await asking).status).toBe(200);
  });
});
