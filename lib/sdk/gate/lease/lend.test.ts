import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, type TestMarket } from "@/lib/server/testing/test-service.ts";
import { bundled } from "@/lib/testing/bundled.ts";
import { firstCases, inFull, longTest } from "@/lib/testing/in-full.ts";
import { Payments } from "../../client/payments.ts";
import { type ServedService, serveTestService } from "../../test-support/served-service.ts";
import { createGate } from "../gate.ts";
import type { GateOptions } from "../gate-options.ts";
import { createDurableQueue } from "../queue/durable-queue.ts";
import type { SettlementJob } from "../queue/settlement-queue.ts";
import { jobKey } from "../queue/settlement-store.ts";
import type { AnswerStore, KeptAnswer } from "../repeats/answer-store.ts";
import { createMemoryAnswers } from "../repeats/memory-answers.ts";
import type { RouteMap } from "../routes.ts";

const answerOf = (headers: Record<string, string>) =>
  headers.accept === "text/event-stream"
    ? new Response(`${headers["x-event"] ?? ""}data: 1\n\n`, {
        headers: { "content-type": headers.accept },
      })
    : Response.json({ a: 1 });

/** A disk that outlives the gates which write to it. */
function createDisk() {
  const jobs = new Map<string, SettlementJob>();
  return {
    jobs,
    load: async () => Array.from(jobs.values()),
    keep: async (job: SettlementJob) => void jobs.set(jobKey(job), job),
    remove: async (job: SettlementJob) => void jobs.delete(jobKey(job)),
  };
}

/** Answers that processes share, with claims that a test lets lapse. */
function createSharedAnswers() {
  const kept = new Map<string, KeptAnswer>();
  const claims = new Set<string>();
  const answers: AnswerStore = {
    claim(key) {
      const state = kept.get(key) ?? (claims.has(key) ? "running" : "claimed");
      if (state === "claimed") claims.add(key);
      return state;
    },
    keep: (key, answer) => void kept.set(key, answer),
    drop(key) {
      claims.delete(key);
      kept.delete(key);
    },
  };
  return { answers, lapse: () => claims.clear() };
}

