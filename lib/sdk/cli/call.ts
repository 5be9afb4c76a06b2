import type { PaidResponse } from "../client/paid-response.ts";
import { randomId } from "../client/random-id.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { readJson } from "../protocol/json.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import { CALLED, requestOf } from "./request.ts";
import type { Verb, VerbArguments, VerbContext } from "./verb.ts";
import { count, moneyOf, text } from "./words.ts";

const MAX_ANSWER = 100_000;
/** How long an answer may take to end once it has begun. */
const ANSWER_MS = 300_000;
const LOST: readonly string[] = ["network_error", "internal"];
const IDEMPOTENCY_KEY = "idempotency-key";

export const call: Verb = {
  name: "call",
  summary: "Call a paid URL and pay for it, within the limit you set",
  positional: "url",
  inputs: {
    ...CALLED,
    maxSpendCents: {
      type: "integer",
      description:
        "The most to spend on a new order, in cents. Default: 0, which pays with credits you have and orders free plans only.",
    },
    planId: {
      type: "string",
      description: "The plan to pay with, where the agent offers several.",
    },
    idempotencyKey: {
      type: "string",
      description:
        "Names the call. Pass the key of a call whose answer was lost to repeat it. Default: a new one.",
    },
    approvalSecs: {
      type: "integer",
      description:
        "How many seconds to wait where a person has to approve the payment, at most 3600. Default: 0.",
    },
  },
  required: ["url"],
  isReadOnly: false,
  async run(context, input) {
    const payments = context.payments();
    const request = requestOf(input);
    const { planId, maxSpendCents } = input;
    const { method, headers } = request;
    const key = readKey(text(input.idempotencyKey) ?? headers.get(IDEMPOTENCY_KEY));
    headers.set(IDEMPOTENCY_KEY, key);
    const body = text(input.body);
    const approvalTimeoutMs = readWait(input.approvalSecs);
    const watched = watchPayments(context.reach);
    const paid = await payments
      .fetch(
        request.url,
        { method, headers, ...(body !== undefined && { body }) },
        {
          fetch: watched.reach,
          ...(planId !== undefined && { planId: String(planId) }),
          maxSpend: BigInt(Number(maxSpendCents ?? 0)),
          approvalTimeoutMs,
        },
      )
      .catch((cause) => {
        throw outcomeOf(cause, { key, isLost: watched.isLost(), isKept: context.isKept });
      });
    const { response, receipt, agentRequestId, declined, payment } = paid;
    const { text: answer, cut } = await readStart(response);
    const head = `${response.status}, ${chargedText(paid)}${declined ? `; not paid: ${visibleText(declined)}` : ""}`;
    // The offers of a refusal are for programs; `price` shows them to people.
    const refusal = response.status === 402 ? (readJson(answer) as Refusal) : null;
    const shown = typeof refusal?.message === "string" ? visibleText(refusal.message) : answer;
    const isLeft = refusal?.cause === "pending_approval" && !context.isKept;
    const known = { receipt, agentRequestId, payment, declined };
    return {
      json: { status: response.status, body: answer, ...(cut && { cut }), ...known },
      text: [head, shown, isLeft && WAIT, cut && `The answer is incomplete: ${cut}`]
        .filter(Boolean)
        .join("\n"),
      isRefused: !response.ok,
    };
  },
};

type Refusal = { message?: unknown; cause?: unknown } | null;

/** The approval is the token's, and a command's token ends with it. */
const WAIT =
  "The approval is for this command alone. Call again with --approval-secs to wait for the decision.";
const MAX_WAIT_SECS = 3_600;

function readWait(given: VerbArguments[string]): number {
  const secs = Number(given ?? 0);
  if (secs >= 0 && secs <= MAX_WAIT_SECS) return secs * 1_000;
  throw new PaymentsError("invalid_input", `A call waits from 0 to ${MAX_WAIT_SECS} seconds.`);
}

function readKey(given: string | null | undefined): string {
  const key = given ?? randomId("idem_");
  if (/^[!#-~]{1,255}$/.test(key)) return key;
  throw new PaymentsError(
    "invalid_input",
    "An idempotency key has 1 to 255 visible ASCII characters.",
  );
}

/** Reaches the agent, and notes whether the answer to a request with a payment was lost. */
function watchPayments(reach: VerbContext["reach"]) {
  let isLost = false;
  return {
    isLost: () => isLost,
    async reach(request: Request): Promise<Response> {
      if (!request.headers.has(X402_HEADERS.PAYMENT_SIGNATURE)) return reach(request);
      try {
        const response = await reach(request);
        isLost = false;
        return response;
      } catch (cause) {
        // Another refusal of ours was made before anything was sent; a fault of ours may have come after it.
        if (!PaymentsError.is(cause) || LOST.includes(cause.code)) isLost = true;
        throw cause;
      }
    },
  };
}

type Ended = { key: string; isLost: boolean; isKept: boolean };

/** The failure of a call, with its key where it may have been paid. */
function outcomeOf(cause: unknown, { key, isLost, isKept }: Ended): unknown {
  const isByExact = PaymentsError.is(cause) && cause.code === "outcome_unknown";
  if (!isLost && !isByExact) return cause;
  const again = `Call again with the idempotency key ${key}`;
  if (isByExact) {
    const hint = `${again}: it never pays twice.`;
    return new PaymentsError("outcome_unknown", cause.message, { cause, hint });
  }
  const why = PaymentsError.is(cause) ? ` ${cause.message}` : "";
  return new PaymentsError(
    "outcome_unknown",
    `The answer to the paid request was lost, and it may have been charged.${why}`,
    {
      cause,
      // The agent knows a repeat by its token, which a process that ended has lost.
      hint: isKept
        ? `${again} within ten minutes: an agent that recognizes the repeat answers without another charge.`
        : "Check your activity before you call again: another call may be charged again.",
    },
  );
}

/** The beginning of a response, and why it is not all of it. */
async function readStart(response: Response): Promise<{ text: string; cut: string | null }> {
  const reader = response.body?.getReader();
  if (!reader) return { text: "", cut: null };
  const decoder = new TextDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), ANSWER_MS);
  });
  let read = "";
  let cut: string | null = null;
  try {
    while (read.length <= MAX_ANSWER) {
      const next = await Promise.race([reader.read(), late]);
      if (!next) cut = `it did not end within ${ANSWER_MS / 1000} s.`;
      if (!next || next.done) break;
      read += decoder.decode(next.value, { stream: true });
    }
    if (read.length > MAX_ANSWER) cut = `it is longer than ${MAX_ANSWER} characters.`;
  } catch (cause) {
    cut = cause instanceof Error ? cause.message : String(cause);
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
  return { text: read.slice(0, MAX_ANSWER), cut };
}

/** What is known to be charged: a seller may capture what was signed for it later. */
function chargedText({ receipt, payment }: PaidResponse): string {
  if (payment) {
    const amount = moneyOf(payment.amount, "USDC");
    const ends = { paid: "charged", expired: "not charged", open: "signed", unknown: "signed" };
    return `${amount} ${ends[payment.status]}`;
  }
  return `${receipt?.success ? count(receipt.creditsRedeemed, "credit") : "nothing"} charged`;
}
