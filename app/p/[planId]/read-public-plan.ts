import "server-only";
import type { Plan } from "@turnpike/payments/protocol";
import { notFound } from "next/navigation";
import { cache } from "react";
import { readPublic } from "@/app/_session/operations.ts";
import { readSession } from "@/app/_session/session.ts";

/** A plan as everyone sees it. Only the owner can see a draft. */
export const readPublicPlan = cache(
  async (planId: string): Promise<{ plan: Plan; isOwn: boolean }> => {
    if (!/^(0|[1-9]\d{0,77})$/.test(planId)) notFound();
    const [plan, session] = await Promise.all([readPublic("getPlan", { planId }), readSession()]);
    const isOwn = plan !== null && session?.account.address === plan.owner;
    if (!plan || (plan.state === "draft" && !isOwn)) notFound();
    return { plan, isOwn };
  },
);
