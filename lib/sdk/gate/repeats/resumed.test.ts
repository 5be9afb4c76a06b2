import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket } from "@/lib/server/testing/test-service.ts";
import { Payments } from "../../client/payments.ts";
import { decodeAccessToken } from "../../protocol/access-token.ts";
import type { AccessToken } from "../../protocol/access-token-schema.ts";
import { decodeHeader, encodeHeader } from "../../protocol/x402-headers.ts";
import { refusal } from "../../test-support/fake-service.ts";
import { createFolderAnswers } from "../../test-support/folder-answers.ts";
import { type ServedService, serveTestService } from "../../test-support/served-service.ts";
import { skipWaits } from "../../test-support/skip-waits.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import type { RunJob, SettlementJob, SettlementQueue } from "../queue/settlement-queue.ts";
import type { AnswerStore, KeptAnswer } from "./answer-store.ts";

let database: Database;
let served: ServedService;
let folder: string;
beforeAll(async () => {
  database = await openRuleStore();
  served = await serveTestService(database);
  folder = mkdtempSync(join(tmpdir(), "turnpike-resumed-"));
});
afterAll(async () => {
  expect(await brokenRules(database)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
  await served.close();
  await database.close();
});

const isDown = () => refusal(503, "unavailable");
const passes = () => null;

/** A point that a settlement waits at until the test goes on. */
function stop() {
  let reach = () => {};
  let goOn = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const over = new Promise<void>((resolve) => (goOn = resolve));
  const wait = () => {
    reach();
    return over;
  };
  return { reached, goOn, wait };
}

/** Gates that share a store of answers; what comes before each settlement of a gate may answer it. */
async function shareAnswers(
  settle: GateOptions["settle"] = "after",
  beforeKeep: () => void | Promise<void> = () => {},
  written: (kept: KeptAnswer) => KeptAnswer = (kept) => kept,
) {
  const sold = await createMarket(served.service, { credits: getFixedCreditsConfig(10n, 2n) });
  const store = createFolderAnswers(mkdtempSync(join(folder, "answers-")));
  const answers: AnswerStore = {
    ...store,
    async keep(key, kept) {
      await beforeKeep();
      await store.keep(key, written(kept));
    },
  };
  const logs: string[] = [];
  const jobs: SettlementJob[] = [];
  let run: RunJob = async () => "again";
  const queue: SettlementQueue = {
    start(given) {
      run = given;
    },
    add: (job) => void jobs.push(job),
  };
  let worked = 0;
  const open = (
    beforeSettle: () => Response | null | Promise<Response | null>,
    afterSettle: () => void | Promise<void> = () => {},
  ) => {
    const payments = Payments.getInstance({
      apiKey: sold.builder.apiKey,
      baseUrl: served.origin,
      async fetch(input, init) {
        const isSettle = String(input).endsWith("/settle");
        const answer = (isSettle && (await beforeSettle())) || (await fetch(input, init));
        if (isSettle) await afterSettle();
        return answer;
      },
    });
    const gate = createGate(
      payments,
      { "POST /ask": { planId: sold.planId } },
      { queue, report: false, logger: { error: (text) => logs.push(text) }, settle, answers },
    );
    return async (change?: (token: AccessToken | null) => object) => {
      const token = decodeAccessToken(sold.token);
      const sent = change ? encodeHeader({ ...token, ...change(token) }) : sold.token;
      const headers = { "payment-signature": sent, "idempotency-key": "number-17" };
      const request = new Request("https://agent.example/ask", { method: "POST", headers });
      const answer = await gate(request, () => Response.json({ worked: ++worked }));
      const receipt = decodeHeader(answer.headers.get("payment-response") ?? "");
      const { code, worked: given } = await answer.json();
      const isPaid = (receipt as { success?: boolean } | null)?.success === true;
      const after = answer.headers.get("retry-after");
      return { status: answer.status, given: code ?? given, isPaid, ...(after && { after }) };
    };
  };
  return {
    open,
    logs,
    /** Runs what the gates left to their queue. */
    drain: () => Promise.all(jobs.map((job) => run(job))),
    balance: async () => (await sold.subscriber.payments.plans.getPlanBalance(sold.planId)).balance,
  };
}
const PAID = { status: 200, given: 1, isPaid: true };
const UNDERWAY = { status: 409, given: "conflict", isPaid: false, after: "1" };
const WITHHELD = { status: 402, given: "settlement_pending", isPaid: false, after: "5" };

test("T14: a repeat at another gate releases nothing that a delivered answer's settlement still needs", async () => {
  const { open, drain, balance } = await shareAnswers();
  const { reached, goOn, wait } = stop();
  let settle: () => Response | null = isDown;
  const first = open(() => wait().then(() => settle()))();
  await reached;
  expect(await open(() => settle())()).toEqual(UNDERWAY);
  goOn();
  expect(await first).toEqual({ ...PAID, isPaid: false });
  settle = passes;
  expect([await drain(), await balance()]).toEqual([["done"], 8n]);
});

test.each([
  ["after", { extensions: { own: {} } }],
  ["strict", { extensions: { own: {} } }],
  ["after", { accepted: { scheme: "nonsense", network: "none" } }],
] as const)(
  "T14: a repeat changes nothing of what is settled (%s) by what is not signed of its token (%j)",
  async (mode, unsigned) => {
    const { open, balance, logs } = await shareAnswers(mode);
    const { reached, goOn, wait } = stop();
    const ask = open(() => wait().then(passes));
    const first = ask();
    await reached;
    expect(await open(passes)((token) => ({ ...token, ...unsigned }))).toEqual(PAID);
    goOn();
    expect([await first, await ask(), await balance()]).toEqual([PAID, PAID, 8n]);
    expect(logs).toEqual([]);
  },
);

test("T14: a withheld answer that a slow store keeps while it is settled is given to its repeat", async () => {
  const { reached, goOn, wait } = stop();
  const { open, balance } = await shareAnswers("strict", wait);
  let isLost = true;
  const ask = open(passes, () => {
    goOn();
    if (isLost) throw new TypeError("fetch failed");
  });
  const end = skipWaits();
  const first = ask();
  await reached;
  expect(await first).toEqual(WITHHELD);
  end();
  isLost = false;
  expect([await ask(), await ask(), await balance()]).toEqual([PAID, PAID, 8n]);
});

test("T14: a withheld answer is given to its repeat once it can be paid, and costs nothing before", async () => {
  const { open, balance } = await shareAnswers("strict");
  let settle: () => Response | null = isDown;
  const ask = open(() => settle());
  const end = skipWaits();
  expect(await ask()).toEqual(WITHHELD);
  expect(await ask()).toEqual(UNDERWAY);
  end();
  expect(await balance()).toBe(10n);
  settle = passes;
  expect([await ask(), await ask(), await balance()]).toEqual([PAID, PAID, 8n]);
});

test("an answer that an earlier gate kept, without the token, is given to its repeat", async () => {
  const { open, balance } = await shareAnswers("strict", undefined, (kept) => {
    const [head = "", ...body] = new TextDecoder().decode(kept.body).split("\n");
    if (!head.includes('"token":[')) return kept;
    const { token: _, ...earlier } = JSON.parse(head);
    const text = [JSON.stringify(earlier), ...body].join("\n");
    return { ...kept, body: new TextEncoder().encode(text) };
  });
  let settle: () => Response | null = isDown;
  const ask = open(() => settle());
  const end = skipWaits();
  expect(await ask()).toEqual(WITHHELD);
  end();
  settle = passes;
  expect([await ask(), await ask(), await balance()]).toEqual([PAID, PAID, 8n]);
});

test("a withheld answer whose reservation was released later is refused as one that only a new id can pay", async () => {
  const { open, balance } = await shareAnswers("strict");
  let settle: () => Response | null = isDown;
  const ask = open(() => settle());
  const end = skipWaits();
  expect(await ask()).toEqual(WITHHELD);
  end();
  settle = () => refusal(409, "conflict");
  expect(await ask()).toEqual({ status: 409, given: "idempotency_conflict", isPaid: false });
  expect(await balance()).toBe(10n);
});

test("a withheld answer whose payment is refused is dropped, and its request works again", async () => {
  const { open, balance } = await shareAnswers("strict");
  let settle: () => Response | null = () => refusal(409, "conflict");
  const ask = open(() => settle());
  expect(await ask()).toMatchObject({ status: 402, isPaid: false });
  settle = passes;
  expect([await ask(), await balance()]).toEqual([{ ...PAID, given: 2 }, 8n]);
});

test.each([
  [401, "unauthorized"],
  [403, "forbidden"],
])(
  "T14: a gate whose key is refused (%s) leaves a paid answer to the others",
  async (status, code) => {
    const { open, balance } = await shareAnswers();
    const { reached, wait } = stop();
    void open(passes, wait)();
    await reached;
    expect(await open(() => refusal(status, code))()).toEqual(UNDERWAY);
    const ask = open(passes);
    expect([await ask(), await ask(), await balance()]).toEqual([PAID, PAID, 8n]);
  },
);
