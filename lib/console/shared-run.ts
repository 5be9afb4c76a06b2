import { MoneyStatus } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** The longest run that can be shared, in characters of JSON. */
export const MAX_SHARED_RUN = 200_000;
/** The same before its secrets are removed. */
export const MAX_RAW_RUN = 1_000_000;

const Text = z.string().check(z.maxLength(100_000));
const Word = z.string().check(z.maxLength(300));
const Headers = z
  .array(z.tuple([Word, z.string().check(z.maxLength(16_384))]))
  .check(z.maxLength(200));

const Exchange = z.object({
  request: z.object({ method: Word, url: Text, headers: Headers, body: z.nullable(Text) }),
  answer: z.nullable(
    z.object({
      status: z.number(),
      headers: Headers,
      body: Text,
      bytes: z.number(),
      cut: z.nullable(z.object({ code: Word, message: Text })),
    }),
  ),
  failure: z.nullable(
    z.object({ kind: z.enum(["refused", "failed", "hidden"]), code: Word, message: Text }),
  ),
  startedAt: Word,
  durationMs: z.number(),
});

const Step = z.object({
  id: z.enum(["ask", "offer", "permission", "verify", "pay", "settle"]),
  status: z.enum(["idle", "running", "ok", "warn", "error", "skipped"]),
  outcome: z.nullable(Word),
  values: z.record(Word, Text),
  facts: z
    .array(z.object({ name: Word, value: Text, holds: z.nullable(z.boolean()), note: Text }))
    .check(z.maxLength(100)),
  durationMs: z.number(),
  exchange: z.nullable(Exchange),
  reason: z.nullable(Word),
});

/** A playground run that may be shown to others: without tokens, keys or logins. */
export const SharedRun = z.object({
  input: z.object({ method: Word, url: Text, headers: Headers, body: z.nullable(Text) }),
  startedAt: Word,
  steps: z.array(Step).check(z.length(6)),
  money: z.nullable(MoneyStatus),
  agentRequestId: z.nullable(Word),
  requirement: z.nullable(z.looseObject({})),
  planId: z.nullable(Word),
  planName: z.nullable(Word),
  credits: z.nullable(z.object({ before: Word, after: Word })),
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
  money: z.nullable(MoneyStatus),
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
