import "server-only";
import { setMaxListeners } from "node:events";
import {
  decodeAccessToken,
  PaymentsError,
  type RequestRecord,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import type { PaidCall, PaidRecording } from "../checks/paid-recording.ts";
import { PAID_CHECKS } from "../checks/run-checks.ts";
import { type Exchange, headerOf, isLost } from "../exchange.ts";
import { askUnpaid, type ProbedEndpoint, type Prober } from "../probe-endpoint.ts";
import { findReceipt, REQUEST_ID } from "./find-receipt.ts";
import { mintTokens } from "./mint-tokens.ts";
import { balanceOf, type PaidConsent, type Payer } from "./payer.ts";
import { mostPerCall, PAID_CALLS, type Payable } from "./quote-paid.ts";
import { until } from "./until.ts";

/** The fault expires if this process dies before clearing it. */
const FAULT_SECS = 20;
const FAULT_TIMES = 10;
/** How long a paid call may take: agents work for longer than an unpaid answer takes. */
const PAID_MS = 120_000;
const IN_A_BLOCK_MS = 30_000;
const ADD_UP_MS = 5_000;
/** A response is settled at its end, and the rest of a long one is not read: give the agent this long. */
const SETTLED_WITHIN_MS = 5_000;
const INCOMPLETE_BODY = '{"breaks":';
const HAS_BODY = ["POST", "PUT", "PATCH"];
/** Requests that one outbound lane sends at a time; twenty at once need four lanes. */
const PER_LANE = 5;
const PAID_IDS: readonly string[] = PAID_CHECKS.map(({ id }) => id);

type Paying = {
  prober: Prober;
  endpoint: ProbedEndpoint;
  payer: Payer;
  payable: Payable;
  consent: PaidConsent;
};

/**
 * Calls an endpoint with the payer's tokens, and yields in words which calls come next. Each group of calls is made only if
 * its maximum cost fits into the credits the payer agreed to, and its token allows exactly that many requests. Tokens cannot
 * order, and are revoked at the end; the sandbox's fault is always cleared.
 */
export async function* recordPaid(paying: Paying): AsyncGenerator<string, PaidRecording> {
  const { payable, payer, endpoint, prober } = paying;
  const tokens = mintTokens(payer, payable, endpoint, prober.agentId);
  const caller = createCaller(paying);
  const recording = startRecording(paying, caller.requestIds);
  const run: Run = {
    ...paying,
    recording,
    tokens,
    caller,
    allows: createBudget(paying, recording),
  };
  try {
    yield "Calling with a token.";
    if (!(await recordFirst(run))) return recording;
    yield "Using up a token that allows one request.";
    await recordLimited(run);
    yield "Calling twenty times at once.";
    if (run.allows(PAID_CALLS.parallel, ["D48"])) {
      recording.parallel = await caller.callAtOnce(await tokens.mint(PAID_CALLS.parallel));
    }
    yield "Looking for the transaction.";
    await recordTransaction(run);
    yield "Making a settlement fail.";
    await recordUnsettled(run);
    return recording;
  } catch (cause) {
    if (!PaymentsError.is(cause)) throw cause;
    skipAll(recording.why, PAID_IDS, [cause.message, cause.hint].filter(Boolean).join(" "));
    return recording;
  } finally {
    await tokens.revokeAll();
  }
}

/** A recording that can still note why a check was skipped. */
type Draft = PaidRecording & { why: Record<string, string> };

type Run = Paying & {
  recording: Draft;
  tokens: ReturnType<typeof mintTokens>;
  caller: Caller;
  allows: ReturnType<typeof createBudget>;
};

function startRecording({ payable, payer }: Paying, requestIds: Set<string>): Draft {
  const { plan, offer, subscription } = payable;
  return {
    payer: payer.account,
    plan: {
      name: plan.metadata.main.name,
      isTime: plan.metadata.plan.accessLimit === "time",
      isCrypto: plan.registry.price.isCrypto,
      least: BigInt(subscription.minAmount),
      most: BigInt(subscription.maxAmount),
    },
    offered: offer.amount === undefined ? null : readAmount(offer.amount),
    why: {},
    requestIds,
  };
}

/** Tells whether this many calls still fit; if so they count as spent, otherwise the checks are skipped. */
function createBudget({ payable, consent, prober }: Paying, { why }: Draft) {
  const each = mostPerCall(payable.subscription);
  let left = consent.maxCredits;
  return (calls: number, ids: readonly string[]): boolean => {
    if (prober.signal?.aborted) return skipAll(why, ids, "The run was stopped.");
    const cost = BigInt(calls) * each;
    if (cost > left) {
      const sentence = `This could cost ${cost} credits, and ${left} of the agreed credits are left.`;
      return skipAll(why, ids, sentence);
    }
    left -= cost;
    return true;
  };
}

/** One call, its repeat and a broken body; false when the call was not settled, which ends the run. */
async function recordFirst({ recording, tokens, caller, allows, payer, endpoint }: Run) {
  const { why } = recording;
  if (!allows(PAID_CALLS.first, PAID_IDS)) return false;
  const token = await tokens.mint(PAID_CALLS.first);
  const first = await caller.call(token);
  recording.first = first;
  recording.payer = decodeAccessToken(token)?.payload.authorization.from ?? payer.account;
  if (first.receipt.kind !== "settled") {
    const what = isLost(first.exchange)
      ? "The outcome of the first paid call is unknown"
      : "The first paid call was not settled";
    const sentence = `${what}, so the run stopped spending.`;
    return skipAll(why, ["D45", "D46", "D47", "D48", "D49"], sentence);
  }
  recording.again = await caller.call(token);
  if (HAS_BODY.includes(endpoint.verb)) {
    recording.broken = await caller.call(token, { ...endpoint, sample: INCOMPLETE_BODY });
  } else why.D46 = `${endpoint.verb} requests have no body to cut off.`;
  return true;
}

async function recordLimited({ recording, tokens, caller, allows }: Run): Promise<void> {
  if (!allows(PAID_CALLS.limited, ["D49"])) return;
  const token = await tokens.mint(1);
  recording.limited = { allowed: await caller.call(token), beyond: await caller.call(token) };
}

async function recordTransaction({ recording, caller }: Run): Promise<void> {
  const { first, plan } = recording;
  if (first?.receipt.kind !== "settled") return;
  const { agentRequestId } = first.receipt.settlement;
  const waitMs = plan.isCrypto ? IN_A_BLOCK_MS : 0;
  recording.record = await caller.findRecord(agentRequestId, waitMs, isOnChain);
}

async function recordUnsettled({ recording, tokens, caller, allows, payer }: Run): Promise<void> {
  const { why } = recording;
  if (!payer.isSandbox) why.D47 = "Failed settlements can be simulated in the sandbox only.";
  else if (allows(PAID_CALLS.unsettled, ["D47"])) {
    const unsettled = await callUnsettled(payer, caller, await tokens.mint(1));
    if (typeof unsettled === "string") why.D47 = unsettled;
    else recording.unsettled = unsettled;
  }
}

type Caller = ReturnType<typeof createCaller>;

function createCaller({ prober, endpoint, payer, payable }: Paying) {
  const { planId } = payable.plan;
  const requestIds = new Set<string>();
  const balance = () => balanceOf(payer, planId);
  const send = async (
    token: string,
    called: ProbedEndpoint,
    { lane = "", settledWithinMs = SETTLED_WITHIN_MS } = {},
  ) => {
    const headers = { [X402_HEADERS.PAYMENT_SIGNATURE]: token };
    const account = `${prober.account}${lane}`;
    const waits = { totalMs: PAID_MS, silentMs: PAID_MS };
    const exchange = await askUnpaid({ ...prober, account }, called, { headers, ...waits });
    const sent = { exchange, receipt: await findReceipt(exchange, payer, settledWithinMs) };
    const id = requestIdOf(sent);
    if (id) requestIds.add(id);
    return sent;
  };
  return {
    requestIds,
    async call(token: string, called = endpoint, waits = {}): Promise<PaidCall> {
      const before = await balance();
      const answered = await send(token, called, waits);
      return { ...answered, before, after: await balance() };
    },
    async callAtOnce(token: string): Promise<NonNullable<PaidRecording["parallel"]>> {
      const before = await balance();
      // Each call listens for the abort signal.
      if (prober.signal) setMaxListeners(2 * PAID_CALLS.parallel, prober.signal);
      const calls = await Promise.all(
        Array.from({ length: PAID_CALLS.parallel }, (_, index) =>
          send(token, endpoint, { lane: `/${Math.floor(index / PER_LANE)}` }),
        ),
      );
      const said = calls.reduce(
        (sum, { receipt }) =>
          receipt.kind === "settled" ? sum + BigInt(receipt.settlement.creditsRedeemed) : sum,
        0n,
      );
      // Calls that are settled in the background show up in the balance a little later.
      const after = await until(ADD_UP_MS, balance, (now) => before - now === said);
      return { calls, before, after };
    },
    /** The service's record of a request, as soon as it is the wanted one or the time is up. */
    findRecord: (agentRequestId: string, waitMs: number, isWanted: (record: Found) => boolean) =>
      until(
        waitMs,
        () => payer.call("getRequest", { agentRequestId }).catch((): Found => null),
        isWanted,
      ),
  };
}

type Found = RequestRecord | null;
const isOnChain = (record: Found) =>
  record !== null && !["pending", "submitted"].includes(record.chainStatus);
const isSettled = (record: Found) => record?.moneyStatus === "settled";

/** One call while settlement is down, or the reason it was not made. */
async function callUnsettled(
  payer: Payer,
  caller: Caller,
  token: string,
): Promise<NonNullable<PaidRecording["unsettled"]> | string> {
  const { items } = await payer.call("listFaults", {});
  if (items.length > 0) return "The sandbox already has a fault. Clear its faults first.";
  try {
    const { faultId } = await payer.call("injectFault", {
      fault: "settle-down",
      times: FAULT_TIMES,
      durationSecs: FAULT_SECS,
    });
    const call = await caller.call(token, undefined, { settledWithinMs: 0 });
    const { items: armed } = await payer.call("listFaults", {});
    const left = armed.find((one) => one.faultId === faultId);
    const id = requestIdOf(call);
    const record = id ? await caller.findRecord(id, 0, isOnChain) : null;
    await payer.call("clearFaults", {});
    // Settle it now, so that the run knows what it spent.
    if (id) await caller.findRecord(id, ADD_UP_MS, isSettled);
    return { ...call, attempts: left?.struck ?? FAULT_TIMES, record };
  } finally {
    await payer.call("clearFaults", {});
  }
}

function requestIdOf({ exchange, receipt }: { exchange: Exchange; receipt: PaidCall["receipt"] }) {
  const named = "settlement" in receipt ? receipt.settlement.agentRequestId : undefined;
  return named ?? headerOf(exchange, REQUEST_ID);
}

function skipAll(why: Record<string, string>, ids: readonly string[], sentence: string): false {
  for (const id of ids) why[id] ??= sentence;
  return false;
}

const readAmount = (amount: string): bigint | null =>
  /^\d{1,78}$/.test(amount) ? BigInt(amount) : null;
