"use server";

import { PaymentsError, type Plan } from "@turnpike/payments/protocol";
import { after } from "next/server";
import { z } from "zod";
import { type Offer, offerOf, priceOf } from "@/components/checkout/plan-price.ts";
import type { ActionAnswer } from "@/components/forms/action-answer.ts";
import { unwrap } from "@/components/forms/unwrap-answer.ts";
import { findLinkedSession } from "@/lib/domain/orders/checkout-session.ts";
import { planAnswer } from "@/lib/domain/plans/plans.ts";
import { getRunning } from "@/lib/server/running.ts";
import { actionOf, answer, change } from "../_session/operations.ts";
import { requireCaller } from "../_session/session.ts";
import { CheckoutSessionId, LinkEnd } from "./session-id.ts";

const Id = z.string().min(1).max(255);
const Limits = z.object({
  spendingLimitCents: z.string().regex(/^[1-9]\d{0,17}$/),
  durationSecs: z.int().min(60).max(315_576_000),
  maxTransactions: z.int().min(1).max(1_000_000).optional(),
  currency: z.string().max(5),
});
const Payment = z.object({
  planId: Id,
  /** The newest order of the plan when the page was opened, or `first`. Pages with the same one make one order. */
  follows: Id,
  /** The session of the link that led here; it pays once. */
  session: CheckoutSessionId.optional(),
  ends: LinkEnd.optional(),
  /** The plan's version that the page showed. */
  version: z.int().min(0),
  providerPaymentMethodId: Id.optional(),
  delegationId: Id.optional(),
  /** Lets agents order again within these limits. */
  limits: Limits.optional(),
});
export type Payment = z.input<typeof Payment>;
/** The order once there is one, or the plan's terms when they have changed. */
export type Paid = { orderId: string } | { changed: Offer };

const LOOK_EVERY_MS = 60;

/** Orders a plan and answers as soon as the order has an id. Its progress is read from the order. */
export async function pay(input: Payment): Promise<ActionAnswer<Paid>> {
  return answer(async () => {
    const { account } = await requireCaller();
    const { limits, follows, version, session: sessionId, ends, ...wanted } = parse(Payment, input);
    const { planId } = wanted;
    const { ports } = await getRunning();
    const session = sessionId
      ? await findLinkedSession(ports, { account, planId }, { session: sessionId, ends })
      : undefined;
    if (session?.order) return { orderId: session.order.orderId };
    if (session?.isExpired) throw linkExpired();
    const newest = await newestOrder(planId);
    if (newest !== follows) return { orderId: newest };
    const plan = unwrap(await change("getPlan", { planId }));
    if (plan.version !== version) return changedTo(plan);
    const idempotencyKey = session?.nextKey ?? `checkout-${planId}-${follows}`;
    const ordering = change("orderPlan", {
      ...wanted,
      planVersion: version,
      ...(limits && { delegationConfig: limits, endsDelegation: true }),
      idempotencyKey,
    });
    // The order continues after the page has its answer.
    after(() => ordering);
    try {
      return { orderId: await firstSeen(planId, follows, ordering) };
    } catch (cause) {
      // Changed since it was looked at, maybe by another replica, which `getPlan` shows some seconds later.
      const changed = isOtherVersion(cause) ? await ports.plans.find(planId) : null;
      if (!changed) throw cause;
      return changedTo(planAnswer(ports, changed));
    }
  });
}

const linkExpired = () =>
  new PaymentsError("conflict", "This payment link has expired. Nothing was charged.", {
    hint: "Ask for a new link.",
  });

async function changedTo(plan: Plan): Promise<Paid> {
  const { chain } = await getRunning();
  return { changed: offerOf(plan, priceOf(plan, chain.deployment.usdc)) };
}

const isOtherVersion = (cause: unknown): boolean =>
  PaymentsError.is(cause) &&
  cause.code === "conflict" &&
  cause.details?.some(({ path }) => path === "planVersion") === true;

/** The order's id, from its answer or from the list, whichever is first. */
async function firstSeen(
  planId: string,
  follows: string,
  ordering: Promise<ActionAnswer<{ orderId: string }>>,
): Promise<string> {
  for (;;) {
    const pause = new Promise<null>((wake) => setTimeout(wake, LOOK_EVERY_MS, null));
    const ended = await Promise.race([ordering, pause]);
    if (ended?.ok) return ended.data.orderId;
    const newest = await newestOrder(planId);
    if (newest !== follows) return newest;
    if (ended) unwrap(ended);
  }
}

async function newestOrder(planId: string): Promise<string> {
  const { items } = unwrap(await change("listOrders", { planId, withoutTopUps: true, limit: 1 }));
  return items[0]?.orderId ?? "first";
}

/** Creates the delegation a wallet signs before the plan is ordered. */
export const prepareGrant = actionOf("createDelegation");
export const submitGrantSignature = actionOf("submitGrantSignature");

/** Revokes the delegation of a grant that the wallet was not asked to sign in the end. */
export const revokeGrant = actionOf("revokeDelegation");

/** Gives the account test money, in the sandbox only: the chain's coin, or enough test dollars to pay. */
export const getTestFunds = actionOf("fund");

function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PaymentsError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
}
