import {
  type PaymentOffer,
  PaymentsError,
  type Plan,
  planIdOf,
  readScheme,
} from "@turnpike/payments/protocol";
import { creditsText, groupedText } from "./credits-text.ts";
import type { Judged } from "./judge-answer.ts";
import type { PlaygroundService } from "./ports.ts";
import type { RunInput } from "./run.ts";

/** The permission a run goes on with, or the outcome that ends it. */
export type Permission = Judged & {
  token: string | null;
  offer: PaymentOffer;
  plan: Plan | null;
  planId: string;
  before: bigint | null;
};

type Choice = {
  input: RunInput;
  payable: readonly PaymentOffer[];
  service: PlaygroundService;
};

/** Picks an offer, looks at what the account has for it, and mints or takes the token. */
export async function choosePermission({ input, payable, service }: Choice): Promise<Permission> {
  const offer = pickOffer(payable, input);
  const planId = planIdOf(offer) ?? "";
  const read = await service.readPlan(planId).catch(() => undefined);
  const plan = read ?? null;
  const name = plan?.metadata.main.name ?? planId;
  const base = { token: null, offer, plan, planId, before: null };
  const { token } = input;
  if (token.kind === "none") return { ...base, outcome: "token-none", values: {} };
  if (token.kind === "paste") {
    const before = service.account ? await balanceOf(service, planId) : null;
    return { ...base, token: token.token.trim(), before, outcome: "token-pasted", values: {} };
  }
  if (!service.account) return { ...base, outcome: "sign-in-needed", values: {} };
  if (read === null) return { ...base, outcome: "plan-unknown", values: { plan: planId } };

  const needed = BigInt(offer.amount ?? plan?.registry.credits.minAmount ?? 1);
  if (input.maxCredits !== undefined && needed > BigInt(input.maxCredits)) {
    const values = { needed: creditsText(needed), cap: creditsText(BigInt(input.maxCredits)) };
    return { ...base, outcome: "over-cap", values };
  }
  const standing = await service.readBalance(planId);
  const before = standing.balance;
  if (!standing.isSubscriber && !plan?.metadata.plan.isTrialPlan && before === 0n) {
    return { ...base, before, outcome: "not-subscribed", values: { plan: name } };
  }
  if (standing.planType === "credits" && before < needed && isFree(plan)) {
    const values = { plan: name, needed: groupedText(needed) };
    return { ...base, before, outcome: "no-credits", values };
  }
  try {
    const { accessToken } = await service.mint({
      planId,
      agentId: offer.extra?.agentId,
      scheme: input.scheme ?? offer.scheme,
      network: offer.network,
      resource: input.url,
      httpVerb: input.method,
      delegationId: token.delegationId,
    });
    const values = { balance: creditsText(before), token: "A token was minted for this agent." };
    return { ...base, token: accessToken, before, outcome: "ready", values };
  } catch (cause) {
    return { ...base, before, ...judgeMint(cause, name) };
  }
}

/** The offer the person chose, else the first whose scheme they allow, else the first. */
function pickOffer(payable: readonly PaymentOffer[], { planId, scheme }: RunInput): PaymentOffer {
  const wanted = payable.find((offer) => planId !== undefined && planIdOf(offer) === planId);
  const allowed = payable.find(
    (offer) => scheme !== undefined && readScheme(offer.scheme) === readScheme(scheme),
  );
  return wanted ?? allowed ?? (payable[0] as PaymentOffer);
}

function judgeMint(cause: unknown, plan: string): Judged {
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

const balanceOf = (service: PlaygroundService, planId: string) =>
  service.readBalance(planId).then(
    ({ balance }) => balance,
    () => null,
  );
