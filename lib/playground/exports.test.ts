import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { decodeHeader, encodeHeader } from "@turnpike/payments/protocol";
import { Ajv } from "ajv";
import harSchema from "har-schema";
import { generatePrivateKey } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { sendForPlayground } from "@/lib/server/outbound/playground-send.ts";
import {
  callOf,
  createDoctorBench,
  type DoctorBench,
  listen,
} from "@/lib/server/testing/doctor-bench.ts";
import { testDeployment } from "@/lib/server/testing/pretend-rail.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { bundled } from "@/lib/testing/bundled.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { runPlayground } from "./engine.ts";
import {
  curlOf,
  exactCentsOf,
  fetchCodeOf,
  playwrightCodeOf,
  sdkCodeOf,
  stockCodeOf,
} from "./export-code.ts";
import { harOf } from "./export-har.ts";
import type { PlaygroundService, Transport } from "./ports.ts";
import { redactRun } from "./redact.ts";
import type { Run, RunInput } from "./run.ts";

const SECRET = "Bearer s3cr3t-of-the-agent";
/** Breaks careless quoting: both kinds of quotes, a variable, a command, line breaks, non-Latin text. */
const BODY = JSON.stringify({ question: 'it\'s "me", $HOME `id` $(id) \\ \n 你好 💸 %s !' });
const NOTE = 'it\'s "fine", $HOME `id` \\';

let database: Database;
let service: TestService;
let bench: DoctorBench;
let served: Awaited<ReturnType<typeof listen>>;
let folder: string;
let url: string;
/** Paid requests as the agent saw them. */
const seen: { note: string | null; login: string | null; body: string }[] = [];
/** Tokens minted by runs. */
const minted: string[] = [];
const outbound = createOutbound({ policy: OPEN, userAgent: "Test/1" });

beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  service = createTestService(database);
  served = await listen(async (request) => {
    // The server's Request class is not the one this process's fetch accepts.
    const { method, headers } = request;
    const body = method === "GET" ? undefined : await request.text();
    return service.fetch(request.url, { method, headers, ...(body && { body }) });
  });
  bench = await createDoctorBench(service);
  const sound = bench.gated();
  bench.answer(async (request) => {
    if (request.headers.has("payment-signature")) {
      const { headers } = request;
      const body = await request.clone().text();
      seen.push({ note: headers.get("x-note"), login: headers.get("authorization"), body });
    }
    return sound(request);
  });
  url = bench.url.replace(":id", "7");
  // Inside the repository, so that packages resolve by name.
  folder = mkdtempSync("lib/playground/.exports-");
});
beforeEach(() => {
  seen.length = 0;
  minted.length = 0;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([bench.close(), served.close()]);
  await database.close();
});

const exported = (): Pick<RunInput, "method" | "url" | "headers" | "body"> => ({
  method: "POST",
  url: `${url}?q=it's%20"me"&x=$HOME&y={a,b}&z=[1-2]`.replaceAll('"', "%22"),
  headers: [
    ["content-type", "application/json"],
    ["x-note", NOTE],
    ["authorization", SECRET],
  ],
  body: BODY,
});

const mint = async (): Promise<string> => {
  const { payments } = bench.subscriber;
  return (await payments.x402.getX402AccessToken(bench.planId, bench.agentId)).accessToken;
};

type Ended = { code: number; out: string };

function execute(command: string, args: string[], env: Record<string, string>): Promise<Ended> {
  const all = { ...process.env, NODE_OPTIONS: "", AGENT_AUTHORIZATION: SECRET, ...env };
  return new Promise((done) => {
    execFile(command, args, { env: all }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 1) : 0, out: `${out}\n${err}` }),
    );
  });
}

function write(name: string, text: string): string {
  const path = resolve(folder, name);
  writeFileSync(path, text.replace('"@turnpike/payments"', `"${bundled("lib/sdk/index.ts")}"`));
  return path;
}

/** The agent received exactly what was typed, and it was paid for once. */
async function expectPaidOnce(before: bigint, paidCalls = 1): Promise<void> {
  const sent = { note: NOTE, login: SECRET, body: BODY };
  expect(seen).toEqual(Array(paidCalls).fill(sent));
  expect(before - (await bench.balance())).toBe(1n);
}

