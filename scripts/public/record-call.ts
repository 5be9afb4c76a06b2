// `npm run public:recording -- .turnpike/sandbox.json`: makes one paid call to a running sandbox's demo agent, as its
// labelled test visitor, and writes what was sent and measured to `components/landing/recorded-call.json`.
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  decodeHeader,
  decodePaymentRequired,
  Payments,
  PaymentsError,
  planIdOf,
  X402_HEADERS,
} from "@turnpike/payments";
import type { RecordedCall } from "../../components/landing/recorded-call.ts";
import { readSandboxFile, type SandboxFile } from "../../lib/sandbox/sandbox-file.ts";

const FILE = "components/landing/recorded-call.json";
const QUESTION = { question: "What does a paid call cost?" };
/** Characters of a header that are kept: no token and no receipt can be read from them. */
const HEAD = 32;
const ATTEMPTS = 60;
const CALLS = 5;

const sandbox = await readSandboxFile(process.argv[2] ?? ".turnpike/sandbox.json");
const clientOf = ({ apiKey }: { apiKey: string }) =>
  Payments.getInstance({ apiKey, environment: sandbox.environment, baseUrl: sandbox.url });
const payer = sandbox.visitor ?? sandbox.subscriber;
const [buying, selling] = [clientOf(payer), clientOf(sandbox.builder)];

async function record({ plans, agent }: SandboxFile): Promise<RecordedCall> {
  const planId = plans.crypto;
  if ((await balance(planId)) === 0n) {
    await buying.plans.orderPlan(planId);
    await until(async () => ((await balance(planId)) > 0n ? true : undefined));
  }
  const before = await balance(planId);
  const { delegationId } = await buying.delegation.createDelegation({
    provider: "erc4337",
    spendingLimitCents: 100n,
    durationSecs: 600,
    planIds: [planId],
  });
  const recordedAt = new Date().toISOString();
  const asked = await timed(() => send(agent.url));
  const minted = await timed(() =>
    buying.x402.getX402AccessToken(planId, agent.agentId, {
      delegationConfig: { delegationId },
      redemptionLimit: 1,
    }),
  );
  const token = minted.value.accessToken;
  const paid = await timed(() => send(agent.url, token));
  await buying.delegation.revokeDelegation(delegationId);
  const { agentRequestId, transaction } = await readReceipt(paid.value.headers);
  const seen = await readTimes(agentRequestId);
  const { settlementId = "", verifyMs = 0, workMs = 0, settleMs = 0 } = seen;
  const required = asked.value.headers.get(X402_HEADERS.PAYMENT_REQUIRED) ?? "";
  const { metadata, registry } = await buying.plans.getPlan(planId);
  return {
    recordedAt,
    agent: new URL(agent.url).pathname,
    question: JSON.stringify(QUESTION),
    planName: metadata.main.name,
    planAmount: String(registry.price.amounts[0] ?? 0n),
    planCredits: String(registry.credits.amount),
    ms: timesOf({ asked, minted, paid }, { verifyMs, workMs, settleMs }),
    statuses: [asked.value.status, paid.value.status],
    required: required.slice(0, HEAD),
    offers: await offersOf(required),
    signature: token.slice(0, HEAD),
    response: (paid.value.headers.get(X402_HEADERS.PAYMENT_RESPONSE) ?? "").slice(0, HEAD),
    answer: paid.value.text,
    before: String(before),
    after: String(await balance(planId)),
    settlementId,
    transaction,
  };
}

type Timed = Record<"asked" | "minted" | "paid", { ms: number }>;

/** Whole milliseconds that add up: what the gate did not report of the paid request is the way there and back. */
function timesOf(
  { asked, minted, paid }: Timed,
  gate: Record<"verifyMs" | "workMs" | "settleMs", number>,
): RecordedCall["ms"] {
  const [verify, work, settle] = [gate.verifyMs, gate.workMs, gate.settleMs].map(Math.round) as [
    number,
    number,
    number,
  ];
  const rest = Math.max(0, paid.ms - verify - work - settle);
  return { ask: asked.ms, mint: minted.ms, verify, work, settle, rest };
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: Math.round(performance.now() - start) };
}

async function send(url: string, token?: string) {
  const headers = {
    "content-type": "application/json",
    ...(token && { [X402_HEADERS.PAYMENT_SIGNATURE]: token }),
  };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(QUESTION) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const balance = async (planId: string) =>
  (await buying.plans.getPlanBalance(planId, payer.address)).balance;

async function offersOf(required: string): Promise<RecordedCall["offers"]> {
  const accepts = decodePaymentRequired(required)?.accepts ?? [];
  return Promise.all(
    accepts.map(async (offer) => {
      const { metadata } = await buying.plans.getPlan(planIdOf(offer) ?? "");
      return { plan: metadata.main.name, credits: String(offer.amount), scheme: offer.scheme };
    }),
  );
}

/** The receipt of the answer, once its credits are burned on chain. */
async function readReceipt(headers: Headers) {
  const { agentRequestId } = decodeHeader(headers.get(X402_HEADERS.PAYMENT_RESPONSE) ?? "") as {
    agentRequestId: string;
  };
  return until(async () => {
    const { transaction } = await selling.facilitator.getSettlement(agentRequestId);
    return transaction ? { agentRequestId, transaction } : undefined;
  });
}

/** What the gate measured; it reports a little later. */
const readTimes = (agentRequestId: string) =>
  until(async () => {
    const request = await selling.requests.getRequest(agentRequestId);
    return request.workMs === undefined ? undefined : request;
  });

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await read().catch(() => undefined);
    if (found !== undefined) return found;
    await wait(500);
  }
  throw new PaymentsError("unavailable", "The sandbox did not finish the call in time.");
}

// The first call of a process pays for connections and compilation; of the others, the one in the middle is kept.
await record(sandbox);
const calls: RecordedCall[] = [];
for (let call = 0; call < CALLS; call++) calls.push(await record(sandbox));
const totalOf = ({ ms }: RecordedCall) => Object.values(ms).reduce((sum, part) => sum + part, 0);
const kept = calls.toSorted((one, other) => totalOf(one) - totalOf(other))[Math.floor(CALLS / 2)];
writeFileSync(FILE, `${JSON.stringify(kept, null, 2)}\n`);
