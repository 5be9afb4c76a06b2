import type { MoneyStatus } from "@turnpike/payments/protocol";

/** A step after it ran, as the server streams it. */
export type PaidCallStep = {
  id: string;
  title: string;
  meaning: string;
  ok: boolean;
  ran: boolean;
  durationMs: number;
  status?: number;
  money?: MoneyStatus;
  facts: Record<string, string>;
  error?: string;
};

/** The step that sends the token: from here on, credits may be charged. */
export const PAYING_STEP = "call";
