import {
  decodeHeader,
  decodePaymentRequired,
  planIdOf,
  Settlement,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import type { PlanChoice } from "./story-order.ts";
import type { Offer } from "./story-permission.ts";
import {
  creditsText,
  readBalance,
  requireSame,
  StoryBroke,
  type StoryScene,
  type Told,
} from "./story-step.ts";

/** The agent's answer to a paid request, and the receipt header it came with. */
export type PaidAnswer = { receipt: string | null };

type Settled = Extract<Settlement, { success: true }>;

const QUESTION = { question: "What does a paid call cost?" };
const ANSWER_LIMIT = 160;
const CALL_TIMEOUT_MS = 30_000;
const RECENT_MS = 30_000;

export async function callWithoutToken(
  scene: StoryScene,
  { planId }: PlanChoice,
): Promise<Told<Offer>> {
  const response = await callAgent(scene);
  const { status } = response;
  await response.body?.cancel();
  if (status !== 402) {
    throw new StoryBroke(`Expected 402 without a token, got ${status}.`, {
      status,
      meaning: status < 300 ? "This endpoint answered for free. It is not gated." : undefined,
    });
  }
  const header = response.headers.get(X402_HEADERS.PAYMENT_REQUIRED);
  const paymentRequired = header ? decodePaymentRequired(header) : null;
  if (!paymentRequired) {
    throw new StoryBroke("402 without an offer. A client cannot pay this.", { status });
  }
  const offer = paymentRequired.accepts.find((each) => planIdOf(each) === planId);
  if (!offer) throw new StoryBroke(`The agent does not offer plan ${planId}.`, { status });
  requireSame("agentId", offer.extra?.agentId, scene.sandbox.agent.agentId);
  const credits = offer.amount ?? "1";
  return {
    result: { paymentRequired, credits },
    status,
    money: "challenged",
    meaning: `The agent asks for ${creditsText(credits)} and offers ${paymentRequired.accepts.length} plans to pay with.`,
    facts: {
      scheme: offer.scheme,
      network: offer.network ?? "",
      credits,
      offers: String(paymentRequired.accepts.length),
      x402Version: String(paymentRequired.x402Version),
    },
  };
}

export async function callWithToken(scene: StoryScene, token: string): Promise<Told<PaidAnswer>> {
  const response = await callAgent(scene, { [X402_HEADERS.PAYMENT_SIGNATURE]: token });
  const { status } = response;
  const text = await response.text();
  if (status !== 200) throw brokenCall(status, text);
  return {
    result: { receipt: response.headers.get(X402_HEADERS.PAYMENT_RESPONSE) },
    status,
    meaning: "The gate put the credits on hold, the agent did its work and answered.",
    facts: { answer: shorten(text) },
  };
}

function brokenCall(status: number, text: string): StoryBroke {
  const facts = { answer: shorten(text) };
  if (status === 402) {
    const meaning = "The payment was offered and not accepted. No credits were used.";
    return new StoryBroke("The agent refused the token.", {
      status,
      facts,
      meaning,
      money: "refused",
    });
  }
  // Only the service may say that nothing was charged, so a failed agent alone stays "unknown".
  return new StoryBroke(`The agent answered ${status}.`, {
    status,
    facts,
    meaning: "The agent failed before payment. We could not learn whether credits were taken.",
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
): Promise<Told<Settled>> {
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
    meaning: `${creditsText(settlement.creditsRedeemed)} taken, after the answer. The service’s own record agrees.`,
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
    "You have the answer, but payment was not confirmed. Credits may still be taken later.";
  const unsettled = { meaning, money: "delivered-unsettled" } as const;
  if (!receipt) throw new StoryBroke("200 without a payment-response header.", unsettled);
  const settlement = Settlement.safeParse(decodeHeader(receipt));
  if (!settlement.success) throw new StoryBroke("The receipt cannot be read.", unsettled);
  if (settlement.data.success) return settlement.data;
  const { errorReason, errorMessage } = settlement.data;
  throw new StoryBroke(errorMessage ?? `Settlement was refused: ${errorReason}.`, {
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
): Promise<Told<bigint>> {
  const after = await readBalance(scene, choice.planId);
  const expected = before.balance - BigInt(settlement.creditsRedeemed);
  const left = BigInt(settlement.remainingBalance);
  const isExact = after === expected && left === expected;
  const elsewhere = isExact ? 0n : expected - after;
  const isExplained =
    left >= after && left <= expected && (await isSpentElsewhere(scene, settlement, elsewhere));
  if (!isExact && !isExplained) {
    throw new StoryBroke(
      `Had ${before.balance}, used ${settlement.creditsRedeemed}, so ${expected} should be left; ` +
        `the receipt says ${left}, the balance is ${after}.`,
      { meaning: "Ledger and receipt differ." },
    );
  }
  const meanwhile = isExact ? "" : ` ${creditsText(elsewhere)} went to other calls meanwhile.`;
  return {
    result: after,
    meaning: `${before.balance} before, ${after} after: ledger and receipt agree to the credit.${meanwhile}`,
    facts: {
      before: String(before.balance),
      redeemed: settlement.creditsRedeemed,
      after: String(after),
      receipt: String(left),
      ...(!isExact && { elsewhere: String(elsewhere) }),
    },
  };
}

// The demo account may be in use elsewhere. Its own list of paid requests says whether that explains
// a difference: each credit must belong to another request that was settled just now.
async function isSpentElsewhere(
  scene: StoryScene,
  { planId, agentRequestId }: Settled,
  credits: bigint,
): Promise<boolean> {
  if (credits <= 0n) return false;
  const page = { role: "subscriber", planId, limit: 100 } as const;
  const { items } = await scene.subscriber.requests.listRequests(page);
  const ours = items.find((record) => record.agentRequestId === agentRequestId);
  const since = Date.parse(ours?.settledAt ?? "") - RECENT_MS;
  const others = items.filter(
    (record) =>
      record !== ours &&
      record.moneyStatus === "settled" &&
      Date.parse(record.settledAt ?? "") >= since,
  );
  return others.reduce((sum, record) => sum + BigInt(record.credits), 0n) >= credits;
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
    throw new StoryBroke(`No answer from the agent at ${url}: ${reason}`, {
      meaning:
        X402_HEADERS.PAYMENT_SIGNATURE in headers
          ? "We could not learn the outcome. Do not pay again yet."
          : "The agent could not be reached. No credits were used.",
      ...(X402_HEADERS.PAYMENT_SIGNATURE in headers && { money: "unknown" as const }),
    });
  }
}

const shorten = (text: string) =>
  text.length > ANSWER_LIMIT ? `${text.slice(0, ANSWER_LIMIT - 1)}…` : text;