describe("each snippet runs as printed, against a gated agent with a real token", () => {
  test("cURL", async () => {
    const before = await bench.balance();
    const text = curlOf(exported());
    const { code, out } = await execute("sh", ["-c", text], {
      TURNPIKE_ACCESS_TOKEN: await mint(),
    });
    expect(code, out).toBe(0);
    expect(out).toMatch(/^HTTP\/1\.1 200/m);
    expect(out).toMatch(/^payment-response: /im);
    await expectPaidOnce(before);
  });

  test("cURL, for a HEAD", async () => {
    const text = curlOf({ method: "HEAD", url, headers: [], body: null });
    const { code, out } = await execute("sh", ["-c", text], { TURNPIKE_ACCESS_TOKEN: "" });
    expect(code, out).toBe(0);
    expect(out).toMatch(/^HTTP\/1\.1 \d{3}/m);
  });

  test("plain fetch", async () => {
    const before = await bench.balance();
    const file = write("fetch.mjs", fetchCodeOf(exported()));
    const { code, out } = await execute(process.execPath, [file], {
      TURNPIKE_ACCESS_TOKEN: await mint(),
    });
    expect(code, out).toBe(0);
    expect(out).toMatch(/^200 \{"got"/m);
    expect(out).toMatch(/success: true/);
    await expectPaidOnce(before);
  });

  test("the SDK", async () => {
    const before = await bench.balance();
    const where = { baseUrl: served.origin };
    const file = write("sdk.mjs", sdkCodeOf({ ...exported(), ...where, maxCredits: "1" }));
    const env = { TURNPIKE_API_KEY: bench.subscriber.apiKey };
    const { code, out } = await execute(process.execPath, [file], env);
    expect(code, out).toBe(0);
    expect(out).toMatch(/^200 \{"got"/m);
    expect(out).toMatch(/success: true/);
    await expectPaidOnce(before);
  });

  test("the SDK, of a seller that takes no signatures and is registered elsewhere", async () => {
    const sound = bench.gated();
    const seller = await listen(async (request) => {
      const answer = await sound(request);
      if (answer.status !== 402) return answer;
      const { paymentRequired } = await answer.json();
      const unsigned = encodeHeader({ ...paymentRequired, extensions: {} });
      return new Response("{}", { status: 402, headers: { "payment-required": unsigned } });
    });
    const before = await bench.balance();
    const run = { ...exported(), url: `${seller.origin}/ask/7`, planId: bench.planId };
    const file = write("sdk-plan.mjs", sdkCodeOf({ ...run, baseUrl: served.origin }));
    const env = { TURNPIKE_API_KEY: bench.subscriber.apiKey };
    const { code, out } = await execute(process.execPath, [file], env);
    await seller.close();
    expect(code, out).toBe(0);
    expect(out).toMatch(/^200 \{"got"/m);
    expect(before - (await bench.balance())).toBe(1n);
  });

  longTest(
    "a Playwright test",
    async () => {
      const before = await bench.balance();
      write("exported.spec.ts", playwrightCodeOf(exported()));
      const config = write(
        "playwright.config.ts",
        'export default { testDir: ".", reporter: "line" };\n',
      );
      const cli = resolve("node_modules/@playwright/test/cli.js");
      const args = [cli, "test", "--config", config];
      const { code, out } = await execute(process.execPath, args, {
        TURNPIKE_ACCESS_TOKEN: await mint(),
      });
      expect(code, out).toBe(0);
      expect(out).toContain("1 passed");
      await expectPaidOnce(before);
    },
    60_000,
  );

  test("the SDK and @x402/fetch, against a seller that is paid by exact", async () => {
    const requirement = {
      x402Version: 2 as const,
      resource: { url: "https://seller.example/quote" },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:84532",
          amount: "12500",
          asset: testDeployment().usdc ?? testDeployment().plans,
          payTo: "0x000000000000000000000000000000000000dEaD",
          maxTimeoutSeconds: 60,
          extra: { name: "USDC", version: "2" },
        },
      ],
    };
    const paid: string[] = [];
    const seller = await listen(async (request) => {
      const payment = request.headers.get("payment-signature");
      if (payment === null) {
        const headers = { "payment-required": encodeHeader(requirement) };
        return new Response("{}", { status: 402, headers });
      }
      paid.push((decodeHeader(payment) as { accepted: { amount: string } }).accepted.amount);
      const receipt = { success: true, transaction: "0x1", network: "eip155:84532", payer: "0x2" };
      return Response.json({ got: 1 }, { headers: { "payment-response": encodeHeader(receipt) } });
    });
    const maxSpend = exactCentsOf(requirement);
    expect(maxSpend).toBe("2");
    const run = { method: "POST", url: `${seller.origin}/quote`, headers: [], body: "{}" } as const;
    const asked = { ...run, headers: [], baseUrl: served.origin, maxSpend };
    const files = [
      write("sdk-exact.mjs", sdkCodeOf(asked)),
      write("stock.mjs", stockCodeOf(asked)),
    ];
    for (const file of files) {
      const { code, out } = await execute(process.execPath, [file], {
        TURNPIKE_API_KEY: bench.subscriber.apiKey,
        WALLET_PRIVATE_KEY: generatePrivateKey(),
      });
      expect(code, out).toBe(0);
      expect(out).toMatch(/^200 \{"got"/m);
      expect(out).toMatch(file === files[0] ? /status: 'paid'/ : /success: true/);
    }
    expect(paid).toEqual(["12500", "12500"]);
    await seller.close();
  });

  longTest(
    "the Playwright test fails without a token",
    async () => {
      write("exported.spec.ts", playwrightCodeOf(exported()));
      const config = write(
        "playwright.config.ts",
        'export default { testDir: ".", reporter: "line" };\n',
      );
      const cli = resolve("node_modules/@playwright/test/cli.js");
      const { code } = await execute(process.execPath, [cli, "test", "--config", config], {
        TURNPIKE_ACCESS_TOKEN: "not-a-token",
      });
      expect(code).not.toBe(0);
    },
    60_000,
  );

  test("no snippet contains a secret", async () => {
    const where = { baseUrl: served.origin };
    const all = [curlOf, fetchCodeOf, playwrightCodeOf].map((write) => write(exported()));
    const text = [...all, sdkCodeOf({ ...exported(), ...where })].join("\n");
    expect(text).not.toContain("s3cr3t");
    expect(text).toContain("$TURNPIKE_ACCESS_TOKEN");
  });
});

describe("a run as HAR 1.2 is valid against the published schema", () => {
  const validate = harValidator();

  test.each([
    ["settled", {}, "settled"],
    ["with a query and no body", { method: "GET", body: null }, null],
    ["without a token", { token: { kind: "none" } }, "challenged"],
    ["with no server at the address", { url: "http://127.0.0.1:9/ask" }, null],
    ["rejected before it was sent", { url: "http://10.0.0.1/ask" }, null],
  ] satisfies [string, Partial<RunInput>, string | null][])("%s", async (_what, input, money) => {
    const run = await play(input);
    if (money) expect(run.money).toBe(money);
    for (const one of [run, redactRun(run)]) {
      const har = harOf(one) as { log: { entries: { startedDateTime: string }[] } };
      expect(validate(har)).toEqual([]);
      // As read back from a file.
      expect(validate(JSON.parse(JSON.stringify(har)))).toEqual([]);
      const { entries } = har.log;
      expect(entries.length).toBe(run.steps.filter(({ exchange }) => exchange).length);
      for (const { startedDateTime } of entries) {
        expect(new Date(startedDateTime).toISOString()).toBe(startedDateTime);
      }
    }
    expect(minted).toHaveLength(money === "settled" ? 1 : 0);
    for (const token of minted) expect(JSON.stringify(harOf(run))).not.toContain(token);
    expect(JSON.stringify(harOf(redactRun(run)))).not.toContain("s3cr3t");
  });

  test("a document that is not HAR is rejected", () => {
    expect(
      validate({ log: { version: "1.2", creator: { name: "x" }, entries: [{}] } }),
    ).not.toEqual([]);
  });
});

/** Validates against the published schema; returns its errors. */
function harValidator(): (har: unknown) => string[] {
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  ajv.addMetaSchema(createRequire(import.meta.url)("ajv/dist/refs/json-schema-draft-06.json"));
  for (const schema of Object.values(harSchema)) ajv.addSchema(schema);
  const check = ajv.getSchema("har.json#");
  if (!check) throw new Error("The schema of HAR was not found.");
  return (har) => {
    check(har);
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

async function play(input: Partial<RunInput>): Promise<Run> {
  const { subscriber } = bench;
  const call = callOf(service, subscriber);
  const transport: Transport = async (request, { signal }) => {
    const events = sendForPlayground({ outbound, account: subscriber.address, request, signal });
    for await (const event of events) {
      if (event.type === "done") return { request, ...event.exchange };
    }
    throw new Error("The request had no end.");
  };
  const playground: PlaygroundService = {
    account: subscriber.address,
    readPlan: (planId) => call("getPlan", { planId }),
    async readBalance(planId) {
      const found = await call("getPlanBalance", { planId, holderAddress: subscriber.address });
      return { ...found, balance: BigInt(found.balance), held: BigInt(found.held) };
    },
    async mint({ planId, agentId }) {
      const token = await subscriber.payments.x402.getX402AccessToken(planId, agentId ?? null);
      minted.push(token.accessToken);
      return token;
    },
    dryVerify: (paymentRequired, x402AccessToken) =>
      call("verifyPermissions", { paymentRequired, x402AccessToken }),
    findRequest: (agentRequestId) => call("getRequest", { agentRequestId }).catch(() => null),
    end: async () => null,
  };
  const run = runPlayground({
    input: { ...exported(), token: { kind: "mint" }, ...input },
    transport,
    service: playground,
    signal: new AbortController().signal,
    lookForMs: 50,
    pause: async () => {},
  });
  for (;;) {
    const { value, done } = await run.next();
    if (done) return value;
  }
}
