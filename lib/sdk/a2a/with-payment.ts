import type { Payments } from "../client/payments.ts";
import { randomId } from "../client/random-id.ts";
import type { GateOptions } from "../gate/gate-options.ts";
import type { Payment } from "../gate/payment.ts";
import type { Refusal } from "../gate/refusals.ts";
import type { RouteConfig } from "../gate/routes.ts";
import { createInBandGate } from "../in-band/gate-call.ts";
import { stockRefusal } from "../in-band/stock-refusal.ts";
import { PaymentsError } from "../protocol/errors.ts";
import type { Settlement } from "../protocol/permission.ts";
import {
  type A2AEvent,
  type A2AMessage,
  type A2ARequest,
  type A2AStatus,
  type Bus,
  type Metadata,
  ROLE_AGENT,
  STATE,
} from "./a2a-types.ts";
import { busWith } from "./bus-with.ts";
import { takePayload } from "./forget-payload.ts";
import { type HoldingBus, holdEvents, isWork } from "./hold-events.ts";
import { A2A_PAYMENT } from "./metadata.ts";
import { createTurns, type Turn } from "./turns.ts";
import { withoutPayment } from "./without-payment.ts";

/** What a message to an agent costs; `url` is the agent's A2A endpoint, as registered. */
export type PaidAgent<Request> = Omit<RouteConfig, "credits" | "isSuccess"> & {
  url: string;
  /** Default 1; or a function of the request, called once per message. */
  credits?: bigint | number | ((request: Request) => bigint | number | Promise<bigint | number>);
};

type Executor<Request, Given, Extra extends unknown[]> = {
  execute(request: Request, bus: Given, ...extra: Extra): Promise<void>;
  cancelTask(taskId: string, bus: Given): Promise<void>;
};

/**
 * Puts an executor behind the gate, for `DefaultRequestHandler`; the executor gets the payment as its
 * third argument. The token is read from the message's metadata, `x402.payment.payload`, or from the
 * `payment-signature` header; without one the task waits as `input-required` and its status message has
 * the requirement. Only a message or a completed task is charged. Content is held until it is paid and
 * withheld when settlement fails; with `settle: "after"` it is published at once, and charged unless the
 * task fails or asks for more. Throws `invalid_input` for a route it could not guard.
 *
 * @example
 * new DefaultRequestHandler(card, new InMemoryTaskStore(),
 *   withPayment(payments, { url: "https://agent.example/a2a", planId, agentId, credits: 2 }, executor));
 */
export function withPayment<Request extends A2ARequest, Given extends Bus>(
  payments: Payments,
  { credits = 1n, ...route }: PaidAgent<Request>,
  executor: Executor<Request, Given, [Payment]>,
  options: GateOptions = {},
): Executor<Request, Given, []> {
  const gate = createInBandGate<Request, HoldingBus<A2AEvent, Given>>(
    payments,
    {
      ...route,
      credits,
      isDelivered: (holding) => holding.isDelivered(),
      payIn: "its metadata",
    },
    options,
  );
  const all = options.settle !== "after";

  const turns = createTurns<Given>();

  async function execute(request: Request, payload: unknown, turn: Turn<Given>): Promise<void> {
    let held: HoldingBus<A2AEvent, Given> | undefined;
    const failures: unknown[] = [];
    const outcome = await gate({
      payload,
      input: request,
      fingerprint: request.userMessage.parts,
      async work(payment) {
        turn.begin();
        // Only now, because it reads all of the request; and before the executor could change what it reads.
        const holding = holdEvents<A2AEvent, Given>(turn.bus, { all, request });
        held = holding;
        try {
          await executor.execute(request, holding.bus, payment);
        } catch (error) {
          // Callers can cancel once they have received the content.
          if (all || !turn.isCancelled || !holding.isDelivered()) throw error;
          failures.push(error);
        }
        return holding;
      },
    });
    switch (outcome.kind) {
      case "free":
        outcome.answer.releaseFree();
        break;
      case "paid":
        outcome.answer.release((last) => withMetadata(last, receiptMetadata(outcome.receipt)));
        break;
      default:
        held?.drop();
        // The messages of a task have one stream, and a refusal ends it: the next one's answer becomes that of both.
        if (!turn.next()) refuse(request, turn, outcome, turns.isAtWork(request.taskId));
    }
    for (const failure of failures) throw failure;
  }

  return {
    async cancelTask(taskId, bus) {
      const cancelled = turns.turnsOf(taskId);
      for (const turn of cancelled) turn.isCancelled = true;
      const given: Given = cancelled.at(-1)?.bus ?? bus;
      const publish = (event: A2AEvent) => given.publish(withoutPayment(event, () => true));
      await executor.cancelTask(
        taskId,
        busWith(given, { publish, finished: () => given.finished() }),
      );
      for (const turn of cancelled) turn.flush();
    },
    // Not async: the SDK answers an error that is thrown at once, and publishes a later one to all who read the task.
    execute(request, bus) {
      const { payload, isCopied } = takePayload(request);
      // Only a turn removes the copies that the SDK has of a payment, and an executor that ends closes the bus for all turns.
      // One without payment would only replace the refusal of another.
      const isBusy = payload === undefined ? turns.isBusy : turns.isAtWork;
      if (!isCopied && isBusy(request.taskId)) {
        throw new PaymentsError("conflict", "The agent is working on this task.", {
          hint: "Send the message when the task waits for you, or without a task.",
        });
      }
      return turns.run({ bus, isCopied, request }, (turn) => execute(request, payload, turn));
    },
  };
}

