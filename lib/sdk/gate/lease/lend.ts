import { randomId } from "../../client/random-id.ts";
import type { Outcomes } from "../../protocol/operations/rare-permissions.ts";
import type { LeasedInput, Settlement } from "../../protocol/permission.ts";
import type { GateOptions } from "../gate-options.ts";
import type { Logger } from "../logger.ts";
import type { SettlementJob, SettlementQueue } from "../queue/settlement-queue.ts";
import { tryQueue } from "../queue/try-queue.ts";
import type { AnswerStore } from "../repeats/answer-store.ts";
import type { GateService } from "../service.ts";
import { type BuildRequirement, buildOnce } from "./known-requirements.ts";
import { type ReadToken, readOnce } from "./known-tokens.ts";
import { createLeaseBook, endLease, type Lease } from "./lease-book.ts";

/** How long answered calls are collected before they are settled together. */
const COLLECT_MS = 20;
const MAX_BATCH = 500;
/** What the service says of a call whose lease has expired, was released, or is not known. */
const IS_OVER = "conflict";

/** What calls are authorized and charged through. */
type Parts = { service: GateService; queue: SettlementQueue; logger: Logger };
/** What calls are read by. */
export type Reading = { readToken: ReadToken; buildRequirement: BuildRequirement };
type Owed = { lease: Lease; job: ReturnType<typeof jobOf> };
/** A call that a lease decided. */
type Taken = { lease: Lease; markPaid: (() => Promise<void>) | undefined };

/**
 * The gate's parts with leases in front: what a lease decides never reaches the service until it is settled, and of what its calls
 * have in common nothing is read or built twice.
 */
export const lend = (
  given: Parts & Reading,
  options: NonNullable<GateOptions["lease"]>,
  answers: AnswerStore | undefined,
): Pick<Parts, "service" | "queue"> & Reading => ({
  readToken: readOnce(given.readToken),
  buildRequirement: buildOnce(given.buildRequirement),
  ...payByLease(given, options, answers),
});

/**
 * The gate's service and queue: what a lease decides is noted in the queue's journal, and settled later. Everything else goes
 * through as it was. `answers` is what the gate's processes share, so that a request which its client named is worked on
 * once; without it such a request is verified. At the service such a request has a new id: under the client's, one that
 * `answers` has forgotten would be settled already, and be free. It is marked as paid before the journal has it: the process
 * may die before its answer is kept.
 */
function payByLease(
  { service, queue, logger }: Parts,
  options: NonNullable<GateOptions["lease"]>,
  answers: AnswerStore | undefined,
): Pick<Parts, "service" | "queue"> {
  const taken = new Map<string, Taken>();
  const owed = new Set<string>();
  const book = createLeaseBook(service, options, createRenewals(service));
  const settleSoon = createBatches(async (batch) => {
    await settleAll({ service, queue, logger }, batch);
    for (const { lease, job } of batch) {
      owed.delete(job.agentRequestId);
      lease.open -= 1;
    }
  });

  const leasedJob = (job: SettlementJob): SettlementJob => {
    const { agentRequestId, kind } = job;
    const lease = taken.get(agentRequestId)?.lease;
    return lease && kind === "settle" ? jobOf({ leaseId: lease.leaseId, agentRequestId }) : job;
  };

  return {
    service: {
      ...service,
      leases: {
        // Its lease is renewed for all of them.
        hold: (id, observe) => (taken.has(id) ? () => {} : service.leases.hold(id, observe)),
      },
      verify(question, options, markPaid) {
        // The service knows a signed request by its nonce, and charges it once. A leased one has a new id there.
        const mayLease = !question.proof && (!markPaid || answers !== undefined);
        const lease = mayLease ? book.take(question) : null;
        if (!lease) {
          return service.verify(question, options).then((verification) => {
            if (mayLease && verification.isValid) book.note(question);
            return verification;
          });
        }
        const agentRequestId = (!markPaid && question.agentRequestId) || randomId("req_");
        taken.set(agentRequestId, { lease, markPaid });
        return Promise.resolve({ ...lease.verification, agentRequestId });
      },
      async settle(input, isWithheld) {
        const { agentRequestId = "" } = input;
        const call = taken.get(agentRequestId);
        if (!call) return service.settle(input, isWithheld);
        const { lease, markPaid } = call;
        const job = jobOf({ leaseId: lease.leaseId, agentRequestId });
        if (markPaid) await markPaid();
        await tryQueue(logger, agentRequestId, "note a settle", () => queue.note?.(job));
        taken.delete(agentRequestId);
        owed.add(agentRequestId);
        settleSoon({ lease, job });
        return settlementOf(lease, agentRequestId);
      },
      async release(agentRequestId) {
        const lease = taken.get(agentRequestId)?.lease;
        if (!lease) return service.release(agentRequestId);
        taken.delete(agentRequestId);
        lease.left += 1;
        lease.open -= 1;
        return { success: true, released: lease.verification.credits };
      },
    },
    queue: {
      start: (run, giveUp) => queue.start(run, giveUp),
      add: (job) => queue.add(leasedJob(job)),
      async note(job) {
        await taken.get(job.agentRequestId)?.markPaid?.();
        await queue.note?.(leasedJob(job));
      },
      // What is owed is kept until its batch is settled.
      forget: (job) => (owed.has(job.agentRequestId) ? undefined : queue.forget?.(job)),
    },
  };
}