describe.each(ruleStores())("a gate with leases on $name", ({ open }) => {
  let database: Database;
  let served: ServedService;

  beforeAll(async () => {
    database = await open();
    served = await serveTestService(database);
  });
  afterAll(async () => {
    expect(await brokenRules(database)).toEqual([]);
    await served.close();
    await database.close();
  });

  const marketOf = (leaseSecs = 30) =>
    createMarket(served.service, { credits: getFixedCreditsConfig(1_000n, 1n), leaseSecs });
  const balanceOf = async ({ subscriber, planId }: TestMarket) =>
    (await subscriber.payments.plans.getPlanBalance(planId)).balance;

  function startGate(
    { builder, planId, agentId }: TestMarket,
    {
      disk = createDisk(),
      seconds = 30,
      ...options
    }: {
      disk?: ReturnType<typeof createDisk>;
      seconds?: number;
    } & Pick<GateOptions, "answers" | "lease"> = {},
    routes: RouteMap = { "POST /ask": { planId, agentId } },
  ) {
    const calls: string[] = [];
    let isKilled = false;
    const payments = Payments.getInstance({
      apiKey: builder.apiKey,
      baseUrl: "http://service.test",
      maxRetries: 0,
      fetch: (input, init) => {
        if (isKilled) return new Promise(() => {});
        calls.push(new URL(input as string).pathname.replace("/api/v1", ""));
        return served.service.fetch(input as string, init);
      },
    });
    const queue = createDurableQueue(disk, { firstDelayMs: 1 });
    const gate = createGate(payments, routes, {
      queue,
      report: false,
      logger: { error: () => {} },
      lease: { credits: 100, seconds },
      ...options,
    });
    const ask = (token: string, headers: Record<string, string> = {}, path = "/ask") =>
      gate(
        new Request(`https://agent.example${path}`, {
          method: "POST",
          headers: { "payment-signature": token, ...headers },
        }),
        () => (headers["x-fail"] ? new Response("no", { status: 500 }) : answerOf(headers)),
      );
    /** Asks until calls are decided by a lease. */
    const warmUp = (token: string) =>
      vi.waitFor(
        async () => {
          const before = calls.length;
          expect((await ask(token)).status).toBe(200);
          served_.count += 1;
          expect(calls.length).toBe(before);
        },
        { timeout: 5_000, interval: 10 },
      );
    const served_ = { count: 0 };
    const settled = () =>
      vi.waitFor(() => expect(disk.jobs.size).toBe(0), { timeout: 5_000, interval: 10 });
    const kill = () => {
      isKilled = true;
    };
    return { ask, warmUp, served: served_, settled, calls, kill, disk };
  }

  test("decides calls alone, answers with a receipt, and settles them in batches", async () => {
    const market = await marketOf();
    const { ask, warmUp, served: count, settled, calls } = startGate(market);
    await warmUp(market.token);
    await settled();
    const before = calls.length;
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(market.token)));
    expect(calls.slice(before)).not.toContain("/x402/verify");
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      const receipt = JSON.parse(atob(answer.headers.get("payment-response") ?? ""));
      expect(receipt).toMatchObject({ success: true, creditsRedeemed: "1" });
    }
    await settled();
    expect(calls.slice(before).filter((path) => path === "/x402/settle/batch").length).toBe(1);
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count + 50));
  });

  test("T12: a killed gate's answered calls are settled by the next process, its lease returned, and the difference is 0", async () => {
    const market = await marketOf();
    const disk = createDisk();
    const first = startGate(market, { disk });
    await first.warmUp(market.token);
    await first.settled();
    const answers = await Promise.all(Array.from({ length: 30 }, () => first.ask(market.token)));
    first.kill();
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(disk.jobs.size).toBe(30);
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const next = startGate(market, { disk });
    await next.settled();
    await served.service.ports.clock.advance(400);
    await served.service.ports.ledger.sweep();
    const { subscriber, planId } = market;
    const { balance, held } = await subscriber.payments.plans.getPlanBalance(planId);
    expect({ balance, held }).toEqual({
      balance: 1_000n - BigInt(first.served.count + 30),
      held: 0n,
    });
  });

  test("a lease that the service has ended pays for no call after the first that it refuses", async () => {
    const market = await marketOf(60);
    const { ask, warmUp, served: count, settled, calls } = startGate(market, { seconds: 60 });
    await warmUp(market.token);
    await settled();
    // As after the gate's machine was suspended, or the service was restored.
    await served.service.ports.clock.advance(420);
    await served.service.ports.ledger.sweep();
    expect((await ask(market.token)).status).toBe(200);
    await settled();
    calls.length = 0;
    for (let index = 0; index < 10; index++) {
      expect((await ask(market.token)).status).toBe(200);
    }
    await settled();
    expect(calls.filter((path) => path === "/x402/verify")).toHaveLength(10);
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count + 10));
  });

  test("kill -9 right after answers loses none of them and charges none twice", async () => {
    const market = await marketOf(5);
    const folder = mkdtempSync(join(tmpdir(), "turnpike-leased-"));
    const { builder, planId, agentId } = market;
    const rounds = inFull(20, 2);
    let count = 0;
    const start = async () => {
      const child = spawn(
        process.execPath,
        [
          bundled("lib/sdk/test-support/dying-agent.ts"),
          ...[served.origin, builder.apiKey, planId, agentId, folder, "leased"],
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const [, port] = await new Promise<string[]>((resolve) =>
        child.stdout.once("data", (said) => resolve(String(said).trim().split(" "))),
      );
      const ask = async () => {
        const init = { method: "POST", headers: { "payment-signature": market.token } };
        const answer = await fetch(`http://127.0.0.1:${port}/ask`, init);
        expect([answer.status, await answer.text()]).toEqual([200, "secret"]);
        count += 1;
        return answer.headers.get("payment-response") ?? "";
      };
      return { child, ask };
    };
    const balance = () => balanceOf(market);
    /** The process that comes next settles what was served; then what the killed one had leased is returned. */
    const settleRest = async () => {
      await expect.poll(balance, { timeout: 20_000 }).toBe(1_000n - BigInt(count));
      await served.service.ports.clock.advance(400);
      await served.service.ports.ledger.sweep();
    };
    for (let round = 0; round < rounds; round++) {
      const { child, ask } = await start();
      await settleRest();
      const isLeased = (receipt: string) => JSON.parse(atob(receipt)).extra.settlementId === "";
      await vi.waitFor(async () => expect(isLeased(await ask())).toBe(true), { timeout: 5_000 });
      await Promise.all(Array.from({ length: 15 }, ask));
      child.kill("SIGKILL");
    }
    const { child } = await start();
    await settleRest();
    child.kill("SIGKILL");
    const { held } = await market.subscriber.payments.plans.getPlanBalance(planId);
    const burned = 1_000 - Number(await balance());
    console.log(
      `leases: ${rounds} kills, served ${count}, burned ${burned}, difference ${count - burned}`,
    );
    expect([burned, held]).toEqual([count, 0n]);
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  test("work that fails is not charged, and its place in the lease is free again", async () => {
    const market = await marketOf();
    const { ask, warmUp, served: count, settled } = startGate(market);
    await warmUp(market.token);
    for (let index = 0; index < 5; index++) {
      expect((await ask(market.token, { "x-fail": "yes" })).status).toBe(500);
    }
    await settled();
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count));
  });

  test("a killed gate's stream is settled by the next process", async () => {
    const market = await marketOf();
    const disk = createDisk();
    const first = startGate(market, { disk });
    await first.warmUp(market.token);
    await first.settled();
    const stream = await first.ask(market.token, { accept: "text/event-stream" });
    expect(await stream.text()).toContain('"success":true');
    first.kill();
    expect(disk.jobs.size).toBe(1);
    await startGate(market, { disk }).settled();
    expect(await balanceOf(market)).toBe(1_000n - BigInt(first.served.count + 1));
  });

  test("a stream that fails leaves nothing for the next process to settle", async () => {
    const market = await marketOf();
    const { ask, warmUp, settled, disk } = startGate(market);
    await warmUp(market.token);
    await settled();
    const failing = { accept: "text/event-stream", "x-event": "event: error\n" };
    expect(await (await ask(market.token, failing)).text()).toContain("work_failed");
    expect(disk.jobs.size).toBe(0);
  });

  longTest(
    "a journal that fails loses no settlement, and keeps no lease open",
    async () => {
      const market = await marketOf(2);
      const disk = createDisk();
      const {
        ask,
        warmUp,
        served: count,
        settled,
        calls,
      } = startGate(market, { disk, seconds: 2 });
      await warmUp(market.token);
      await settled();
      const full = () => Promise.reject(new Error("disk full"));
      Object.assign(disk, { keep: full, remove: full });
      const answer = await ask(market.token);
      const receipt = JSON.parse(atob(answer.headers.get("payment-response") ?? ""));
      expect([answer.status, receipt.success]).toEqual([200, true]);
      await vi.waitFor(() => expect(calls).toContain("/x402/release"), { timeout: 8_000 });
      expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count + 1));
    },
    20_000,
  );

  test("a named request whose answer was forgotten is another one, and pays again", async () => {
    const market = await marketOf();
    const answers = createMemoryAnswers({ maxAnswers: 1 });
    const { ask, warmUp, served: count, settled, calls } = startGate(market, { answers });
    await warmUp(market.token);
    await settled();
    calls.length = 0;
    for (const id of ["0123456789abcdef", "another-request-1", "0123456789abcdef"]) {
      expect((await ask(market.token, { "idempotency-key": id })).status).toBe(200);
    }
    await settled();
    expect(calls).not.toContain("/x402/verify");
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count + 3));
  });

  test.each(
    firstCases(1, [
      [100, 100n],
      // Of what is left, the service lends a quarter.
      [10_000, 250n],
    ]),
  )(
    "the leases of a token hold no more than %d credits, whichever URLs of a route are called",
    async (credits, most) => {
      const market = await marketOf();
      const { subscriber, planId } = market;
      const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, undefined, {
        redemptionLimit: 1_000,
        leaseSecs: 30,
      });
      const { ask, settled, calls } = startGate(
        market,
        { lease: { credits, seconds: 30 } },
        { "POST /items/:id": { planId } },
      );
      for (let round = 0; round < 3; round++) {
        for (let id = 0; id < 30; id++) {
          expect((await ask(accessToken, {}, `/items/${id}`)).status).toBe(200);
        }
      }
      await settled();
      expect(calls).toContain("/x402/lease");
      const { balance, held } = await subscriber.payments.plans.getPlanBalance(planId);
      expect(balance).toBe(1_000n - 90n);
      expect(held).toBeLessThanOrEqual(most);
    },
  );

  test("a token that lends for less than the gate asks for is leased from once, not at every call", async () => {
    const market = await marketOf(10);
    const { ask, warmUp, settled, calls } = startGate(market, { seconds: 60 });
    await warmUp(market.token);
    for (let index = 0; index < 30; index++) await ask(market.token);
    await settled();
    expect(calls.filter((path) => path === "/x402/lease")).toHaveLength(1);
  });

  test("a token that verify refuses is never leased from", async () => {
    const market = await marketOf();
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const { ask, calls } = startGate(market);
    for (let index = 0; index < 3; index++) expect((await ask(market.token)).status).toBe(402);
    expect(calls.every((path) => path !== "/x402/lease")).toBe(true);
  });

  test.each([
    ["an answer", {}],
    ["a stream", { accept: "text/event-stream" }],
  ])(
    "a named request pays once if the process dies between its settlement and the copy of %s",
    async (_what, accept) => {
      const market = await marketOf();
      const disk = createDisk();
      const { answers, lapse } = createSharedAnswers();
      const own = { disk: { ...disk }, answers: { ...answers } };
      const first = startGate(market, own);
      await first.warmUp(market.token);
      await first.settled();
      own.disk.keep = async (job) => {
        await disk.keep(job);
        first.kill();
        own.answers.keep = () => new Promise(() => {});
      };
      const named = { "idempotency-key": "0123456789abcdef", ...accept };
      await (await first.ask(market.token, named)).body?.getReader().read();
      await vi.waitFor(() => expect(disk.jobs.size).toBe(1), { timeout: 10_000 });
      lapse();
      const next = startGate(market, { disk, answers });
      await next.settled();
      const again = await next.ask(market.token, named);
      expect([again.status, (await again.json()).code]).toEqual([409, "idempotency_conflict"]);
      expect(await balanceOf(market)).toBe(1_000n - BigInt(first.served.count + 1));
    },
  );

  test("a named stream that fails after it began can be tried again", async () => {
    const market = await marketOf();
    const {
      ask,
      warmUp,
      served: count,
      settled,
    } = startGate(market, { answers: createMemoryAnswers() });
    await warmUp(market.token);
    const named = { "idempotency-key": "0123456789abcdef", accept: "text/event-stream" };
    const failed = await ask(market.token, { ...named, "x-event": "event: error\n" });
    expect(await failed.text()).toContain("work_failed");
    expect(await (await ask(market.token, named)).text()).toContain('"success":true');
    await settled();
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count.count + 1));
  });

  test("a revocation takes effect within the lease's life", async () => {
    const market = await marketOf(1);
    const { ask, warmUp } = startGate(market, { seconds: 1 });
    await warmUp(market.token);
    await market.subscriber.payments.tokens.revokeToken(market.tokenId);
    const revokedAt = performance.now();
    let lastServed = revokedAt;
    const askAgain = async () => {
      const askedAt = performance.now();
      const { status } = await ask(market.token);
      if (status === 200) lastServed = askedAt;
      expect(status).toBe(402);
    };
    await vi.waitFor(askAgain, { timeout: 10_000, interval: 20 });
    expect(lastServed - revokedAt).toBeLessThan(1_000);
  });

  test("a token without leases, and requests that name themselves without a shared store, are verified each", async () => {
    const market = await marketOf(0);
    const { ask, calls } = startGate(market);
    for (let index = 0; index < 5; index++) await ask(market.token);
    expect(calls.filter((path) => path === "/x402/verify")).toHaveLength(5);
    const named = await marketOf();
    const gate = startGate(named);
    await gate.warmUp(named.token);
    gate.calls.length = 0;
    const id = { "idempotency-key": "0123456789abcdef" };
    expect((await gate.ask(named.token, id)).status).toBe(200);
    expect(gate.calls).toContain("/x402/verify");
  });

  test("T01: signed requests are not leased, and one sent again after its kept answer is gone is served nothing", async () => {
    const market = await marketOf();
    const answers = createMemoryAnswers({ maxAnswers: 1 });
    const { calls, ask, settled } = startGate(market, { answers });
    const { subtle } = globalThis.crypto;
    const keys = (await subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair;
    const { x = "" } = await subtle.exportKey("jwk", keys.publicKey);
    const cnf = { jwk: { kty: "OKP", crv: "Ed25519", x } as const };
    const { accessToken } = await market.subscriber.payments.x402.getX402AccessToken(
      market.planId,
      market.agentId,
      { cnf, leaseSecs: 30, redemptionLimit: 1_000 },
    );
    const sign = async (nonce: string) => {
      const created = Math.floor(Date.now() / 1000);
      const components = '"@method" "@path" "@query" "payment-signature"';
      const params = `(${components});created=${created};nonce="${nonce}";keyid="${x}";alg="ed25519";tag="x402"`;
      const base = [
        '"@method": POST',
        '"@path": /ask',
        '"@query": ?',
        `"payment-signature": ${accessToken}`,
        `"@signature-params": ${params}`,
      ].join("\n");
      const bytes = await subtle.sign("Ed25519", keys.privateKey, new TextEncoder().encode(base));
      const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
      return { "signature-input": `sig=${params}`, signature: `sig=:${text}:` };
    };
    let count = 0;
    const nonce = () => `nonce-0123456789-${count++}`;
    const askOthers = async () => {
      for (let other = 0; other < 3; other++) {
        expect((await ask(accessToken, await sign(nonce()))).status).toBe(200);
        await settled();
      }
    };
    await askOthers();
    const once = await sign(nonce());
    expect((await ask(accessToken, once)).status).toBe(200);
    expect((await ask(accessToken, once)).headers.get("idempotency-replayed")).toBe("true");
    await askOthers();
    expect((await ask(accessToken, once)).status).toBe(409);
    expect((await ask(accessToken)).status).toBe(402);
    const forged = { ...(await sign("nonce-of-a-forged-one")), signature: once.signature };
    expect((await ask(accessToken, forged)).status).toBe(402);
    await settled();
    expect(calls).not.toContain("/x402/lease");
    expect(await balanceOf(market)).toBe(1_000n - BigInt(count));
  });
});
