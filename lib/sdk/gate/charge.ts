import { isPending } from "../client/paid-response.ts";
import { inTime } from "../client/waiting/in-time.ts";
import { InvalidReason } from "../protocol/error-envelope.ts";
import type { PaymentsError } from "../protocol/errors.ts";
import type { Settlement } from "../protocol/permission.ts";
import type { Logger } from "./logger.ts";
import type { GateObserver } from "./observe.ts";
import type { Payment } from "./payment.ts";
import { isTemporary } from "./queue/retry.ts";
import type {
  RunJob,
  SettleJobInput,
  SettlementJob,
  SettlementQueue,
} from "./queue/settlement-queue.ts";
import { tryQueue } from "./queue/try-queue.ts";
import type { GateService } from "./service.ts";

/** What is owed for one verified request, and the two ways to close it. Its reservation is renewed until then. */
export type Charge = {
  /** Notes what will be owed, for the next process in case this one dies before it settles. Never throws. */
  note(): Promise<void>;
  /**
   * Burns the credits. A failure is logged and returned: `success: false`. What its repeat can settle by then (`isKept`) is not
   * released while its outcome is unknown.
   */
  settle(onFailure: OnFailure, isKept?: () => boolean): Promise<Settlement>;
  /** Releases the reserved credits; waits at most a second and never throws. */
  release(): Promise<void>;
};

/** What becomes of a reservation that could not be settled. A repeat leaves it: another gate may be settling it. */
export type OnFailure = "retry" | "release" | "leave";

export type ChargeContext = {
  service: GateService;
  queue: SettlementQueue;
  observe: GateObserver;
  logger: Logger;
};

const RELEASE_WAIT_MS = 1000;
/** How long, and how often, a settlement without an outcome is asked for again before its answer is withheld. */
const INSIST_MS = 30_000;
const INSIST_EVERY_MS = 1000;

/**
 * Starts the queue, and makes the charge of each request that passed verification (§3 steps 6 to 9).
 */
export function createCharges(context: ChargeContext) {
  const { queue, observe, logger } = context;
  queue.start(runSettlementJob(context), ({ kind: job, agentRequestId }, reason) => {
    logger.error(`Gave up a ${job} in the background.`, { agentRequestId, reason });
    observe({ type: "job", job, agentRequestId, outcome: "given-up", reason });
  });
  return (input: ChargeInput, payment: Payment, onUnreleased = () => {}): Charge =>
    createCharge(context, { input, payment, onUnreleased });
}

/** `onUnreleased` is called when the reservation is not released, or only later, in the background. */
type Charged = { input: ChargeInput; payment: Payment; onUnreleased: () => void };

type ChargeInput = SettleJobInput & { agentRequestId: string };

function createCharge(context: ChargeContext, { input, payment, onUnreleased }: Charged): Charge {
  const { planId } = payment;
  const { service, queue, observe, logger } = context;
  const { agentRequestId } = input;
  const endLease = service.leases.hold(agentRequestId, observe);
  const owed = { kind: "settle", agentRequestId, input } as const;
  let isNoted = false;

  const trying = (what: string, act: () => unknown) => tryQueue(logger, agentRequestId, what, act);
  const enqueue = (job: SettlementJob) =>
    trying(`take a ${job.kind}`, async () => {
      await queue.add(job);
      observe({ type: "job", job: job.kind, agentRequestId, outcome: "kept" });
    });
  const forgetNote = () => (isNoted ? trying("drop a note", () => queue.forget?.(owed)) : null);

  async function release() {
    endLease();
    await forgetNote();
    const job = { kind: "release", agentRequestId } as const;
    const released = tryJob(context, job).then(async ({ outcome }) => {
      if (outcome === "again") await enqueue(job);
      return outcome;
    });
    if ((await inTime(released, RELEASE_WAIT_MS)) !== "done") onUnreleased();
  }

  return {
    async note() {
      isNoted = true;
      await trying("note a settle", () => queue.note?.(owed));
    },

    async settle(onFailure, isKept = () => false) {
      const insistMs = onFailure === "release" ? INSIST_MS : 0;
      const settlement = await settleFor(insistMs, context, { input, payment });
      endLease();
      if (settlement.success) {
        await forgetNote();
        return settlement;
      }
      logger.error("Settlement failed after the payment was verified.", {
        ...settlement,
        planId,
        onFailure,
      });
      if (onFailure === "retry") await enqueue(owed);
      else if (onFailure === "release") {
        if (isPending(settlement) && isKept()) onUnreleased();
        else await release();
      }
      // The caller reads it: what is for the plan's owner stays here.
      const { detail: _detail, ...shown } = settlement;
      return { ...shown, agentRequestId };
    },

    release,
  };
}

