import type { Payments } from "../client/payments.ts";
import { randomId } from "../client/random-id.ts";
import type { GateOptions } from "../gate/gate.ts";
import type { RouteConfig } from "../gate/routes.ts";
import type { Payment } from "../gate/verify.ts";
import { createInBandGate, type InBandOutcome } from "../in-band/gate-call.ts";
import type { Settlement } from "../protocol/permission.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import {
  type A2AEvent,
  type A2AMessage,
  type A2ARequest,
  type A2AStatus,
  type Metadata,
  ROLE_AGENT,
  STATE,
} from "./a2a-types.ts";
import { holdEvents } from "./hold-events.ts";
import { A2A_PAYMENT } from "./metadata.ts";

/** What a message to an agent costs; `url` is the agent's A2A endpoint, as registered. */
export type PaidAgent<Request> = Omit<RouteConfig, "credits"> & {
  url: string;
  /** Default 1; or told from the request, asked once. */
  credits?: bigint | number | ((request: Request) => bigint | number | Promise<bigint | number>);
};

type Bus = { publish(event: A2AEvent): void; finished(): void };

type Executor<Request, Given, Extra extends unknown[]> = {
  execute(request: Request, bus: Given, ...extra: Extra): Promise<void>;
  cancelTask(taskId: string, bus: Given): Promise<void>;
};

/**
 * An executor behind the gate, for `DefaultRequestHandler`; the executor inside gets the payment as a
 * third argument. The token comes in the message's metadata, `x402.payment.payload`, or in the header
 * `payment-signature`; without one the task waits as `input-required` and its status message holds the
 * requirement. Charged is a message or a completed task: nothing else costs, nor does a throw. Content is
 * held until it is paid and withheld when settlement fails; with `settle: "after"` it flows at once.
 * Throws `invalid_input` for a price it could not ask.
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
  const asked = new Map<string, Request>();
  const price =
    typeof credits === "function"
      ? async (request: globalThis.Request) => {
          const { callId } = (await request.json()) as { callId: string };
          return credits(asked.get(callId) as Request);
        }
      : credits;
  const gate = createInBandGate(payments, { ...route, credits: price }, options);
  const holdsAll = options.settle !== "after";

  return {
    cancelTask: (taskId, bus) => executor.cancelTask(taskId, bus),
    async execute(request, bus) {
      const callId = randomId("call_");
      const holding = holdEvents<A2AEvent, Given>(bus, holdsAll);
      asked.set(callId, request);
      try {
        const answer = await gate(
          { payload: readPayload(request), body: { callId } },
          async (paid) => {
            await executor.execute(request, holding.bus, paid);
            return holding.isDelivered();
          },
        );
        if (answer.outcome === "free") return holding.letGo((last) => last);
        if (answer.outcome === "paid") {
          return holding.letGo((last) => seal(last, completed(answer.receipt)));
        }
        holding.drop();
        refuse(request, bus, answer);
      } finally {
        asked.delete(callId);
      }
    },
  };
}

/** From the message, or from the header where the transport is HTTP. */
function readPayload({ userMessage, context }: A2ARequest): unknown {
  const inBand = userMessage.metadata?.[A2A_PAYMENT.PAYLOAD];
  if (inBand !== undefined) return inBand;
  const headers = context?.state?.get("headers") as Metadata | undefined;
  return headers?.[X402_HEADERS.PAYMENT_SIGNATURE];
}

const completed = (receipt: Settlement | null): Metadata => ({
  [A2A_PAYMENT.STATUS]: receipt?.success === false ? "payment-failed" : "payment-completed",
  [A2A_PAYMENT.RECEIPTS]: receipt ? [receipt] : [],
});

/** The last event of an answer, with what became of its payment. */
function seal(event: A2AEvent, metadata: Metadata): A2AEvent {
  const { kind, data } = event;
  if (kind === "artifactUpdate") return event;
  if (kind === "message") {
    return { kind, data: { ...data, metadata: { ...data.metadata, ...metadata } } };
  }
  const { contextId, status } = data;
  const ids = { contextId, taskId: "id" in data ? data.id : data.taskId };
  const said = status?.message ?? say(ids, []);
  const message = { ...said, metadata: { ...said.metadata, ...metadata } };
  return { kind, data: { ...data, status: { ...status, message } } } as A2AEvent;
}

/** The gate's answer as a task: to be paid and sent again, or failed. */
function refuse(
  request: A2ARequest,
  bus: Bus,
  { body, receipt }: InBandOutcome & { outcome: "refused" },
): void {
  const { taskId, contextId, userMessage, task } = request;
  const { paymentRequired, ...told } = body;
  const isAsking = paymentRequired !== undefined;
  const text = { content: { $case: "text", value: told.message } };
  const part = { ...text, metadata: undefined, filename: "", mediaType: "text/plain" };
  const message: A2AMessage = {
    ...say({ taskId, contextId }, [part]),
    metadata: {
      [A2A_PAYMENT.STATUS]: isAsking ? "payment-required" : "payment-failed",
      ...(isAsking && {
        [A2A_PAYMENT.REQUIRED]: { ...paymentRequired, ...told, error: told.code },
      }),
      ...(told.code !== "token_missing" && { [A2A_PAYMENT.ERROR]: told.code }),
      ...(receipt && { [A2A_PAYMENT.RECEIPTS]: [receipt] }),
    },
  };
  const status: A2AStatus = {
    state: isAsking ? STATE.INPUT_REQUIRED : STATE.FAILED,
    message,
    timestamp: new Date().toISOString(),
  };
  const opened = { id: taskId, contextId, artifacts: [], history: [userMessage], metadata: {} };
  bus.publish({ kind: "task", data: { ...opened, ...task, status } });
  bus.finished();
}

const say = (ids: { taskId: string; contextId: string }, parts: unknown[]): A2AMessage => ({
  messageId: randomId("msg_"),
  ...ids,
  role: ROLE_AGENT,
  parts,
  metadata: {},
  extensions: [],
  referenceTaskIds: [],
});
