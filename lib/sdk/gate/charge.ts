import type { Payments } from "../client/payments.ts";
import { InvalidReason } from "../protocol/error-envelope.ts";
import { ERRORS, PaymentsError } from "../protocol/errors.ts";
import type { Settlement } from "../protocol/permission.ts";
import type { Logger } from "./logger.ts";
import type { GateObserver } from "./observe.ts";
import type { Payment } from "./payment.ts";
import type {
  RunJob,
  SettleJobInput,
  SettlementJob,
  SettlementQueue,
} from "./queue/settlement-queue.ts";

/** What is owed for one verified request, and the two ways to close it. */
export type Charge = {
  /** Burns the credits. A failure is logged and returned: `success: false`. */
  settle(onFailure: "retry" | "release"): Promise<Settlement>;
  /** Releases the reserved credits; waits at most a second and never throws. */
  release(): Promise<void>;
};

type ChargeContext = {
  facilitator: Payments["facilitator"];
  queue: SettlementQueue;
  observe: GateObserver;
  logger: Logger;
};

const SETTLE_CALL = { timeoutMs: 30_000, maxRetries: 1 };
const RELEASE_WAIT_MS = 1000;

/**
 * Starts the queue, and makes the charge of each request that passed verification (§3 steps 6 to 9).
 */
export function createCharges(context: ChargeContext) {
  const { queue, observe, logger } = context;
  queue.start(runSettlementJob(context), ({ kind: job, agentRequestId }, reason) => {
    logger.error(`Gave up a ${job} in the background.`, { agentRequestId, reason });
    observe({ type: "job", job, agentRequestId, outcome: "given-up", reason });
  });
  return (input: ChargeInput, payment: Payment): Charge => createCharge(context, input, payment);
}

type ChargeInput = SettleJobInput & { agentRequestId: string };

function createCharge(
  context: ChargeContext,
  input: ChargeInput,
  { payer, planId, verification: { network } }: Payment,
): Charge {
  const { facilitator, queue, observe, logger } = context;
  const { agentRequestId } = input;

  // A failing queue must not fail the answer.
  async function enqueue(job: SettlementJob): Promise<void> {
    try {
      await queue.add(job);
      observe({ type: "job", job: job.kind, agentRequestId, outcome: "kept" });
    } catch (error) {
      logger.error(`The queue did not take a ${job.kind}.`, {
        agentRequestId,
        reason: String(error),
      });
    }
  }

  return {
    async settle(onFailure) {
      const settlement = await facilitator
        .settlePermissions(input, SETTLE_CALL)
        .catch((error: unknown) => unansweredSettlement(error, { agentRequestId, payer, network }));
      if (settlement.success) return settlement;
      logger.error("Settlement failed after the payment was verified.", {
        agentRequestId,
        payer,
        planId,
        network,
        errorReason: settlement.errorReason,
        errorMessage: settlement.errorMessage,
        onFailure,
      });
      await enqueue(
        onFailure === "retry"
          ? { kind: "settle", agentRequestId, input }
          : { kind: "release", agentRequestId },
      );
      return { ...settlement, agentRequestId };
    },

    async release() {
      const job = { kind: "release", agentRequestId } as const;
      const released = tryJob(context, job).then(({ outcome }) =>
        outcome === "again" ? enqueue(job) : undefined,
      );
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, RELEASE_WAIT_MS);
      });
      await Promise.race([released, timeout]).finally(() => clearTimeout(timer));
    },
  };
}

// A settle without an answer may have burned the credits; only the same id may be settled again.
function unansweredSettlement(
  error: unknown,
  { agentRequestId, payer, network }: { agentRequestId: string; payer: string; network: string },
): Settlement & { success: false } {
  const errorReason = isUnknown(error) ? "settlement_pending" : (error as PaymentsError).code;
  return {
    success: false,
    errorReason,
    errorMessage: error instanceof Error ? error.message : String(error),
    payer,
    transaction: "",
    network,
    agentRequestId,
    error: errorReason,
  };
}

/** Whether a failed call may have acted: everything but the service's own refusal. */
const isUnknown = (error: unknown): boolean => {
  if (!PaymentsError.is(error)) return true;
  const { status } = ERRORS[error.code];
  return status === 0 || status === 429 || status >= 500;
};

/** Runs a job of the queue once and reports its outcome; never throws. */
const runSettlementJob =
  (context: ChargeContext): RunJob =>
  async (job) => {
    const { kind, agentRequestId } = job;
    const { outcome, reason } = await tryJob(context, job);
    context.observe({
      type: "job",
      job: kind,
      agentRequestId,
      outcome: outcome === "done" || outcome === "refused" ? outcome : "repeated",
      ...(reason !== undefined && { reason }),
    });
    if (outcome === "refused") {
      context.logger.error("A settlement was refused for good.", { agentRequestId, code: reason });
    }
    return outcome;
  };

type Tried = { outcome: Awaited<ReturnType<RunJob>>; reason?: string };

async function tryJob({ facilitator }: ChargeContext, job: SettlementJob): Promise<Tried> {
  const options = { ...SETTLE_CALL, maxRetries: 0 };
  try {
    if (job.kind === "release") {
      await facilitator.releasePermissions({ agentRequestId: job.agentRequestId }, options);
      return { outcome: "done" };
    }
    const settlement = await facilitator.settlePermissions(job.input, options);
    if (settlement.success) return { outcome: "done" };
    const { errorReason: reason } = settlement;
    if (reason === ("insufficient_balance" satisfies InvalidReason))
      return { outcome: "declined", reason };
    return { outcome: InvalidReason.safeParse(reason).success ? "refused" : "again", reason };
  } catch (error) {
    if (isUnknown(error)) return { outcome: "again", reason: "unknown" };
    // A refused release means nothing is reserved any more; a refused settle stays refused.
    const { code } = error as PaymentsError;
    return job.kind === "release" ? { outcome: "done" } : { outcome: "refused", reason: code };
  }
}
