import {
  decodeHeader,
  decodePaymentRequired,
  planIdOf,
  readJson,
  Settlement,
  X402_HEADERS,
  X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import type { PlanChoice } from "./story-order.ts";
import type { Offer } from "./story-permission.ts";
import {
  creditsText,
  readBalance,
  requireSame,
  StepFailed,
  type StepResult,
  type StoryScene,
} from "./story-step.ts";

/** The receipt header of the agent's response to a paid request. */
export type PaidAnswer = { receipt: string | null };

type Settled = Extract<Settlement, { success: true }>;

const QUESTION = { question: "What does a paid call cost?" };
const ANSWER_LIMIT = 160;
const CALL_TIMEOUT_MS = 30_000;
const RECENT_MS = 30_000;

export async function callWithoutToken(
  scene: StoryScene,
  { planId }: PlanChoice,
): Promise<StepResult<Offer>> {
  const response = await callAgent(scene);
  const { status } = response;
  const text = await response.text();
  if (status !== 402) {
    throw new StepFailed(`Expected 402 without a token, got ${status}.`, {
      status,
      meaning:
        status < 300 ? "The endpoint responded without payment. It is not gated." : undefined,
    });
  }
  // A long header leaves out offers that the body has.
  const body = readJson(text) as { paymentRequired?: unknown } | null;
  const header = response.headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "";
  const { data } = X402PaymentRequired.safeParse(body?.paymentRequired);
  const paymentRequired = data ?? decodePaymentRequired(header);
  if (!paymentRequired) {
    throw new StepFailed("402 without an offer. Clients cannot pay this.", { status });
  }
  const offer = paymentRequired.accepts.find((each) => planIdOf(each) === planId);
  if (!offer) throw new StepFailed(`The agent does not offer plan ${planId}.`, { status });
  requireSame("agentId", offer.extra?.agentId, scene.sandbox.agent.agentId);
  const credits = offer.amount ?? "1";
  return {
    result: { paymentRequired, credits },
    status,
    money: "challenged",
    meaning: `The agent requires ${creditsText(credits)} and makes ${plural(paymentRequired.accepts.length, "offer")}.`,
    facts: {
      scheme: offer.scheme,
      network: offer.network ?? "",
      credits,
      offers: String(paymentRequired.accepts.length),
      x402Version: String(paymentRequired.x402Version),
    },
  };
}

export async function callWithToken(
  scene: StoryScene,
  token: string,
): Promise<StepResult<PaidAnswer>> {
  const response = await callAgent(scene, { [X402_HEADERS.PAYMENT_SIGNATURE]: token });
  const { status } = response;
  const text = await response.text();
  if (status !== 200) throw brokenCall(status, text);
  return {
    result: { receipt: response.headers.get(X402_HEADERS.PAYMENT_RESPONSE) },
    status,
    meaning: "The gate reserved the credits, and the agent did its work and responded.",
    facts: { answer: shorten(text) },
  };
}

function brokenCall(status: number, text: string): StepFailed {
  const facts = { answer: shorten(text) };
  if (status === 402) {
    const meaning = "The agent did not accept the payment. No credits were used.";
    return new StepFailed("The agent rejected the token.", {
      status,
      facts,
      meaning,
      money: "refused",
    });
  }
  // Only the service can confirm that nothing was charged, so the status stays "unknown".
  return new StepFailed(`The agent returned ${status}.`, {
    status,
    facts,
    meaning: "The agent failed before payment. It is unknown whether credits were used.",
    money: "unknown",
  });
}

export async function checkReceipt(
  scene: StoryScene,
  {
    choice,
    answer,
    before,
  }: { choice: PlanChoice; answer: PaidAnswer; before: { credits: string } },
): Promise<StepResult<Settled>> {
  const settlement = readReceipt(answer);
  requireSame("payer", settlement.payer, scene.sandbox.subscriber.address);
  requireSame("planId", settlement.planId, choice.planId);
  requireSame("credits redeemed", settlement.creditsRedeemed, before.credits);
  const { agentRequestId } = settlement;
  const record = await scene.subscriber.facilitator.getSettlement(agentRequestId);
  requireSame("money status", record.moneyStatus, "settled");
  requireSame("credits in the service's record", record.credits, settlement.creditsRedeemed);
  return {
    result: settlement,
    money: "settled",
    meaning: `${creditsText(settlement.creditsRedeemed)} settled after the response. The service’s record matches.`,
    facts: {
      transaction: settlement.transaction,
      creditsRedeemed: settlement.creditsRedeemed,
      remainingBalance: settlement.remainingBalance,
      payer: settlement.payer,
      agentRequestId,
      network: settlement.network,
      chainStatus: record.chainStatus,
    },
  };
}

function readReceipt({ receipt }: PaidAnswer): Settled {
  const meaning =
    "The agent responded, but the payment was not confirmed. Credits may still be used later.";
  const unsettled = { meaning, money: "delivered-unsettled" } as const;
  if (!receipt) throw new StepFailed("200 without a payment-response header.", unsettled);
  const settlement = Settlement.safeParse(decodeHeader(receipt));
  if (!settlement.success) throw new StepFailed("The receipt is unreadable.", unsettled);
  if (settlement.data.success) return settlement.data;
  const { errorReason, errorMessage } = settlement.data;
  throw new StepFailed(errorMessage ?? `Settlement failed: ${errorReason}.`, {
    ...unsettled,
    facts: { errorReason },
  });
}

export async function compareBalance(
  scene: StoryScene,
  {
    choice,
    settlement,
    before,
  }: { choice: PlanChoice; settlement: Settled; before: { balance: bigint } },
): Promise<StepResult<bigint>> {
  const after = await readBalance(scene, choice.planId);
  const expected = before.balance - BigInt(settlement.creditsRedeemed);
  const left = BigInt(settlement.remainingBalance);
  const isExact = after === expected && left === expected;
  const elsewhere = isExact ? 0n : expected - after;
  const { spent, added } = isExact ? NOTHING_ELSEWHERE : await findElsewhere(scene, settlement);
  const isExplained = [after, left].every(
    (balance) => balance >= expected - spent && balance <= expected + added,
  );
  if (!isExact && !isExplained) {
    throw new StepFailed(
      `${before.balance} credits before, ${settlement.creditsRedeemed} used: ${expected} should be left, but ` +
        `the receipt says ${left}, the balance is ${after}.`,
      { meaning: "Ledger and receipt do not match." },
    );
  }
  const meanwhile =
    elsewhere === 0n
      ? ""
      : elsewhere > 0n
        ? ` Other calls used ${creditsText(elsewhere)} meanwhile.`
        : ` Other orders added ${creditsText(-elsewhere)} meanwhile.`;
  return {
    result: after,
    meaning: `${before.balance} before, ${after} after: ledger and receipt match.${meanwhile}`,
    facts: {
      before: String(before.balance),
      redeemed: settlement.creditsRedeemed,
      after: String(after),
      receipt: String(left),
      ...(!isExact && { elsewhere: String(elsewhere) }),
    },
  };
}

const NOTHING_ELSEWHERE = { spent: 0n, added: 0n };

// Other visitors may use the demo account at the same time. Its paid requests and orders show whether they explain
// the difference: each credit must belong to another request or order of just now.
async function findElsewhere(
  { subscriber }: StoryScene,
  { planId, agentRequestId }: Settled,
): Promise<typeof NOTHING_ELSEWHERE> {
  const page = { planId, limit: 100 } as const;
  const [requests, orders] = await Promise.all([
    subscriber.requests.listRequests({ ...page, role: "subscriber" }),
    subscriber.holdings.listOrders({ ...page, status: "minted" }),
  ]);
  const ours = requests.items.find((record) => record.agentRequestId === agentRequestId);
  const since = Date.parse(ours?.settledAt ?? "") - RECENT_MS;
  const spent = requests.items.filter(
    (record) =>
      record !== ours &&
      record.moneyStatus === "settled" &&
      Date.parse(record.settledAt ?? "") >= since,
  );
  const added = orders.items.filter(({ updatedAt }) => Date.parse(updatedAt) >= since);
  return {
    spent: spent.reduce((sum, { credits }) => sum + BigInt(credits), 0n),
    added: added.reduce((sum, { creditsGranted }) => sum + BigInt(creditsGranted), 0n),
  };
}

async function callAgent(scene: StoryScene, headers: Record<string, string> = {}) {
  const { url } = scene.sandbox.agent;
  try {
    return await scene.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(QUESTION),
      redirect: "manual",
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StepFailed(`The agent at ${url} did not respond: ${reason}`, {
      meaning:
        X402_HEADERS.PAYMENT_SIGNATURE in headers
          ? "The outcome is unknown. Don’t pay again yet."
          : "The agent could not be reached. No credits were used.",
      ...(X402_HEADERS.PAYMENT_SIGNATURE in headers && { money: "unknown" as const }),
    });
  }
}

const shorten = (text: string) =>
  text.length > ANSWER_LIMIT ? `${text.slice(0, ANSWER_LIMIT - 1)}…` : text;
