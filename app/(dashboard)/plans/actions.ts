"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { actionsOf, answer } from "@/app/_session/operations.ts";
import { requireCaller } from "@/app/_session/session.ts";
import { type ListChanges, withListChanges } from "@/components/forms/changes.ts";
import type { PlanTexts } from "@/components/plans/plan-types.ts";
import { getPlanOf } from "./read-own-plan.ts";

type NewPlan = InputOf<"registerCreditsPlan"> | InputOf<"registerTimePlan">;

const action = actionsOf("/plans", "layout");

/** Registers a plan. Sending the same nonce again returns the same plan. */
export async function createPlan(plan: NewPlan) {
  return plan.accessLimit === "time"
    ? action("registerTimePlan")(plan)
    : action("registerCreditsPlan")(plan as InputOf<"registerCreditsPlan">);
}

/** Updates a plan. A new price or new credits make a new version, for later orders. */
export const updatePlan = action("updatePlan");

/**
 * Publishes the next version of a plan. The form sends whole terms, made from those of `version`: they would revert what
 * a later version changed.
 */
export async function publishVersion(version: number, changes: InputOf<"updatePlan">) {
  const published = await updatePlan({ ...changes, planVersion: version });
  if (published.ok || published.code !== "conflict") return published;
  return {
    ...published,
    hint: "Your edits are kept. Check what changes now, then publish again.",
  };
}

/** Changes some of a plan's texts. The operation needs a name; one that isn't changed is the plan's current name. */
export async function describePlan(planId: string, changes: Partial<PlanTexts>) {
  const now = await planNow(planId);
  if (!now.ok) return now;
  const { name } = now.data.metadata;
  return updatePlan({ planId, metadataAttributes: { name, ...changes } });
}

/** Adds and removes accounts that can use a plan's credits. The operation takes the whole list: the page's may be old. */
export async function changeRedeemers(planId: string, changes: ListChanges) {
  const now = await planNow(planId);
  if (!now.ok) return now;
  const redeemers = withListChanges(now.data.redeemers, changes);
  const changed = await updatePlan({ planId, redeemers });
  return changed.ok ? { ...changed, data: redeemers } : changed;
}

const planNow = (planId: string) => answer(async () => getPlanOf(await requireCaller(), planId));

export const archivePlan = action("archivePlan");
export const restorePlan = action("restorePlan");
export const deletePlan = action("deletePlan");
