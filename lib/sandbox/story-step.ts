import type { Payments } from "@turnpike/payments";
import { PaymentsError } from "@turnpike/payments/protocol";
import type { StoryStep } from "@/lib/playground/story-steps.ts";
import { plural } from "@/lib/text/plural.ts";
import type { SandboxFile } from "./sandbox-file.ts";

/** Which of the sandbox's three plans to pay with. */
export type PlanKind = keyof SandboxFile["plans"];

/** What the steps need: both parties' clients, the sandbox, and a fetch to call the agent with. */
export type StoryScene = {
  sandbox: SandboxFile;
  subscriber: Payments;
  builder: Payments;
  fetch: typeof fetch;
};

/** A step's result for later steps, and what is displayed. */
export type StepResult<T> = Pick<StoryStep, "meaning" | "facts" | "status" | "money"> & {
  result: T;
};

/** A step whose claim is false, with what to display. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  constructor(
    message: string,
    readonly seen: Partial<Pick<StoryStep, "meaning" | "facts" | "status" | "money">> = {},
  ) {
    super(message);
  }
}

/** The error and its hint in one line. */
export function describeError(error: unknown): string {
  if (PaymentsError.is(error)) return `${error.message} ${error.hint}`.trim();
  return error instanceof Error ? error.message : String(error);
}

/** The subscriber's remaining credits on a plan. */
export async function readBalance(scene: StoryScene, planId: string): Promise<bigint> {
  const { address } = scene.sandbox.subscriber;
  const { balance } = await scene.subscriber.plans.getPlanBalance(planId, address);
  return balance;
}

/** Fails the step if two values differ; addresses are compared case-insensitively. */
export function requireSame(name: string, got: string | undefined, expected: string): void {
  if (got?.toLowerCase() === expected.toLowerCase()) return;
  throw new StepFailed(`Expected ${name} ${expected}, got ${got ?? "none"}.`);
}

export const creditsText = (credits: bigint | string): string => plural(BigInt(credits), "credit");

/** An amount with thousands separated. */
export const grouped = (amount: bigint | string) => BigInt(amount).toLocaleString("en-US");
