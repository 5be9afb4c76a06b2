import { call } from "../client/call.ts";
import type { Payments } from "../client/payments.ts";
import { loadRare } from "../client/rare-group.ts";
import { forgetPlan, readPlan, readPricedPlan } from "../client/resolve-scheme.ts";
import type { LeasedInput, Verification, VerifyInput } from "../protocol/permission.ts";
import { createLeases } from "./leases.ts";
import type { SettleJobInput } from "./queue/settlement-queue.ts";
import type { Report } from "./report/report.ts";

/** The service as the gate uses it: each call as patient as the one who waits for it. */
export type GateService = ReturnType<typeof createService>;

// A caller is waiting.
const PROMPT = { timeoutMs: 10_000, maxRetries: 1, endsAtTimeout: true, isOwn: true };
// A charge takes up to 20 seconds, on chain as by card. A caller who leaves before has a plan and no answer.
const ORDERING = { ...PROMPT, timeoutMs: 30_000 };
// Its caller repeats it: another answer would hide that the first one was lost.
const SETTLE = { timeoutMs: 30_000, maxRetries: 0 };
// The answer is ready and waits for its receipt alone.
const SETTLE_SOON = { ...PROMPT, timeoutMs: 5_000 };
// The journal has it for the next process.
const QUEUED = { ...SETTLE, isBackground: true };
const REPORT = { timeoutMs: 10_000, maxRetries: 0, isOwn: true };
const RENEW = { timeoutMs: 10_000, maxRetries: 2 };

const services = new WeakMap<Payments, GateService>();

/** What a gate needs of a client; the gates of one client share it, and so the reservations they renew. */
export function serviceOf(payments: Payments): GateService {
  const service = services.get(payments) ?? createService(payments);
  services.set(payments, service);
  return service;
}

function createService({ connection, facilitator, discovery }: Payments) {
  const { environment, schemeAliases, baseUrl, accountAddress } = connection;
  type Verify = SettleJobInput & Pick<VerifyInput, "agentRequestId" | "attemptId">;
  return {
    environment,
    schemeAliases,
    /** Whose settlements a queue keeps. */
    account: { baseUrl, accountAddress },
    leases: createLeases((agentRequestIds) =>
      facilitator.renewPermissions({ agentRequestIds }, RENEW),
    ),
    readPricedPlan: (price: string) => readPricedPlan(connection, price, PROMPT),
    readPlan: (planId: string) => readPlan(connection, planId, PROMPT),
    forgetPlan: (planId: string) => forgetPlan(connection, planId),
    /**
     * Verifies and reserves, and waits longer where it `mayOrder`. A request that its client named may come again: then it
     * has `markPaid`.
     */
    verify: (
      input: Verify,
      { mayOrder }: { mayOrder: boolean },
      _markPaid?: () => Promise<void>,
    ): Promise<Verification> =>
      facilitator.verifyPermissions({ reserve: true, ...input }, mayOrder ? ORDERING : PROMPT),
    settle: (input: SettleJobInput, isWithheld: boolean) =>
      facilitator.settlePermissions(input, isWithheld ? SETTLE : SETTLE_SOON),
    settleQueued: (input: SettleJobInput | LeasedInput) =>
      facilitator.settlePermissions(input, QUEUED),
    /** What fails of it is left to the queue. */
    settleBatch: async (items: LeasedInput[]) =>
      (await loadRare()).settleLeased(connection, items, SETTLE),
    /** Where leases come from. */
    facilitator,
    release: (agentRequestId: string) => facilitator.releasePermissions({ agentRequestId }, QUEUED),
    signOffers: discovery.signOffers,
    report: (report: Report) => call(connection, "reportRequests", report, REPORT),
  };
}
