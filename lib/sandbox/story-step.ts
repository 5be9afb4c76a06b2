import type { Payments } from "@turnpike/payments";
import { type MoneyStatus, PaymentsError } from "@turnpike/payments/protocol";
import type { SandboxFile } from "./sandbox-file.ts";

/** Which of the sandbox's three plans pays. */
export type PlanKind = keyof SandboxFile["plans"];

/** The ten steps of a paid call, in order. */
export const STORY_STEPS = [
  { id: "plan", title: "Read the plan", about: "What is sold, for how much, and how it is paid." },
  { id: "agent", title: "Find the agent", about: "Which endpoint the plan pays for." },
  { id: "order", title: "Order credits", about: "Only when the account has none left." },
  { id: "delegation", title: "Allow spending", about: "A limit, a time, and a key of its own." },
  { id: "token", title: "Mint an access token", about: "Signed by that key, for this agent." },
  { id: "ask", title: "Ask without paying", about: "The agent asks for payment and says how." },
  { id: "verify", title: "Dry verify", about: "Would the token be accepted? Takes nothing." },
  {
    id: "call",
    title: "Ask again with the token",
    about: "The agent works; the credit is on hold.",
  },
  { id: "receipt", title: "Settle and receipt", about: "Runs only after a 2xx answer." },
  { id: "balance", title: "Compare the balance", about: "Ledger and receipt must agree." },
] as const;

export type StoryStepId = (typeof STORY_STEPS)[number]["id"];

/** One step as it went: what happened, what it means, and what was checked. */
export type StoryStep = {
  id: StoryStepId;
  title: string;
  /** One or two sentences for a person. */
  meaning: string;
  /** Whether everything this step claims was checked and held. */
  ok: boolean;
  /** False for the steps after a failed one. */
  ran: boolean;
  durationMs: number;
  /** The agent's HTTP status, for the steps that call it. */
  status?: number;
  /** What the money of the request did, once a step knows. */
  money?: MoneyStatus;
  facts: Record<string, string>;
  error?: string;
};

/** What the steps need: both parties' clients, where they are, and a fetch to call the agent with. */
export type StoryScene = {
  sandbox: SandboxFile;
  subscriber: Payments;
  builder: Payments;
  fetch: typeof fetch;
};

/** What one step reports: its result for later steps beside what a reader sees. */
export type Told<T> = Pick<StoryStep, "meaning" | "facts" | "status" | "money"> & { result: T };

/** A step whose claim did not hold, with what a reader should see of it. */
export class StoryBroke extends Error {
  override readonly name = "StoryBroke";
  constructor(
    message: string,
    readonly seen: Partial<Pick<StoryStep, "meaning" | "facts" | "status" | "money">> = {},
  ) {
    super(message);
  }
}

/** What went wrong and what to do about it, in one line. */
export function describeError(error: unknown): string {
  if (PaymentsError.is(error)) return `${error.message} ${error.hint}`.trim();
  return error instanceof Error ? error.message : String(error);
}

/** What the subscriber has left on a plan, in credits. */
export async function readBalance(scene: StoryScene, planId: string): Promise<bigint> {
  const { address } = scene.sandbox.subscriber;
  const { balance } = await scene.subscriber.plans.getPlanBalance(planId, address);
  return balance;
}

/** Breaks the story when two values that name one thing differ; addresses compare without case. */
export function requireSame(name: string, got: string | undefined, expected: string): void {
  if (got?.toLowerCase() === expected.toLowerCase()) return;
  throw new StoryBroke(`Expected ${name} ${expected}, got ${got ?? "none"}.`);
}

export const creditsText = (credits: bigint | string) =>
  `${grouped(credits)} ${String(credits) === "1" ? "credit" : "credits"}`;

/** An amount with thousands separated. */
export const grouped = (amount: bigint | string) => BigInt(amount).toLocaleString("en-US");
