"use server";

import { PaymentsError } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { z } from "zod";
import { answer, change } from "@/app/_session/operations.ts";
import { requireCaller } from "@/app/_session/session.ts";
import { getRunning } from "@/lib/server/running.ts";

const Id = z.string().min(1).max(255);
const Mint = z.object({
  planId: Id,
  agentId: Id.optional(),
  delegationId: Id.optional(),
  limits: z
    .object({
      spendingLimitCents: z.string().regex(/^[1-9]\d{0,17}$/),
      durationSecs: z.int().min(60).max(315_576_000),
      maxTransactions: z.int().min(1).max(1_000_000).optional(),
      currency: z.string().max(5),
      providerPaymentMethodId: Id.optional(),
    })
    .optional(),
  providerPaymentMethodId: Id.optional(),
  /** From now; never past the delegation's end. */
  lifeSecs: z.int().min(60).max(315_576_000).optional(),
  redemptionLimit: z.int().min(1).max(1_000_000_000).optional(),
});
export type Mint = z.input<typeof Mint>;

/** Mints an access token; its text is in this answer and nowhere else. */
export async function mintToken(input: Mint) {
  return answer(async () => {
    await requireCaller();
    const { planId, agentId, delegationId, limits, lifeSecs, ...rest } = read(input);
    const { redemptionLimit, providerPaymentMethodId } = rest;
    const { ports } = await getRunning();
    const now = await ports.clock.now();
    const config = delegationId
      ? { delegationId }
      : (limits ?? (providerPaymentMethodId ? { providerPaymentMethodId } : undefined));
    const minted = await change("getX402AccessToken", {
      accepted: { planId, ...(agentId && { extra: { agentId } }) },
      ...(config && { delegationConfig: config }),
      ...(redemptionLimit !== undefined && { redemptionLimit }),
      ...(lifeSecs !== undefined && {
        expiration: new Date(now.getTime() + lifeSecs * 1_000).toISOString(),
      }),
    });
    if (minted.ok) return minted.data;
    const { code, message, hint, details } = minted;
    throw new PaymentsError(code, message, { hint, details });
  });
}

export async function revokeToken(tokenId: string) {
  const revoked = await change("revokeToken", { tokenId });
  revalidatePath("/tokens");
  return revoked;
}

function read(input: Mint): z.output<typeof Mint> {
  const parsed = Mint.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PaymentsError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
}