/**
 * Settles once, and again for so long while it may be settled without an answer: what is withheld then would be charged. Never
 * throws.
 */
async function settleFor(
  insistMs: number,
  { service }: ChargeContext,
  { input, payment: { payer, verification } }: Pick<Charged, "input" | "payment">,
): Promise<Settlement> {
  const { agentRequestId } = input;
  const told = { agentRequestId, payer, network: verification.network };
  const deadline = performance.now() + insistMs;
  // Once an outcome is unknown, only an answer about the request tells it.
  for (let isFinal = insistMs > 0; ; isFinal = false) {
    let settlement: Settlement;
    try {
      settlement = await service.settle(input, insistMs > 0);
    } catch (error) {
      settlement = unansweredSettlement(error, told, isFinal);
    }
    if (!isPending(settlement) || performance.now() >= deadline) return settlement;
    await new Promise((wake) => setTimeout(wake, INSIST_EVERY_MS));
  }
}

const PENDING = "settlement_pending";

/** Whether a key is refused or a proxy's limit exceeded, and not the request: another key or limit lets it be settled. */
const isNotOfRequest = (error: unknown): boolean =>
  [401, 403, 413].includes((error as PaymentsError).httpStatus);

// A settle without an answer may have burned the credits; only the same id may be settled again.
function unansweredSettlement(
  error: unknown,
  told: { agentRequestId: string; payer: string; network: string },
  isFinal: boolean,
): Settlement & { success: false } {
  // What is withheld is not settled again, and another key does not come in so short a time.
  const isOpen = isTemporary(error) || (!isFinal && isNotOfRequest(error));
  const errorReason = isOpen ? PENDING : (error as PaymentsError).code;
  return {
    success: false,
    errorReason,
    errorMessage: "The payment was not confirmed.",
    // It may name the service's address or the seller's key.
    detail: error instanceof Error ? error.message : String(error),
    ...told,
    transaction: "",
    error: errorReason,
  };
}

/** Runs a job of the queue once and reports its outcome; never throws. */
const runSettlementJob =
  (context: ChargeContext): RunJob =>
  async (job) => {
    const { kind, agentRequestId } = job;
    const { outcome, reason, why } = await tryJob(context, job);
    context.observe({
      type: "job",
      job: kind,
      agentRequestId,
      outcome: outcome === "done" || outcome === "refused" ? outcome : "repeated",
      ...(reason !== undefined && { reason }),
    });
    if (outcome === "refused") {
      const message = "A settlement was permanently refused; its call is not paid.";
      context.logger.error(message, { agentRequestId, code: reason, reason: why });
    }
    return outcome;
  };

type Tried = { outcome: Awaited<ReturnType<RunJob>>; reason?: string; why?: string | undefined };

async function tryJob({ service }: ChargeContext, job: SettlementJob): Promise<Tried> {
  try {
    if (job.kind === "release") {
      await service.release(job.agentRequestId);
      return { outcome: "done" };
    }
    const settlement = await service.settleQueued(job.input);
    if (settlement.success) return { outcome: "done" };
    const { errorReason: reason, errorMessage, detail: why = errorMessage } = settlement;
    if (reason === ("insufficient_balance" satisfies InvalidReason))
      return { outcome: "declined", reason };
    return { outcome: InvalidReason.safeParse(reason).success ? "refused" : "again", reason, why };
  } catch (error) {
    if (isTemporary(error)) return { outcome: "again", reason: "unknown" };
    const { code, message: why } = error as PaymentsError;
    if (isNotOfRequest(error)) return { outcome: "again", reason: code };
    // A refused release means nothing is reserved any more; a refused settle stays refused.
    return job.kind === "release" ? { outcome: "done" } : { outcome: "refused", reason: code, why };
  }
}
