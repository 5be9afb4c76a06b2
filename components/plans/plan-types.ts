import type { InputOf, Plan } from "@turnpike/payments/protocol";
import type { ActionAnswer } from "../forms/action-answer.ts";
import type { ListChanges } from "../forms/changes.ts";

/** What people read about a plan. */
export type PlanTexts = Plan["metadata"]["main"];

export type UpdatePlan = (changes: InputOf<"updatePlan">) => Promise<ActionAnswer<unknown>>;

export type PublishVersion = (
  version: number,
  changes: InputOf<"updatePlan">,
) => Promise<ActionAnswer<{ version: number }>>;

export type DescribePlan = (
  planId: string,
  changes: Partial<PlanTexts>,
) => Promise<ActionAnswer<Pick<Plan, "metadata">>>;

/** The server action that changes who can use a plan's credits, and answers with all of them. */
export type ChangeRedeemers = (
  planId: string,
  changes: ListChanges,
) => Promise<ActionAnswer<string[]>>;
