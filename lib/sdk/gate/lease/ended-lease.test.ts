import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readToken } from "../authorize.ts";
import type { GateObserver } from "../observe.ts";
import type { SettlementQueue } from "../queue/settlement-queue.ts";
import { buildRequirement } from "../requirement.ts";
import type { GateService } from "../service.ts";
import type { Question } from "./lease-book.ts";
import { lend } from "./lend.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Item = { leaseId: string; agentRequestId: string };

/** A gate's service with leases, before a service that answers each item of a batch as `answer` says. */
function openService(answer: (item: Item) => object) {
  const calls: string[] = [];
  const renewals: GateObserver[] = [];
  const verification = { isValid: true, credits: "1", balance: "1000", agentRequestId: "req_own" };
  const facilitator = {
    leasePermissions: async ({ requests }: { requests: number }) => {
      calls.push("lease");
      return { leaseId: `lse_${calls.length}`, requests, seconds: 60, verification };
    },
  };
  const own = {
    facilitator,
    settleBatch: async (items: Item[]) => ({ items: items.map(answer) }),
    leases: {
      hold(_id: string, observe: GateObserver) {
        renewals.push(observe);
        return () => {};
      },
    },
    async verify() {
      calls.push("verify");
      return verification;
    },
    settle: async () => ({ success: true }),
    release: async () => void calls.push("release"),
  } as unknown as GateService;
  const queue: SettlementQueue = { start: () => {}, add: () => {} };
  const parts = { service: own, queue, logger: { error: () => {} }, readToken, buildRequirement };
  const { service } = lend(parts, { credits: 100, seconds: 60 }, undefined);
  /** A call whose work succeeds; who allowed it. */
  async function call(url = "/ask"): Promise<"lease" | "verify"> {
    const asked = { x402AccessToken: "a", maxAmount: "1", paymentRequired: { resource: { url } } };
    const before = calls.filter((each) => each === "verify").length;
    const verified = await service.verify(asked as unknown as Question, { mayOrder: false });
    const isVerified = calls.filter((each) => each === "verify").length > before;
    const { agentRequestId = "" } = verified as { agentRequestId?: string };
    await service.settle({ ...asked, agentRequestId } as never, false);
    await vi.advanceTimersByTimeAsync(20);
    return isVerified ? "verify" : "lease";
  }
  const callTimes = async (count: number, url?: string) => {
    const allowed: string[] = [];
    for (let index = 0; index < count; index++) allowed.push(await call(url));
    return allowed;
  };
  return { callTimes, calls, renewals };
}

const paid = () => ({ success: true });
const over = () => ({ success: false, errorReason: "conflict" });
const leasesIn = (calls: string[]) => calls.filter((call) => call === "lease").length;

test("a lease whose reservation the renewal does not find decides no more calls", async () => {
  const { callTimes, renewals } = openService(paid);
  expect(await callTimes(4)).toEqual(["verify", "verify", "lease", "lease"]);
  for (const outcome of ["repeated", "given-up"] as const) {
    const [observe] = renewals;
    await observe?.({ type: "job", job: "renewal", agentRequestId: "lse_1", outcome });
    const isOver = outcome === "given-up";
    expect(await callTimes(2)).toEqual(isOver ? ["verify", "verify"] : ["lease", "lease"]);
  }
});

test("a token whose leases end at once is asked for another after half a minute, whatever URLs are called", async () => {
  const { callTimes, calls } = openService(over);
  await callTimes(2, "/other");
  expect(await callTimes(5)).toEqual(["verify", "verify", "verify", "verify", "verify"]);
  expect(await callTimes(2, "/other")).toEqual(["lease", "verify"]);
  calls.length = 0;
  for (const url of ["/ask", "/other"]) await callTimes(20, url);
  expect([leasesIn(calls), calls.length]).toEqual([0, 40]);
  await vi.advanceTimersByTimeAsync(30_000);
  await callTimes(20);
  expect(leasesIn(calls)).toBe(1);
});

test("a settlement that fails for now, or for its id alone, leaves its lease in use", async () => {
  const reasons = ["internal", "settlement_pending", "idempotency_conflict"];
  const { callTimes } = openService(() => ({ success: false, errorReason: reasons.pop() }));
  expect(await callTimes(6)).toEqual(["verify", "verify", "lease", "lease", "lease", "lease"]);
});
