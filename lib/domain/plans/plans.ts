import {
  type AccessLimit,
  isFree,
  type PageQuery,
  type ParsedInputOf,
  PaymentsError,
  type Plan,
  totalOf,
} from "@turnpike/payments/protocol";
import { requireRoom } from "../accounts/room.ts";
import { auditNote, type Context, invalid, notFound, requireCaller } from "../context.ts";
import { parCurrency, readableSum } from "../orders/money.ts";
import { pageAnswer } from "../page-answer.ts";
import type { Ports } from "../ports.ts";
import type { Page, PlanRecord } from "../records.ts";
import { requireChange } from "../require-change.ts";
import type { Verb } from "../verb.ts";
import { byNonce } from "./by-nonce.ts";
import { editTime, requireEdited, untilWritten } from "./edit.ts";
import { requireProofOfPayees } from "./payees.ts";
import { checkTerms } from "./plan-terms.ts";

type RegisterInput = ParsedInputOf<"registerCreditsPlan"> | ParsedInputOf<"registerTimePlan">;

/** Registers a plan whose credits are counted down (§4.1). */
export const registerCreditsPlan: Verb<"registerCreditsPlan"> = registerPlan;

/** Registers a plan that gives access for a time. */
export const registerTimePlan: Verb<"registerTimePlan"> = registerPlan;

function registerPlan(context: Context, input: RegisterInput): Promise<{ planId: string }> {
  const { account } = requireCaller(context);
  const { plans } = context.ports;
  const { nonce } = input;
  return byNonce(nonce, async () => {
    const known = nonce === undefined ? null : await plans.findByNonce(account, nonce);
    if (known) return { planId: known.planId };
    const plan = await newPlan(context, input);
    await plans.insert(plan, auditNote(context, "plan.register", plan.planId));
    return { planId: plan.planId };
  });
}

