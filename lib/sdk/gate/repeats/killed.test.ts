import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { createMarket, type TestMarket } from "@/lib/server/testing/test-service.ts";
import { bundled } from "@/lib/testing/bundled.ts";
import { Payments } from "../../client/payments.ts";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import { createFolderAnswers } from "../../test-support/folder-answers.ts";
import { type ServedService, serveTestService } from "../../test-support/served-service.ts";
import { createGate } from "../gate.ts";
import { createMemoryQueue } from "../queue/memory-queue.ts";

let database: Database;
let served: ServedService;
let folder: string;
beforeAll(async () => {
  database = await openRuleStore();
  served = await serveTestService(database);
  folder = mkdtempSync(join(tmpdir(), "turnpike-killed-"));
});
afterAll(async () => {
  expect(await brokenRules(database)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
  await served.close();
  await database.close();
});

const URL_OF_AGENT = "https://agent.example/ask";
const market = () => createMarket(served.service, { credits: getFixedCreditsConfig(10n, 2n) });
const named = (token: string, key = "number-17"): Record<string, string> => ({
  "payment-signature": token,
  "idempotency-key": key,
});

/** A gate that is killed at this point of its first request, and those that get the repeats. */
async function killAt(point: string, { planId, builder, subscriber, token }: TestMarket) {
  const own = mkdtempSync(join(folder, "answers-"));
  const answers = createFolderAnswers(own);
  let worked = 1;
  const gate = createGate(
    Payments.getInstance({ apiKey: builder.apiKey, baseUrl: served.origin }),
    { "POST /ask": { planId } },
    { queue: createMemoryQueue(), report: false, logger: { error: () => {} }, answers },
  );
  const send = (request: Request) =>
    gate(request, () => {
      worked += 1;
      return Response.json({ worked });
    });
  return {
    send,
    async kill(headers: Record<string, string> = named(token)) {
      const program = bundled("lib/sdk/test-support/dying-gate.ts");
      const args = [program, served.origin, builder.apiKey, planId, own, JSON.stringify(headers)];
      const child = spawn(process.execPath, [...args, point], { stdio: "inherit" });
      expect((await once(child, "exit"))[1]).toBe("SIGKILL");
    },
    async repeat({ headers = named(token), body = "why" } = {}) {
      const response = await send(new Request(URL_OF_AGENT, { method: "POST", body, headers }));
      const { status, headers: sent } = response;
      const receipt = decodeHeader(sent.get("payment-response") ?? "") as { success?: boolean };
      return { status, sent, isPaid: receipt?.success === true, text: await response.text() };
    },
    spend: (call: number) =>
      send(new Request(URL_OF_AGENT, { method: "POST", headers: named(token, `other-${call}`) })),
    lapse() {
      for (const name of readdirSync(own)) answers.lapse(name.replace(/\..*/, ""));
    },
    balance: async () => (await subscriber.payments.plans.getPlanBalance(planId)).balance,
    async expire() {
      await served.service.ports.clock.advance(400);
      await served.service.ports.ledger.sweep();
    },
  };
}

async function killed(point: string) {
  const gate = await killAt(point, await market());
  await gate.kill();
  return gate;
}

test.each(["before the settlement", "after the settlement", "after it kept its receipt"])(
  "T14: a request whose gate is killed %s is paid once, and its repeat gets the response",
  async (point) => {
    const { repeat, balance } = await killed(point);
    expect((await repeat({ body: "why not" })).status).toBe(409);
    for (let times = 0; times < 2; times++) {
      const { status, text, isPaid, sent } = await repeat();
      expect([status, text, isPaid]).toEqual([200, '{"worked":1}', true]);
      expect([sent.get("x-own"), sent.getSetCookie()]).toEqual(["yes", ["a=1"]]);
    }
    expect(await balance()).toBe(8n);
  },
);

test("T14: twenty repeats at once of a request whose gate was killed are paid once", async () => {
  const { repeat, balance } = await killed("before the settlement");
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await repeat()).text));
  expect([new Set(texts), await balance()]).toEqual([new Set(['{"worked":1}']), 8n]);
});

test("T14: once its reservation has expired, a repeat is paid from the balance, or gets nothing", async () => {
  const { repeat, balance, expire } = await killed("before the settlement");
  await expire();
  expect((await repeat()).text).toBe('{"worked":1}');
  const poor = await killed("before the settlement");
  await poor.expire();
  for (let call = 0; call < 5; call++) await poor.spend(call);
  expect([await balance(), await poor.balance()]).toEqual([8n, 0n]);
  for (let times = 0; times < 2; times++) {
    const { status, text, isPaid } = await poor.repeat();
    expect([status, isPaid]).toEqual([402, false]);
    expect(text).not.toContain("worked");
  }
});

test("a request whose gate is killed before its response is kept costs nothing, and its id is refused", async () => {
  const { repeat, balance, lapse, expire } = await killed("before it keeps its response");
  expect((await repeat()).status).toBe(409);
  lapse();
  expect((await repeat()).status).toBe(409);
  await expire();
  lapse();
  expect([(await repeat()).status, await balance()]).toEqual([409, 10n]);
});

test("T14: a token that is bound to a key gets a response that was not paid yet with its signature only", async () => {
  const sold = await market();
  const gate = await killAt("before the settlement", sold);
  let signed: Record<string, string> = {};
  const fetch = async (request: Request) => {
    if (!request.headers.has("payment-signature")) return gate.send(request);
    signed = Object.fromEntries(request.headers);
    return new Response("lost", { status: 500 });
  };
  const { payments } = sold.subscriber;
  await payments.fetch(URL_OF_AGENT, { method: "POST", body: "why" }, { fetch });
  expect(signed.signature).toBeDefined();
  await gate.kill(signed);
  const { signature: _signature, ...stolen } = signed;
  for (const headers of [stolen, { ...signed, signature: `sig=:${"A".repeat(86)}==:` }]) {
    const { status, text } = await gate.repeat({ headers });
    expect([status, text.includes("worked")]).toEqual([402, false]);
  }
  const { status, text, isPaid } = await gate.repeat({ headers: signed });
  expect([status, text, isPaid]).toEqual([200, '{"worked":1}', true]);
  expect(await gate.balance()).toBe(8n);
});
