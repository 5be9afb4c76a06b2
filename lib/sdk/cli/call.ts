import { isPending, type PaidResponse } from "../client/paid-response.ts";
import { isOfProxy } from "../client/paying/read-body.ts";
import { randomId } from "../client/random-id.ts";
import { PaymentsError } from "../protocol/errors.ts";
import { readJson } from "../protocol/json.ts";
import { visibleText } from "../protocol/visible-text.ts";
import { readAnswerBody } from "./answer-body.ts";
import { type Charge, readLateCharge } from "./late-charge.ts";
import { outcomeOf, repeatHint, watchPayments } from "./paid-call.ts";
import { CALLED, requestOf } from "./request.ts";
import type { Verb, VerbAnswer, VerbArguments, VerbContext } from "./verb.ts";
import { count, moneyOf, text } from "./words.ts";

const ANSWER_MS = 300_000;
/** The client has read a refusal for a while by then. */
const REFUSAL = { timeoutMs: 5_000, maxLength: 100_000, write: undefined };
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
        "Names the call, to repeat it after its answer was lost. By `exact`, a key never pays twice. With credits, the repeat is free where the same MCP server process makes it within ten minutes and the agent recognizes it; as a command it is charged again. Default: a new key.",
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
    const request = requestOf(input);
    const given = text(input.idempotencyKey) ?? request.headers.get(IDEMPOTENCY_KEY);
    const key = readKey(given ?? randomId("idem_"));
    request.headers.set(IDEMPOTENCY_KEY, key);
    const watched = watchPayments(context.reach, () => {
      if (!given) context.note?.(`Idempotency key: ${key}`);
    });
    try {
      const paid = await pay(context, input, { request, reach: watched.reach }).catch((cause) => {
        const [isPaid, isLost] = [watched.isPaid(), watched.isLost(cause)];
        throw outcomeOf(cause, { key, isPaid, isLost, isKept: context.isKept });
      });
      return await show(context, paid, { key, isPaid: watched.isPaid() });
    } finally {
      watched.release();
    }
  },
};

type Sending = { request: Request; reach: VerbContext["reach"] };

async function pay(
  context: VerbContext,
  input: VerbArguments,
  { request: { url, method, headers }, reach }: Sending,
): Promise<PaidResponse> {
  const { planId, maxSpendCents } = input;
  const body = text(input.body);
  return context.payments().fetch(
    url,
    { method, headers, ...(body !== undefined && { body }) },
    {
      fetch: reach,
      ...(planId !== undefined && { planId: String(planId) }),
      maxSpend: BigInt(Number(maxSpendCents ?? 0)),
      approvalTimeoutMs: readWait(input.approvalSecs),
    },
  );
}

async function show(
  context: VerbContext,
  paid: PaidResponse,
  { key, isPaid }: { key: string; isPaid: boolean },
): Promise<VerbAnswer> {
  const { response, receipt, agentRequestId, declined, payment, order } = paid;
  const isProxy = await isOfProxy(response);
  const { charge, text: charged } = chargeOf(paid, { isPaid, isProxy });
  const head = `${response.status}, ${charged}${declined ? `; not paid: ${visibleText(declined)}` : ""}`;
  const isRefusal = response.status === 402;
  const write = isRefusal ? undefined : context.write && wholeLines(context.write);
  await write?.(`${head}\n`);
  const reading = { timeoutMs: ANSWER_MS, maxLength: context.maxAnswer, write };
  const read = await readAnswerBody(response, isRefusal ? REFUSAL : reading);
  const { text: answer, cut, isBroken } = read;
  await write?.end();
  // What is lost on its way has its own note, and may not be settled yet.
  const late = isPaid && !isBroken ? await readLateCharge(context, paid) : undefined;
  // The offers of a refusal are for programs; `price` shows them to people.
  const refusal = isRefusal ? (readJson(answer) as Refusal) : null;
  const shown = typeof refusal?.message === "string" ? visibleText(refusal.message) : answer;
  const isLeft = refusal?.cause === "pending_approval" && !context.isKept;
  const isByExact = payment !== undefined;
  const notes = [
    isLeft && WAIT,
    late?.text,
    cut && `The answer is incomplete: ${cut}`,
    isBroken && isPaid && repeatHint({ key, isByExact, isKept: context.isKept }),
  ];
  const known = { receipt, agentRequestId, payment, declined, order };
  return {
    json: {
      status: response.status,
      body: answer,
      ...(cut && { cut }),
      idempotencyKey: key,
      charge: late?.charge ?? charge,
      ...known,
      ...(late?.record && { request: late.record }),
    },
    text: [...(write ? [] : [head, shown]), ...notes].filter(Boolean).join("\n"),
    isRefused: !response.ok || isBroken,
  };
}

/** Parts of a text, whose last line is ended. */
function wholeLines(write: (part: string) => Promise<void>) {
  let last = "";
  const each = async (part: string) => {
    last = part.at(-1) ?? last;
    await write(part);
  };
  return Object.assign(each, { end: async () => (last === "\n" ? undefined : write("\n")) });
}

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

function readKey(key: string): string {
  if (/^[!#-~]{1,255}$/.test(key)) return key;
  throw new PaymentsError(
    "invalid_input",
    "An idempotency key has 1 to 255 visible ASCII characters.",
  );
}

/** What a call that is not charged may have bought before it failed. */
const UNUSED_ORDER = {
  made: "no credits charged; the plan was ordered, and what it bought remains. Check your balance.",
  unknown: "no credits charged; the plan may have been ordered. Check your balance.",
};

/** What is known to be charged, for people and for programs: a seller may capture what was signed for it later. */
function chargeOf(
  paid: PaidResponse,
  { isPaid, isProxy }: { isPaid: boolean; isProxy: boolean },
): { charge: Charge; text: string } {
  const { response, receipt, payment, order } = paid;
  const unknown = (text: string) => ({ charge: "unknown" as const, text });
  if (payment) {
    const amount = moneyOf(payment.amount, "USDC");
    if (payment.status === "paid") return { charge: "charged", text: `${amount} charged` };
    if (payment.status === "expired") return { charge: "none", text: `${amount} not charged` };
    return unknown(`${amount} signed`);
  }
  // A stream is charged at its end, and its receipt is the last event or a trailer.
  if (isPaid && response.ok && !receipt)
    return unknown("charge not known yet: the receipt follows the answer");
  if (receipt && isPending(receipt)) return unknown("charge not known yet. Check your activity.");
  if (isPaid && isProxy)
    return unknown("charge not known: the answer is not the agent’s. Check your activity.");
  if (receipt?.success) {
    const { creditsRedeemed, orderTx } = receipt;
    const ordered =
      orderTx === undefined ? "" : ` after ordering the plan (${visibleText(orderTx)})`;
    return { charge: "charged", text: `${count(creditsRedeemed, "credit")} charged${ordered}` };
  }
  const text = order && UNUSED_ORDER[order];
  if (!isPaid || receipt) return { charge: "none", text: text ?? "nothing charged" };
  // The agent had the token: that it did not use it is its own word.
  return unknown(text ?? "no charge reported");
}