/** Renews the reservation of each lease until its end, and then releases what is left of it. */
function createRenewals({ leases, release }: Pick<GateService, "leases" | "release">) {
  const renewing = new Map<Lease, () => void>();
  return {
    begin: (lease: Lease) =>
      void renewing.set(
        lease,
        leases.hold(lease.leaseId, (event) => {
          if (event.type === "job" && event.outcome === "given-up") endLease(lease);
        }),
      ),
    end(lease: Lease) {
      renewing.get(lease)?.();
      renewing.delete(lease);
      // What the queue still has to settle needs its credits; they return when the reservation expires.
      if (lease.left > 0 && !lease.isInQueue) void release(lease.leaseId).catch(() => {});
    },
  };
}

const jobOf = (input: LeasedInput) =>
  ({ kind: "settle", agentRequestId: input.agentRequestId, input }) as const;

/** Settles what is owed in one request; what fails or has no answer is left to the queue. */
async function settleAll({ service, queue, logger }: Parts, batch: Owed[]): Promise<void> {
  const answers = await service
    .settleBatch(batch.map(({ job }) => job.input))
    .then(({ items }) => items)
    .catch((): Outcomes["items"] => []);
  await Promise.all(
    batch.map(({ lease, job }, index) => {
      const trying = (what: string, act: () => unknown) =>
        tryQueue(logger, job.agentRequestId, what, act);
      const answer = answers[index];
      if (answer?.success) return trying("drop a note", () => queue.forget?.(job));
      if (answer?.errorReason === IS_OVER) endLease(lease);
      lease.isInQueue = true;
      return trying("take a settle", () => queue.add(job));
    }),
  );
}

/** Collects what is owed, and sends it in batches, one after another. */
function createBatches(send: (batch: Owed[]) => Promise<void>): (owed: Owed) => void {
  let waiting: Owed[] = [];
  let isSending = false;
  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      await send(batch).catch(() => {});
    }
    isSending = false;
  }
  return (owed) => {
    waiting.push(owed);
    if (isSending) return;
    isSending = true;
    setTimeout(sendAll, COLLECT_MS);
  };
}

/** The receipt of a call that its lease pays for: it is settled within moments, so it names no transaction yet. */
function settlementOf({ verification, size, left }: Lease, agentRequestId: string): Settlement {
  const { payer, network, planId, credits, balance } = verification;
  const remaining = BigInt(balance) - BigInt(credits) * BigInt(size - left);
  const remainingBalance = String(remaining > 0n ? remaining : 0n);
  const receipt = { creditsRedeemed: credits, remainingBalance, agentRequestId, planId };
  return {
    success: true,
    payer,
    transaction: "",
    network,
    ...receipt,
    txHash: "",
    amount: credits,
    extra: { ...receipt, settlementId: "", chainStatus: "pending" },
  };
}