const receiptMetadata = (receipt: Settlement): Metadata => ({
  [A2A_PAYMENT.STATUS]: statusOf(receipt),
  [A2A_PAYMENT.RECEIPTS]: [receipt],
});

/** A payment whose outcome is not known was verified, and may still be settled. */
function statusOf(settlement: Settlement | undefined): string {
  if (settlement?.success) return "payment-completed";
  return settlement?.errorReason === "settlement_pending" ? "payment-verified" : "payment-failed";
}

/** The last event of an answer, with the payment's metadata in its message. */
function withMetadata(event: A2AEvent, metadata: Metadata): A2AEvent {
  const { kind, data } = event;
  if (kind === "artifactUpdate") return event;
  if (kind === "message") {
    return { kind, data: { ...data, metadata: { ...data.metadata, ...metadata } } };
  }
  const { contextId, status } = data;
  const ids = { contextId, taskId: "id" in data ? data.id : data.taskId };
  const last = status?.message ?? messageOf(ids, []);
  const message = { ...last, metadata: { ...last.metadata, ...metadata } };
  return { kind, data: { ...data, status: { ...status, message } } } as A2AEvent;
}

/** Refusals that leave open what becomes of the payment: another replica may work for it, or have settled it. */
const OPEN = new Set(["conflict", "idempotency_conflict", "unavailable"]);

/**
 * Publishes a refusal as a task that waits for payment, or has failed. A task that another turn or replica may be working on
 * keeps its state: once it has failed it gets no answer, and one that waits for payment ends the stream of its answer.
 */
function refuse(
  request: A2ARequest,
  turn: Turn<Bus>,
  { body, settlement }: Refusal,
  isAtWork: boolean,
): void {
  const { taskId, contextId, userMessage, task } = request;
  const { bus, storedState } = turn;
  const isAsking = body.paymentRequired !== undefined;
  const isOpen = !settlement && OPEN.has(body.code);
  const isShared = turn.isShared();
  const text = { content: { $case: "text", value: body.message } };
  const part = { ...text, metadata: undefined, filename: "", mediaType: "text/plain" };
  const isUnderWay = isOpen && (isAtWork || isWork(storedState));
  const paid = isUnderWay ? "payment-submitted" : statusOf(settlement);
  const message: A2AMessage = {
    ...messageOf({ taskId, contextId }, [part]),
    metadata: {
      [A2A_PAYMENT.STATUS]: isAsking ? "payment-required" : paid,
      ...(isAsking && { [A2A_PAYMENT.REQUIRED]: stockRefusal(body) }),
      ...(body.code !== "token_missing" && { [A2A_PAYMENT.ERROR]: body.code }),
      ...(settlement && { [A2A_PAYMENT.RECEIPTS]: [settlement] }),
    },
  };
  const asked = isAsking || isOpen ? STATE.INPUT_REQUIRED : STATE.FAILED;
  const status: A2AStatus = {
    state: ((isOpen || isShared) && storedState) || asked,
    message,
    timestamp: new Date().toISOString(),
  };
  if (isShared) {
    bus.publish({ kind: "statusUpdate", data: { taskId, contextId, status, metadata: undefined } });
  } else {
    const opened = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {} };
    bus.publish({ kind: "task", data: { ...opened, ...task, status } });
    bus.finished();
  }
}

const messageOf = (ids: { taskId: string; contextId: string }, parts: unknown[]): A2AMessage => ({
  messageId: randomId("msg_"),
  ...ids,
  role: ROLE_AGENT,
  parts,
  metadata: {},
  extensions: [],
  referenceTaskIds: [],
});
