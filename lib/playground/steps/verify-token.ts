import { decodeAccessToken, PaymentsError, type Verification } from "@turnpike/payments/protocol";
import { formatCount, plural } from "@/lib/text/plural.ts";
import type { PlaygroundService } from "../ports.ts";
import { fact } from "../run.ts";
import { shortAddress } from "../short-address.ts";
import type { Offer } from "./check-offer.ts";
import { verifyPayment } from "./check-payment.ts";
import type { Permission } from "./choose-permission.ts";
import type { StepContext, StepEnd } from "./step.ts";

export type VerifiedToken = {
  /** In words, for a later 402. */
  verdict: string;
  /** Settling orders the plan first. */
  topsUp: boolean;
};

type Given = { offer: Offer; permission: Permission };

/** Step 4: asks the service whether it would accept the token, without using credits. */
export async function verifyToken(
  { service, input }: StepContext,
  { offer, permission }: Given,
): Promise<StepEnd<VerifiedToken>> {
  const { token, plan } = permission;
  if (permission.exact) return verifyPayment(service, offer.requirement, permission.exact);
  const payer = decodeAccessToken(token)?.payload.authorization.from ?? "";
  if (payer !== "" && payer.toLowerCase() !== service.account?.toLowerCase()) {
    const verdict = "not checked, because the token belongs to another account";
    const values = { payer: shortAddress(payer) };
    return { outcome: "verify-not-mine", values, found: { verdict, topsUp: false } };
  }
  try {
    const verification = await service.dryVerify(offer.requirement, token, input.maxCredits);
    if (!verification.isValid) return await describeInvalid(service, permission, verification);
    const { payer, credits, balance, needsOrder: topsUp = false } = verification;
    return {
      outcome: topsUp ? "verify-tops-up" : "verify-valid",
      values: { payer: shortAddress(payer), plan: plan?.metadata.main.name ?? "" },
      facts: [
        fact("isValid", "true", true, "reported by the service"),
        fact("payer", payer, true, "matches the payer of the token"),
        fact("credits", credits, null, "required for this call"),
        fact("balance", balance, null, "current balance"),
      ],
      found: { verdict: "valid", topsUp },
    };
  } catch (cause) {
    if (!PaymentsError.is(cause) || cause.httpStatus < 500) throw cause;
    return { outcome: "verify-unavailable", values: {}, reason: cause.code, found: null };
  }
}

async function describeInvalid(
  service: PlaygroundService,
  { token, plan, offer, before }: Permission,
  { invalidReason: reason, invalidMessage, cause = "" }: Extract<Verification, { isValid: false }>,
): Promise<StepEnd> {
  const needed = BigInt(offer.amount ?? 1);
  const balance = before ?? 0n;
  const isLimit = reason === "insufficient_balance" && balance >= needed;
  const tokenPlanId = decodeAccessToken(token)?.payload.authorization.planId ?? "";
  const tokenPlan = tokenPlanId && (await service.readPlan(tokenPlanId).catch(() => null));
  return {
    outcome: outcomeOfBudget(cause) ?? (isLimit ? "limit-reached" : reason),
    values: {
      plan: plan?.metadata.main.name ?? "",
      tokenPlan: tokenPlan ? tokenPlan.metadata.main.name : tokenPlanId,
      needed: formatCount(needed),
      balance: plural(balance, "credit"),
      message: invalidMessage ?? "",
    },
    reason,
    found: null,
  };
}

/** What a refusal by a budget, or by an approval that is missing, is called. */
function outcomeOfBudget(cause: string): "waits-for-approval" | "budget-reached" | null {
  if (cause === "pending_approval") return "waits-for-approval";
  return cause.startsWith("budget_") || cause === "approval_declined" ? "budget-reached" : null;
}