/** A plan to insert, checked. Throws `invalid_input` naming the path. */
export async function newPlan(
  context: Context,
  input: Omit<RegisterInput, "accessLimit"> & { accessLimit: AccessLimit },
): Promise<PlanRecord> {
  await requireRoom(context, "plans");
  const now = await context.ports.clock.now();
  const isTrial = input.isTrialPlan ?? input.metadataAttributes.isTrialPlan ?? false;
  const plan: PlanRecord = {
    planId: context.ports.crypto.randomUint(),
    owner: requireCaller(context).account,
    state: input.state ?? "listed",
    version: 1,
    accessLimit: input.accessLimit,
    isTrial,
    metadata: { ...input.metadataAttributes, isTrialPlan: isTrial },
    nonce: input.nonce ?? null,
    price: input.priceConfig,
    credits: input.creditsConfig,
    redeemers: [...new Set(input.redeemers)],
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
  await checkTerms(context, plan);
  requireProofOfPayees(context, plan);
  return plan;
}

/** Changes a plan of the caller's. Subscribers keep the terms they ordered. */
export const updatePlan: Verb<"updatePlan"> = (context, input) =>
  untilWritten(async () => {
    const { ports } = context;
    const plan = await getOwnPlan(context, input.planId);
    requireChange("updatePlan", input);
    requireEdited(plan, input.planVersion);
    const changed = changedPlan(plan, input, await editTime(context, plan));
    await checkEdit(context, plan, input, changed);
    requireProofOfPayees(context, changed, plan);
    const isListing = changed.state === "listed" && plan.state !== "listed";
    if (isListing && !(await ports.plans.hasAgent(plan.planId))) {
      throw invalid(
        "state",
        "No agent accepts this plan, so it can’t be listed. Link an agent that has an endpoint, then list the plan.",
      );
    }
    const note = auditNote(context, "plan.update", plan.planId, {
      from: noted(ports, plan),
      to: noted(ports, changed),
    });
    return (await ports.plans.update(plan, changed, note)) ? planAnswer(ports, changed) : null;
  });

/** A plan as the audit trail compares it: no one is answered who redeems it. */
const noted = (ports: Ports, plan: PlanRecord) => ({
  ...planAnswer(ports, plan),
  redeemers: plan.redeemers.toSorted(),
});

/** The plan with what an edit names; new terms are a new version. */
function changedPlan(
  plan: PlanRecord,
  input: ParsedInputOf<"updatePlan">,
  updatedAt: Date,
): PlanRecord {
  const metadata = { ...plan.metadata, ...input.metadataAttributes, isTrialPlan: plan.isTrial };
  const hasNewTerms =
    input.priceConfig !== undefined ||
    input.creditsConfig !== undefined ||
    // Those who bought under the earlier rules keep them.
    (plan.metadata.refundUnusedDays ?? 0) !== (metadata.refundUnusedDays ?? 0) ||
    (plan.metadata.refundFailedCalls ?? false) !== (metadata.refundFailedCalls ?? false);
  return {
    ...plan,
    price: input.priceConfig ?? plan.price,
    credits: input.creditsConfig ?? plan.credits,
    version: hasNewTerms ? plan.version + 1 : plan.version,
    state: input.state ?? plan.state,
    metadata,
    redeemers: [...new Set(input.redeemers ?? plan.redeemers)],
    updatedAt,
  };
}

/** Throws where an edit would make another plan of it. */
async function checkEdit(
  context: Context,
  plan: PlanRecord,
  { isTrialPlan, priceConfig, creditsConfig }: ParsedInputOf<"updatePlan">,
  changed: PlanRecord,
): Promise<void> {
  if (isTrialPlan !== undefined && isTrialPlan !== plan.isTrial) {
    throw invalid(
      "isTrialPlan",
      "A plan can’t become a trial or stop being one. Register another plan.",
    );
  }
  const { rails } = context.ports;
  if (rails.getByPrice(changed.price).scheme !== rails.getByPrice(plan.price).scheme) {
    throw invalid(
      "priceConfig.isCrypto",
      "A plan keeps its payment scheme. Register another plan.",
    );
  }
  if (isFree(changed.price) !== isFree(plan.price)) {
    // Free credits live in the ledger alone, paid ones on chain too: one plan cannot hold both.
    throw invalid("priceConfig.amounts", "A plan stays free or paid. Register another plan.");
  }
  // Earlier releases took other terms.
  if (priceConfig || creditsConfig) await checkTerms(context, changed);
}

export const getPlan: Verb<"getPlan"> = async (context, { planId }) => {
  return planAnswer(context.ports, await getPlanRecord(context, planId));
};

export const listPlans: Verb<"listPlans"> = async (context, query) => {
  const page = await context.ports.plans.listByOwner(requireCaller(context).account, query);
  return planPage(context.ports, page, query);
};

export const listPublicPlans: Verb<"listPublicPlans"> = async (context, query) => {
  return planPage(context.ports, await context.ports.plans.listPublic(query, query.search), query);
};

/** An account's balance on a plan (§2.13); zero and not a subscriber when it never ordered. */
export const getPlanBalance: Verb<"getPlanBalance"> = async (
  context,
  { planId, holderAddress },
) => {
  const plan = await getPlanRecord(context, planId);
  const balance = await context.ports.plans.balance(planId, holderAddress);
  const now = await context.ports.clock.now();
  const isLive = balance !== null && (balance.expiresAt === null || balance.expiresAt > now);
  const held = balance?.held ?? 0n;
  const debt = balance?.debt ?? 0n;
  return {
    planId,
    planName: plan.metadata.name,
    planType: plan.accessLimit,
    holderAddress,
    balance: readableSum((isLive && balance ? balance.available : 0n) + held),
    held: readableSum(held),
    ...(debt > 0n && { debt: readableSum(debt) }),
    isSubscriber: isLive && (balance?.orders ?? 0) > 0,
    ...(balance?.expiresAt && { expiresAt: balance.expiresAt.toISOString() }),
    creditsContract: context.ports.creditsContract,
    pricePerCredit: pricePerCredit(plan),
  };
};

/** The accounts that ordered a plan of the caller's. */
export const listSubscribers: Verb<"listSubscribers"> = async (context, input) => {
  await getOwnPlan(context, input.planId);
  const page = await context.ports.plans.listSubscribers(input.planId, input);
  const items = page.items.map(({ balance, held, creditsUsed, ...subscriber }) => ({
    ...subscriber,
    ...{
      balance: readableSum(balance),
      held: readableSum(held),
      creditsUsed: readableSum(creditsUsed),
    },
  }));
  return pageAnswer({ ...page, items }, input);
};

/** The plan, or `not_found`. */
export async function getPlanRecord(context: Context, planId: string): Promise<PlanRecord> {
  const plan = await context.ports.plans.find(planId);
  if (!plan) throw new PaymentsError("not_found", `No such plan: ${JSON.stringify(planId)}.`);
  return plan;
}

/** The plan, if the caller may order it. Throws `not_found` for another's draft, `conflict` for one archived or of a stopped owner. */
export async function getOrderablePlan(context: Context, planId: string): Promise<PlanRecord> {
  const plan = await getPlanRecord(context, planId);
  const owner = await context.ports.accounts.find(plan.owner);
  return requireOrderable(context, { plan, isStopped: Boolean(owner?.stoppedAt) });
}

/** The same for a plan that was read, and whether its owner is stopped. */
export function requireOrderable(
  context: Context,
  { plan, isStopped }: { plan: PlanRecord; isStopped: boolean },
): PlanRecord {
  const named = `The plan “${plan.metadata.name}”`;
  if (plan.state === "draft" && plan.owner !== requireCaller(context).account)
    throw new PaymentsError("not_found", `${named} is a draft and can’t be ordered.`);
  if (!plan.archivedAt && !isStopped) return plan;
  throw new PaymentsError("conflict", `${named} is archived and can’t be ordered.`, {
    hint: "Order another plan. Credits of this one stay usable.",
  });
}

/** Throws `conflict` for a plan that has other terms by now than those that the caller was shown. */
export function requireVersion(plan: PlanRecord, shown: number | undefined): void {
  if (shown === undefined || shown === plan.version) return;
  throw new PaymentsError("conflict", "The plan’s terms changed. Nothing was charged.", {
    hint: "Check the plan’s new price, then accept it.",
    details: [{ path: "planVersion", message: `The plan has version ${plan.version}.` }],
  });
}

/** A plan of the caller's, or `not_found`. */
export async function getOwnPlan(context: Context, planId: string): Promise<PlanRecord> {
  const plan = await context.ports.plans.find(planId);
  if (!plan || plan.owner !== requireCaller(context).account) throw notFound("plan", planId);
  return plan;
}

export const planPage = (ports: Ports, page: Page<PlanRecord>, query: PageQuery) => {
  const items = page.items.map((plan) => planAnswer(ports, plan));
  return { ...pageAnswer({ ...page, items }, query), plans: items };
};

/** A plan in the shape clients read its scheme from. */
export function planAnswer({ rails }: Pick<Ports, "rails">, plan: PlanRecord): Plan {
  const { scheme, fiatProvider, quote } = rails.getByPrice(plan.price);
  const { currency, cents } = quote(plan.price);
  return {
    id: plan.planId,
    planId: plan.planId,
    owner: plan.owner,
    state: plan.state,
    version: plan.version,
    scheme,
    metadata: {
      main: plan.metadata,
      plan: {
        accessLimit: plan.accessLimit,
        isTrialPlan: plan.isTrial,
        ...(plan.price.currency && { currency: plan.price.currency }),
        ...(fiatProvider && { fiatPaymentProvider: fiatProvider }),
        ...(currency !== null && { orderCost: { currency: parCurrency(currency), cents } }),
      },
    },
    registry: { price: plan.price, credits: plan.credits },
    createdAt: plan.createdAt.toISOString(),
    updatedAt: plan.updatedAt.toISOString(),
    ...(plan.archivedAt && { archivedAt: plan.archivedAt.toISOString() }),
  };
}

// For display only: never used to charge, so a floating-point number will do.
const pricePerCredit = ({ price, credits }: PlanRecord): number =>
  Number(totalOf(price)) / Number(BigInt(credits.amount));
