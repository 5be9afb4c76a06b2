import {
  isExactOffer,
  type PaymentOffer,
  PaymentsError,
  type Plan,
  planIdOf,
  readScheme,
} from "@turnpike/payments/protocol";
import { formatCount, plural } from "@/lib/text/plural.ts";
import { planCost } from "../offer-cost.ts";
import type { Judgement } from "../outcomes.ts";
import type { PlaygroundService } from "../ports.ts";
import type { Expectation } from "../read-receipt.ts";
import type { RunInput } from "../run.ts";
import type { Offer } from "./check-offer.ts";
import { type SignedPayment, signPayment } from "./sign-payment.ts";
import type { StepContext, StepEnd } from "./step.ts";

/** The token a run pays with, and what it is for. */
export type Permission = Omit<Expectation, "after" | "recorded"> & {
  planId: string;
  /** The payment by `exact`, where the seller takes no plans. */
  exact?: SignedPayment;
};

/** Step 3: picks an offer, checks the account's balance, and mints a token or takes the pasted one. */
export async function choosePermission(
  context: StepContext,
  { payable }: Offer,
): Promise<StepEnd<Permission>> {
  const { input, service } = context;
  const offer = pickOffer(payable, input);
  if (isExactOffer(offer)) {
    const signed = await signPayment(context, offer);
    const { found: exact } = signed;
    const none = { offer, plan: null, planId: "", before: null };
    return { ...signed, found: exact && { ...none, token: exact.header, exact } };
  }
  const planId = planIdOf(offer) ?? "";
  const found = await service.readPlan(planId).catch(() => undefined);
  const plan = found ?? null;
  const judged = await judge({ input, service, offer, plan, planId, isUnknown: found === null });
  const { outcome, values, token = null, before = null } = judged;
  return {
    outcome,
    values: before === null ? values : { ...values, left: String(before) },
    changes: { planId, planName: plan?.metadata.main.name ?? null },
    found: token === null ? null : { token, offer, plan, planId, before },
  };
}

type Subject = Pick<Permission, "offer" | "plan" | "planId"> & {
  input: RunInput;
  service: PlaygroundService;
  /** The service answered that it has no such plan. */
  isUnknown: boolean;
};

type Judged = Judgement & { token?: string; before?: bigint | null };

async function judge(subject: Subject): Promise<Judged> {
  const { input, service, offer, plan, planId, isUnknown } = subject;
  const name = plan?.metadata.main.name ?? planId;
  if (input.token.kind === "none") return { outcome: "token-none", values: {} };
  if (input.token.kind === "paste") {
    const known = service.account ? await service.readBalance(planId).catch(() => null) : null;
    const token = input.token.token.trim();
    return { outcome: "token-pasted", values: {}, token, before: known?.balance ?? null };
  }
  if (!service.account) {
    return { outcome: "sign-in-needed", values: { cost: planCost(offer, plan) } };
  }
  if (isUnknown) return { outcome: "plan-unknown", values: { plan: planId } };

  if (offer.extra?.holderRequired || plan?.registry.credits.holderRequired) {
    return { outcome: "signed-only", values: { plan: name } };
  }
  const needed = BigInt(offer.amount ?? plan?.registry.credits.minAmount ?? 1);
  if (input.maxCredits !== undefined && needed > BigInt(input.maxCredits)) {
    const cap = plural(BigInt(input.maxCredits), "credit");
    return { outcome: "over-cap", values: { needed: plural(needed, "credit"), cap } };
  }
  const known = await service.readBalance(planId);
  const { balance: before, isSubscriber, planType } = known;
  // A test customer has what it needs, or its token orders it.
  const isTest = input.token.kind === "test";
  if (!isTest && !isSubscriber && !plan?.metadata.plan.isTrialPlan && before === 0n) {
    return { before, outcome: "not-subscribed", values: { plan: name } };
  }
  if (!isTest && planType === "credits" && before < needed && isFree(plan)) {
    return { before, outcome: "no-credits", values: { plan: name, needed: formatCount(needed) } };
  }
  try {
    const { accessToken: token } = await mint(subject);
    // Minting may have ordered a free plan.
    const { balance: before } = isTest ? await service.readBalance(planId) : known;
    return { before, outcome: "ready", values: { balance: plural(before, "credit") }, token };
  } catch (cause) {
    return { before, ...judgeMint(cause, name) };
  }
}

const mint = ({ input, service, offer, planId }: Subject) =>
  service.mint({
    planId,
    agentId: offer.extra?.agentId,
    scheme: input.scheme ?? offer.scheme,
    network: offer.network,
    resource: input.url,
    httpVerb: offer.extra?.httpVerb && input.method,
    delegationId: input.token.kind === "mint" ? input.token.delegationId : undefined,
  });

/** The offer the user chose, else the first in the scheme they allow, else the first. */
function pickOffer(payable: Offer["payable"], { planId, scheme }: RunInput): PaymentOffer {
  const wanted = payable.find((offer) => planId !== undefined && planIdOf(offer) === planId);
  const allowed = payable.find(
    (offer) => scheme !== undefined && readScheme(offer.scheme) === readScheme(scheme),
  );
  return wanted ?? allowed ?? payable[0];
}

function judgeMint(cause: unknown, plan: string): Judgement {
  if (!PaymentsError.is(cause)) throw cause;
  const { code, message, hint, details } = cause;
  const values = { message, hint, plan };
  if (/card|payment method/i.test(message) && code !== "internal") {
    return { outcome: "no-card", values };
  }
  if (/delegation/i.test(message)) return { outcome: "delegation-ended", values };
  if (code === "insufficient_balance") {
    return { outcome: "no-credits", values: { ...values, needed: "more" } };
  }
  const [first] = details ?? [];
  return { outcome: "mint-refused", values: first ? { ...values, hint: first.message } : values };
}

const isFree = (plan: Plan | null) => plan !== null && plan.registry.price.amounts.length === 0;
