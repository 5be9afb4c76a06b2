// Paid calls on several replicas, of which every answer is written down.
import { setTimeout as pause } from "node:timers/promises";
import { createRandom, type Random } from "@/lib/testing/seeded-random.ts";

const HUNG_MS = 30_000;
const AGAIN_MS = 100;
const TRIES = 4;
/** Answers of a replica that make it count as back. */
const BACK = 3;

type LoadOptions = {
  urls: string[];
  apiKey: string;
  /** What the agent asks for, and what pays for it. */
  paymentRequired: object;
  tokens: string[];
  seed: number;
  callers: number;
  /** How long a caller waits between two calls. */
  pauseMs: number;
};
type Answer = { at: number; replica: number; kind: string; status: number };

/** What clients were told. */
export type Answers = {
  /** The settlement's id by the id of each request that was told to have settled. */
  settled: Map<string, string>;
  keys: Set<string>;
  /** Requests that were answered with two settlements, or an answer that a repeat should not have. */
  contradictions: string[];
  /** How many of each kind and status; a call without an answer has the status 0. */
  counts: Record<string, number>;
};

export type AnsweredLoad = ReturnType<typeof startAnsweredLoad>;

/** Starts the load: verify and settle, repeats, conflicts and writes, by each caller in an order that the seed decides. */
export function startAnsweredLoad(options: LoadOptions) {
  const { urls, callers, seed } = options;
  const answers: Answers = { settled: new Map(), keys: new Set(), contradictions: [], counts: {} };
  const told: Answer[] = [];
  let isEnded = false;

  const ask = async (kind: string, replica: number, path: string, input: object) => {
    const { status, body } = await post(`${urls[replica]}/api/v1${path}`, options.apiKey, input);
    told.push({ at: performance.now(), replica, kind, status });
    const name = `${kind} ${status}`;
    answers.counts[name] = (answers.counts[name] ?? 0) + 1;
    return { status, body };
  };
  const caller = async (index: number) => {
    const call = createCaller({ ...options, index, ask, answers });
    while (!isEnded) {
      await call();
      await pause(options.pauseMs);
    }
  };
  const calling = Promise.all(
    Array.from({ length: callers }, (_, index) => caller(seed * 1_000 + index)),
  );
  const settledSince = (since: number, replica: number) =>
    told.filter(
      (one) =>
        one.replica === replica && one.at > since && one.kind === "settle" && one.status === 200,
    );

  return {
    /** Waits until each replica has settled since then; how many milliseconds after it the last of them did. */
    async untilBack(since: number): Promise<number> {
      const firsts = urls.map(async (_, replica) => {
        while (settledSince(since, replica).length < BACK) await pause(5);
        return (settledSince(since, replica)[0]?.at ?? since) - since;
      });
      return Math.round(Math.max(...(await Promise.all(firsts))));
    },
    /** How many milliseconds after then the last 503 was. */
    lastRefusal(since: number): number {
      const last = told.findLast(({ status }) => status === 503)?.at ?? 0;
      return Math.max(0, Math.round(last - since));
    },
    async end(): Promise<Answers> {
      isEnded = true;
      await calling;
      return answers;
    },
  };
}

type Ask = (
  kind: string,
  replica: number,
  path: string,
  input: object,
) => Promise<{ status: number; body: Record<string, unknown> }>;
type CallerOptions = LoadOptions & { index: number; ask: Ask; answers: Answers };

/** One caller's calls, one after the other. */
function createCaller({ urls, paymentRequired, tokens, index, ask, answers }: CallerOptions) {
  const random = createRandom(index);
  const own: { id: string; token: string }[] = [];
  let count = 0;
  const replica = () => random.below(urls.length);
  const bodyOf = (id: string, x402AccessToken: string) => ({
    paymentRequired,
    x402AccessToken,
    agentRequestId: id,
  });
  const note = (id: string, body: Record<string, unknown>) => {
    const settlement = String((body.extra as { settlementId?: string } | undefined)?.settlementId);
    const before = answers.settled.get(id);
    if (before && before !== settlement) answers.contradictions.push(id);
    answers.settled.set(id, settlement);
  };

  async function pay(): Promise<void> {
    const id = `answered-${index}-${String(++count).padStart(7, "0")}`;
    const token = random.pick(tokens);
    const reserve = random.chance(30);
    const tries = random.chance(80) ? TRIES : 1;
    await ask("verify", replica(), "/x402/verify", { ...bodyOf(id, token), reserve });
    for (let attempt = 0; attempt < tries; attempt++) {
      const { status, body } = await ask("settle", replica(), "/x402/settle", bodyOf(id, token));
      if (status === 200 && body.success === true) {
        note(id, body);
        own.push({ id, token });
      }
      if (status !== 503 && status !== 0) return;
      await pause(AGAIN_MS);
    }
  }
  async function repeat({ id, token }: { id: string; token: string }): Promise<void> {
    const { status, body } = await ask("repeat", replica(), "/x402/settle", bodyOf(id, token));
    if (status === 200) note(id, body);
    else if (status !== 503) answers.contradictions.push(id);
  }
  async function contradict({ id, token }: { id: string; token: string }): Promise<void> {
    const other = tokens.find((one) => one !== token) ?? token;
    const { status } = await ask("conflict", replica(), "/x402/settle", bodyOf(id, other));
    if (status === 200) answers.contradictions.push(id);
  }
  async function write(): Promise<void> {
    const input = { name: `answered ${index}` };
    const { status, body } = await ask("write", replica(), "/api-keys", input);
    if (status === 200) answers.keys.add(String(body.keyId));
  }
  return () => choose({ random, own, pay, repeat, contradict, write });
}

type Paid = { id: string; token: string };
type Choices = {
  random: Random;
  own: Paid[];
  pay: () => Promise<void>;
  repeat: (paid: Paid) => Promise<void>;
  contradict: (paid: Paid) => Promise<void>;
  write: () => Promise<void>;
};

function choose({ random, own, pay, repeat, contradict, write }: Choices): Promise<void> {
  const draw = random.below(100);
  if (draw < 3) return write();
  if (own.length === 0 || draw >= 13) return pay();
  return draw < 10 ? repeat(random.pick(own)) : contradict(random.pick(own));
}

async function post(url: string, apiKey: string, input: object) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(HUNG_MS),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: {} };
  }
}
