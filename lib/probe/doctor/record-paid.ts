import "server-only";
import { setMaxListeners } from "node:events";
import {
  decodeAccessToken,
  PaymentsError,
  type RequestRecord,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { readReceipt } from "@/lib/playground/read-receipt.ts";
import type { PaidCall, PaidRecording } from "../checks/paid-recording.ts";
import { PAID_CHECKS } from "../checks/run-checks.ts";
import { type Exchange, headerOf, plainExchange } from "../exchange.ts";
import { askUnpaid, type ProbedEndpoint, type Prober } from "../probe-endpoint.ts";
import { mintTokens } from "./mint-tokens.ts";
import type { PaidConsent, Payer } from "./payer.ts";
import { mostPerCall, PAID_CALLS, type Payable } from "./quote-paid.ts";

/** The fault ends by itself, should this process die before it clears it. */
const FAULT_SECS = 20;
const FAULT_TIMES = 10;
const IN_A_BLOCK_MS = 30_000;
const ADD_UP_MS = 5_000;
const REQUEST_ID = "payment-request-id";
const BREAKS_OFF = '{"breaks":';
const HAS_BODY = ["POST", "PUT", "PATCH"];
/** Requests one lane of the way out sends at a time; twenty at once need four. */
const PER_LANE = 5;
const PAID_IDS: readonly string[] = PAID_CHECKS.map(({ id }) => id);

type Paying = {
  prober: Prober;
  endpoint: ProbedEndpoint;
  payer: Payer;
  payable: Payable;
  consent: PaidConsent;
};

/** Before each kind of call, what it is; then the recording. */
export type PaidProgress = { words: string };

/**
 * Calls an endpoint with tokens of the payer's. A kind of call is made only while the most it could take
 * fits into what was agreed to, and its token allows no more requests than that: the service would refuse
 * to settle them. Tokens cannot order, and are revoked at the end; a fault of the sandbox is always cleared.
 */
export async function* recordPaid(paying: Paying): AsyncGenerator<PaidProgress, PaidRecording> {
  const { payable, payer, consent } = paying;
  const { plan, offer, subscription } = payable;
  const each = mostPerCall(subscription);
  let left = consent.maxCredits;
  const why: Record<string, string> = {};
  const tokens = mintTokens(payer, payable, paying.endpoint, paying.prober.agentId);
  const caller = createCaller(paying);
  const recording: PaidRecording = {
    payer: payer.account,
    plan: {
      name: plan.metadata.main.name,
      isTime: plan.metadata.plan.accessLimit === "time",
      isCrypto: plan.registry.price.isCrypto,
      least: BigInt(subscription.minAmount),
      most: BigInt(subscription.maxAmount),
    },
    offered: offer.amount === undefined ? null : readAmount(offer.amount),
    why,
    requestIds: caller.requestIds,
  };
  /** Whether so many calls still fit; if so they are counted as used. */
  const fits = (calls: number, ids: readonly string[]): boolean => {
    if (paying.prober.signal?.aborted) return skipAll(why, ids, "The run was stopped.");
    const cost = BigInt(calls) * each;
    if (cost > left) {
      return skipAll(
        why,
        ids,
        `It could take ${cost} credits; ${left} of those agreed to are left.`,
      );
    }
    left -= cost;
    return true;
  };
  try {
    yield { words: "Calls with a token." };
    if (!fits(PAID_CALLS.first, PAID_IDS)) return recording;
    const token = await tokens.mint(PAID_CALLS.first);
    const first = await caller.call(token);
    recording.first = first;
    recording.payer = decodeAccessToken(token)?.payload.authorization.from ?? payer.account;
    if (first.receipt.kind !== "settled") {
      const sentence = "The first paid call was not settled, so no more was spent.";
      skipAll(why, ["D45", "D46", "D47", "D48", "D49"], sentence);
      return recording;
    }
    recording.again = await caller.call(token);
    if (HAS_BODY.includes(paying.endpoint.verb)) {
      recording.broken = await caller.call(token, { ...paying.endpoint, sample: BREAKS_OFF });
    } else why.D46 = `${paying.endpoint.verb} has no body that could break off.`;

    yield { words: "Uses up a token that allows one request." };
    if (fits(PAID_CALLS.limited, ["D49"])) {
      const limited = await tokens.mint(1);
      recording.limited = {
        allowed: await caller.call(limited),
        beyond: await caller.call(limited),
      };
    }
    yield { words: "Calls twenty times at once." };
    if (fits(PAID_CALLS.parallel, ["D48"])) {
      recording.parallel = await caller.callAtOnce(await tokens.mint(PAID_CALLS.parallel));
    }
    yield { words: "Looks for the transaction." };
    recording.record = await caller.findRecord(
      first.receipt.settlement.agentRequestId,
      recording.plan.isCrypto ? IN_A_BLOCK_MS : 0,
    );
    yield { words: "Lets a settlement fail." };
    if (!payer.isSandbox) why.D47 = "Only the sandbox can be made to fail.";
    else if (fits(PAID_CALLS.unsettled, ["D47"])) {
      const unsettled = await callUnsettled(payer, caller, await tokens.mint(1));
      if (typeof unsettled === "string") why.D47 = unsettled;
      else recording.unsettled = unsettled;
    }
    return recording;
  } catch (cause) {
    if (!PaymentsError.is(cause)) throw cause;
    skipAll(why, PAID_IDS, [cause.message, cause.hint].filter(Boolean).join(" "));
    return recording;
  } finally {
    await tokens.revokeAll();
  }
}

type Caller = ReturnType<typeof createCaller>;

function createCaller({ prober, endpoint, payer, payable }: Paying) {
  const { planId } = payable.plan;
  const requestIds = new Set<string>();
  const balance = async (): Promise<bigint> => {
    const { balance } = await payer.call("getPlanBalance", {
      planId,
      holderAddress: payer.account,
    });
    return BigInt(balance);
  };
  const send = async (token: string, called: ProbedEndpoint, lane = "") => {
    const headers = { [X402_HEADERS.PAYMENT_SIGNATURE]: token };
    const account = `${prober.account}${lane}`;
    const exchange = await askUnpaid({ ...prober, account }, called, { headers });
    const sent = { exchange, receipt: readReceipt(plainExchange(exchange)) };
    const id = requestIdOf(sent);
    if (id) requestIds.add(id);
    return sent;
  };
  return {
    requestIds,
    async call(token: string, called = endpoint): Promise<PaidCall> {
      const before = await balance();
      const answered = await send(token, called);
      return { ...answered, before, after: await balance() };
    },
    async callAtOnce(token: string): Promise<NonNullable<PaidRecording["parallel"]>> {
      const before = await balance();
      // Each call listens for the end of the run.
      if (prober.signal) setMaxListeners(2 * PAID_CALLS.parallel, prober.signal);
      const calls = await Promise.all(
        Array.from({ length: PAID_CALLS.parallel }, (_, index) =>
          send(token, endpoint, `/${Math.floor(index / PER_LANE)}`),
        ),
      );
      const said = calls.reduce(
        (sum, { receipt }) =>
          receipt.kind === "settled" ? sum + BigInt(receipt.settlement.creditsRedeemed) : sum,
        0n,
      );
      // What was delivered and is settled in the background comes a little later.
      const after = await until(ADD_UP_MS, balance, (now) => before - now === said);
      return { calls, before, after };
    },
    untilSettled: (agentRequestId: string) =>
      until(
        ADD_UP_MS,
        () => payer.call("getRequest", { agentRequestId }).catch(() => null),
        (record) => record?.moneyStatus === "settled",
      ),
    findRecord: (agentRequestId: string, waitMs: number): Promise<RequestRecord | null> =>
      until(
        waitMs,
        () => payer.call("getRequest", { agentRequestId }).catch(() => null),
        (record) => record !== null && !["pending", "submitted"].includes(record.chainStatus),
      ),
  };
}

/** One call while the service settles nothing; or why it was not made. */
async function callUnsettled(
  payer: Payer,
  caller: Caller,
  token: string,
): Promise<NonNullable<PaidRecording["unsettled"]> | string> {
  const { items } = await payer.call("listFaults", {});
  if (items.length > 0) return "Somebody lets the sandbox fail already; clear its faults first.";
  try {
    const { faultId } = await payer.call("injectFault", {
      fault: "settle-down",
      times: FAULT_TIMES,
      durationSecs: FAULT_SECS,
    });
    const call = await caller.call(token);
    const { items: armed } = await payer.call("listFaults", {});
    const left = armed.find((one) => one.faultId === faultId);
    const id = requestIdOf(call);
    const record = id ? await caller.findRecord(id, 0) : null;
    await payer.call("clearFaults", {});
    // Settled in the background now, so that what was used is known at the end.
    if (id) await caller.untilSettled(id);
    return { ...call, struck: left?.struck ?? FAULT_TIMES, record };
  } finally {
    await payer.call("clearFaults", {});
  }
}

function requestIdOf({ exchange, receipt }: { exchange: Exchange; receipt: PaidCall["receipt"] }) {
  if (receipt.kind === "settled" || receipt.kind === "refused") {
    return receipt.settlement.agentRequestId ?? headerOf(exchange, REQUEST_ID);
  }
  return headerOf(exchange, REQUEST_ID);
}

function skipAll(why: Record<string, string>, ids: readonly string[], sentence: string): false {
  for (const id of ids) why[id] ??= sentence;
  return false;
}

const readAmount = (amount: string): bigint | null =>
  /^\d{1,78}$/.test(amount) ? BigInt(amount) : null;

/** Asks until the answer is the wanted one or the time is over; the last answer. */
async function until<T>(
  waitMs: number,
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
): Promise<T> {
  const end = Date.now() + waitMs;
  let answer = await ask();
  while (!isWanted(answer) && Date.now() < end) {
    await new Promise((wake) => setTimeout(wake, 250));
    answer = await ask();
  }
  return answer;
}
