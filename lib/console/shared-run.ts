import { MoneyStatus } from "@turnpike/payments/protocol";
import * as z from "zod";

/** The longest run that can be shared, in characters of JSON. */
export const MAX_SHARED_RUN = 200_000;
/** The same before its secrets are removed. */
export const MAX_RAW_RUN = 1_000_000;

const Text = z.string().max(100_000);
const Word = z.string().max(300);
const Headers = z.array(z.tuple([Word, z.string().max(16_384)])).max(200);

const Exchange = z.object({
  request: z.object({ method: Word, url: Text, headers: Headers, body: Text.nullable() }),
  answer: z
    .object({
      status: z.number(),
      headers: Headers,
      body: Text,
      bytes: z.number(),
      cut: z.object({ code: Word, message: Text }).nullable(),
    })
    .nullable(),
  failure: z
    .object({ kind: z.enum(["refused", "failed", "hidden"]), code: Word, message: Text })
    .nullable(),
  startedAt: Word,
  durationMs: z.number(),
});

const Step = z.object({
  id: z.enum(["ask", "offer", "permission", "verify", "pay", "settle"]),
  status: z.enum(["idle", "running", "ok", "warn", "error", "skipped"]),
  outcome: Word.nullable(),
  values: z.record(Word, Text),
  facts: z
    .array(z.object({ name: Word, value: Text, holds: z.boolean().nullable(), note: Text }))
    .max(100),
  durationMs: z.number(),
  exchange: Exchange.nullable(),
  reason: Word.nullable(),
});

/** A playground run that may be shown to others: without tokens, keys or logins. */
export const SharedRun = z.object({
  input: z.object({ method: Word, url: Text, headers: Headers, body: Text.nullable() }),
  startedAt: Word,
  steps: z.array(Step).length(6),
  money: MoneyStatus.nullable(),
  agentRequestId: Word.nullable(),
  requirement: z.looseObject({}).nullable(),
  planId: Word.nullable(),
  planName: Word.nullable(),
  credits: z.object({ before: Word, after: Word }).nullable(),
});
export type SharedRun = z.output<typeof SharedRun>;

/** A secret that was removed from a run before it was stored. */
export const RemovedPart = z.object({ what: z.string(), where: z.string() });
export type RemovedPart = z.output<typeof RemovedPart>;

/** A link to a shared run, and when it expires. */
export const SharedRunSummary = z.object({
  shareId: z.string(),
  method: z.string(),
  url: z.string(),
  money: MoneyStatus.nullable(),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type SharedRunSummary = z.output<typeof SharedRunSummary>;

/** A run that stopped at the offer. */
export const sampleRun: SharedRun = {
  input: { method: "POST", url: "https://agent.example/ask", headers: [], body: "{}" },
  startedAt: "2026-01-01T00:00:00.000Z",
  steps: Step.shape.id.options.map((id) => ({
    id,
    status: "skipped",
    outcome: "not-asked",
    values: {},
    facts: [],
    durationMs: 0,
    exchange: null,
    reason: null,
  })),
  money: "challenged",
  agentRequestId: null,
  requirement: null,
  planId: null,
  planName: null,
  credits: null,
};
