import { Count, Decimal, defineOperations, PlanId, Uint256 } from "@turnpike/payments/protocol";
import * as z from "zod/mini";

/** A million test dollars. */
const MOST_TEST_DOLLARS = 1_000_000_000_000n;

/** What the faucet fills up; both when left out. */
const FundRequest = z.object({
  usdc: z.optional(z.boolean()),
  native: z.optional(z.boolean()),
  /** Test dollars in the smallest unit, where more than the usual amount is needed. */
  usdcAtLeast: z.optional(
    Uint256.check(
      z.refine(
        (amount) => amount <= MOST_TEST_DOLLARS,
        "The faucet gives at most 1,000,000.00 test dollars.",
      ),
    ),
  ),
});

/** What the caller's account holds on chain, in the smallest unit. */
const Funds = z.object({ account: z.string(), usdc: Decimal, native: Decimal });

/** Faults to arm. `down` fails before any effect; `reply-lost` fails after it. */
export const FaultName = z.enum([
  "verify-down",
  "verify-slow",
  "settle-down",
  "settle-slow",
  "settle-reply-lost",
  "order-reply-lost",
  "chain-unreachable",
  "chain-paused",
  "card-request-lost",
  "card-reply-lost",
  "card-slow",
  "card-error",
  "card-error-after-effect",
  "card-rate-limited",
]);
export type FaultName = z.output<typeof FaultName>;

/** A fault to arm, for a number of calls or a time, whichever ends first. */
export const FaultRequest = z.object({
  fault: FaultName,
  times: z._default(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(1_000))), 1),
  durationSecs: z._default(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(3_600))), 300),
  /** How long a slow call is delayed. */
  delayMs: z._default(z.pipe(Count, z.number().check(z.minimum(1), z.maximum(30_000))), 2_000),
  /** Limits the fault to verify, settle and order calls of this plan. */
  planId: z.optional(PlanId),
});
export type FaultRequest = z.output<typeof FaultRequest>;

/** `left` counts the calls it still applies to; faults of the chain last until `endsAt`. */
export const ArmedFault = z.object({
  faultId: z.string(),
  fault: FaultName,
  left: z.number(),
  struck: z.number(),
  delayMs: z.number(),
  planId: z.optional(PlanId),
  endsAt: z.string(),
});
export type ArmedFault = z.output<typeof ArmedFault>;

export const SandboxMail = z.object({
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  /** The addresses in its text. */
  links: z.array(z.string()),
  messageId: z.string(),
  receivedAt: z.string(),
});
export type SandboxMail = z.output<typeof SandboxMail>;

const Nothing = z.object({});

export const sandbox = /* @__PURE__ */ defineOperations(
  { name: "sandbox", section: "Sandbox", scope: "sandbox", audience: "sandbox" },
  {
    /** Tops your account up with test dollars, the chain's own coin, or both. */
    fund: {
      route: "POST /sandbox/fund",
      scope: "orders",
      summary: "Top up your account with test money",
      repeatable: true,
      sample: () => ({ usdc: true, native: true }),
      input: FundRequest,
      output: Funds,
    },
    /** Makes a part of the sandbox fail for everyone in it, for a number of calls or a time. */
    injectFault: {
      route: "POST /sandbox/fault",
      summary: "Make a part of the sandbox fail, for a number of calls or a time",
      sample: () => ({ fault: "card-slow", times: 1, durationSecs: 60, delayMs: 10 }),
      input: FaultRequest,
      output: ArmedFault,
    },
    listFaults: {
      route: "GET /sandbox/fault",
      summary: "List the armed faults",
      tenancy: "everyone",
      input: Nothing,
      output: z.object({ items: z.array(ArmedFault) }),
    },
    clearFaults: {
      route: "DELETE /sandbox/fault",
      summary: "Clear every fault, or the given one",
      tenancy: "everyone",
      args: (faultId?: string) => ({ ...(faultId !== undefined && { faultId }) }),
      input: z.object({ faultId: z.optional(z.string().check(z.maxLength(64))) }),
      output: z.object({ success: z.literal(true), cleared: z.number() }),
    },
    /** Lists the mails that the service sent, newest first; needs no key. */
    listMails: {
      route: "GET /sandbox/mails",
      access: "public",
      summary: "List the emails that the service sent, newest first",
      sample: () => ({ to: "ada@example.com" }),
      input: z.object({ to: z.optional(z.string().check(z.maxLength(254))) }),
      output: z.object({ items: z.array(SandboxMail) }),
    },
    advanceClock: {
      route: "POST /sandbox/clock",
      summary: "Move the sandbox's clock forward",
      args: (seconds: number) => ({ seconds }),
      sample: () => ({ seconds: 1 }),
      input: z.object({
        seconds: z.pipe(Count, z.number().check(z.minimum(1), z.maximum(31_557_600))),
      }),
      output: z.object({ now: z.string() }),
    },
  },
);

export type SandboxOperations = typeof sandbox;
