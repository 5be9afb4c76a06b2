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
import { createLeases } from "./leases.ts";
import type { JobEvent } from "./observe.ts";
import { createMemoryQueue } from "./queue/memory-queue.ts";
import { serviceOf } from "./service.ts";

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

describe("leases on their own", () => {
  type State = "held" | "posted" | "released" | "expired" | "unknown";

  /** Leases over a service that answers by id, or fails. */
  function createBench(stateOf: (id: string) => State | Error = () => "held") {
    const calls: string[][] = [];
    const told: string[] = [];
    const leases = createLeases(async (agentRequestIds) => {
      calls.push(agentRequestIds);
      const items = agentRequestIds.map((agentRequestId) => {
        const state = stateOf(agentRequestId);
        if (state instanceof Error) throw state;
        return { agentRequestId, state };
      });
      return { items };
    });
    const hold = (id: string) =>
      leases.hold(id, (event) => {
        if (event.type !== "job") return;
        told.push(`${event.job} ${event.agentRequestId} ${event.outcome} ${event.reason}`);
      });
    return { calls, told, hold };
  }
  const passMinute = () => vi.advanceTimersByTimeAsync(MINUTE);

  test("are renewed a thousand in one call", async () => {
    const { calls, hold } = createBench();
    for (let count = 0; count < 2_001; count++) hold(`id-${count}`);
    await passMinute();
    expect(calls.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
    expect(calls.flat()).toEqual(Array.from({ length: 2_001 }, (_, count) => `id-${count}`));
  });

  test("are not renewed before a minute has passed, and every minute then", async () => {
    const { calls, hold } = createBench();
    hold("a");
    await vi.advanceTimersByTimeAsync(MINUTE - 1);
    expect(calls).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    await passMinute();
    expect(calls).toEqual([["a"], ["a"]]);
  });

  test("share one timer, which ends with the last of them and starts again with the next", async () => {
    const { calls, hold } = createBench();
    const releases = [hold("a"), hold("b")];
    expect(vi.getTimerCount()).toBe(1);
    for (const release of releases) release();
    await passMinute();
    expect(vi.getTimerCount()).toBe(0);
    hold("c");
    expect(vi.getTimerCount()).toBe(1);
    await passMinute();
    expect(calls).toEqual([["c"]]);
  });

  test("end silently when their request was settled or released, and are reported when they were lost", async () => {
    const states: Record<string, State> = {
      a: "held",
      b: "posted",
      c: "released",
      d: "expired",
      e: "unknown",
    };
    const { calls, told, hold } = createBench((id) => states[id] ?? "unknown");
    for (const id of Object.keys(states)) hold(id);
    await passMinute();
    await passMinute();
    expect(calls[1]).toEqual(["a"]);
    expect(told).toEqual(["renewal d given-up expired", "renewal e given-up unknown"]);
  });

  test("are all reported as repeated when a call fails, with its reason, and are kept", async () => {
    let failure: Error | null = new Error("service away");
    const { calls, told, hold } = createBench(() => failure ?? "held");
    hold("a");
    hold("b");
    await passMinute();
    expect(told).toEqual(["renewal a repeated service away", "renewal b repeated service away"]);
    failure = null;
    await passMinute();
    expect(calls[1]).toEqual(["a", "b"]);
  });

  test("that ended while a call failed are not reported", async () => {
    const { told, hold } = createBench(() => new Error("service away"));
    const release = hold("a");
    const minute = passMinute();
    release();
    await minute;
    expect(told).toEqual([]);
  });

  test("are one for all gates of a client", () => {
    const createClient = () => Payments.getInstance({ apiKey: apiKeyOf(BUILDER) });
    const client = createClient();
    expect(serviceOf(client).leases).toBe(serviceOf(client).leases);
    expect(serviceOf(createClient()).leases).not.toBe(serviceOf(client).leases);
  });
});
