import type { Payments } from "../client/payments.ts";
import { ERRORS, PaymentsError } from "../protocol/errors.ts";
import type { Settlement } from "../protocol/permission.ts";
import type { Logger } from "./logger.ts";
import type { RunJob, SettleJobInput, SettlementJob, SettlementQueue } from "./settlement-queue.ts";

/** What is owed for one verified request, and the two ways to close it. */
export type Charge = {
  /** Takes the credits. A failure is logged, and an answer too: `success: false`. */
  settle(onFailure: "retry" | "release"): Promise<Settlement>;
  /** Gives the hold back; waits for it a second at most and never throws. */
  release(): Promise<void>;
};

export type ChargeContext = {
  facilitator: Payments["facilitator"];
  queue: SettlementQueue;
  logger: Logger;
};

const SETTLE_CALL = { timeoutMs: 30_000, maxRetries: 1 };
const RELEASE_WAIT_MS = 1000;

/** The charge of a request that passed verification (§3 steps 6 to 9). */
export function createCharge(
  context: ChargeContext,
  input: SettleJobInput & { agentRequestId: string },
  parties: { payer: string; network: string; planId: string },
): Charge {
  const { facilitator, queue, logger } = context;
  const { agentRequestId } = input;

  // A queue that fails must not take the answer down with it.
  async function enqueue(job: SettlementJob): Promise<void> {
    try {
      await queue.add(job);
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
        .catch((error: unknown) => pendingSettlement(error, agentRequestId, parties));
      if (settlement.success) return settlement;
      logger.error("Settlement failed after the payment was verified.", {
        agentRequestId,
        ...parties,
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
      const released = runSettlementJob(context)(job).then((isDone) =>
        isDone ? undefined : enqueue(job),
      );
      let timer: ReturnType<typeof setTimeout> | undefined;
      const longEnough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, RELEASE_WAIT_MS);
      });
      await Promise.race([released, longEnough]).finally(() => clearTimeout(timer));
    },
  };
}

// Nobody knows whether a settle without an answer took the credits; only the same id may ask again.
function pendingSettlement(
  error: unknown,
  agentRequestId: string,
  { payer, network }: { payer: string; network: string },
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

/** Runs a job of the queue once; never throws. */
export const runSettlementJob =
  ({ facilitator, logger }: ChargeContext): RunJob =>
  async (job) => {
    try {
      const options = { ...SETTLE_CALL, maxRetries: 0 };
      if (job.kind === "release") {
        await facilitator.releasePermissions({ agentRequestId: job.agentRequestId }, options);
        return true;
      }
      return (await facilitator.settlePermissions(job.input, options)).success;
    } catch (error) {
      if (isUnknown(error)) return false;
      // Nothing to release is what a release wants; a settle that is refused here stays refused.
      if (job.kind === "settle") {
        logger.error("A settlement was refused for good.", {
          agentRequestId: job.agentRequestId,
          code: (error as PaymentsError).code,
        });
      }
      return true;
    }
  };
