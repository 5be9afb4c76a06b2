import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createGate, createMemoryQueue } from "@turnpike/payments";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import type { Outbound, OutboundEvent, OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import { runCommand } from "@/lib/sdk/cli/command-line.ts";
import { createVerbContext } from "@/lib/sdk/cli/index.ts";
import { bundled } from "@/lib/testing/bundled.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";
import { createMcpEndpoint } from "./mcp.ts";

const closers: (() => unknown)[] = [];

type ToolAnswer = {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, never>;
  isError?: boolean;
};

describe.each(ruleStores())("the verbs on $name", ({ open }) => {
  let database: Database;
  let service: TestService;
  let builder: TestParty;
  let subscriber: TestParty;
  let planId: string;
  let delegationId: string;
  let baseUrl: string;
  let url: string;
  let worked = 0;
  let sent: OutboundRequest[] = [];
  let reaching: Outbound;
  /** What happens to an outbound request on its way. */
  let change = (event: OutboundEvent, _request: OutboundRequest): OutboundEvent => event;
  afterEach(() => {
    change = (event) => event;
  });

  beforeAll(async () => {
    database = await open();
    const outbound = createOutbound({ policy: OPEN, userAgent: "test" });
    reaching = {
      async *send(request) {
        sent = [...sent, request];
        for await (const event of outbound.send(request)) yield change(event, request);
      },
    };
    service = createTestService(database, { outbound: reaching });
    [builder, subscriber] = await Promise.all([service.party(), service.party()]);
    baseUrl = await listen((request) => service.serve(request, { address: "127.0.0.1" }));
    ({ planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Starter" },
      getFreePriceConfig(),
      getFixedCreditsConfig(100n, 1n),
    ));
    let gate: ReturnType<typeof createGate>;
    const agent = await listen((request) =>
      gate(request, async () => {
        worked += 1;
        return Response.json({ words: (await request.text()).split(" ").length });
      }),
    );
    url = `${agent}/count`;
    const { agentId } = await builder.payments.agents.registerAgent(
      { name: "Word counter", description: "Counts words." },
      { endpoints: [{ POST: url }], agentDefinitionUrl: `${agent}/openapi.json` },
      [planId],
    );
    const options = { queue: createMemoryQueue(), report: false };
    gate = createGate(builder.payments, { "POST /count": { planId, agentId } }, options);
    await subscriber.payments.plans.orderPlan(planId);
    ({ delegationId } = await subscriber.payments.delegation.createDelegation({
      provider: "erc4337",
      currency: "usdc",
      spendingLimitCents: 100n,
      durationSecs: 3600,
    }));
  });
  afterAll(async () => {
    for (const close of closers.splice(0)) await close();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const overHttp = async (apiKey: string | null) => {
    const client = new Client({ name: "stock", version: "1" });
    const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${baseUrl}/api/v1/mcp`), {
        requestInit: { headers },
      }) as never,
    );
    closers.push(() => client.close());
    return client;
  };
  // Another process, so that what runs is the command itself.
  const overStdio = async (apiKey: string | null) => {
    const client = new Client({ name: "stock", version: "1" });
    const env = { ...environment(apiKey), TURNPIKE_URL: baseUrl };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [bundled("lib/sdk/cli/main.ts"), "mcp"],
        env,
      }) as never,
    );
    closers.push(() => client.close());
    return client;
  };

  test.each([
    ["streamable HTTP", overHttp],
    ["stdio", overStdio],
  ])("the unmodified MCP client over %s searches, pays, mints and checks", async (_, connect) => {
    const client = await connect(subscriber.apiKey);
    const use = async (tool: string, input: object) =>
      (await client.callTool({ name: tool, arguments: { ...input } })) as ToolAnswer;
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search",
      "price",
      "call",
      "mint",
      "balance",
      "check_receipt",
    ]);

    const priced = await use("price", { url, method: "POST" });
    expect(priced.content[0]?.text).toContain(`1 credit of Starter (plan ${planId})`);
    const paid = await use("call", { url, body: "one two three" });
    expect(paid.isError).toBe(false);
    expect(paid.structuredContent).toMatchObject({ status: 200, body: '{"words":3}' });
    const receipt = JSON.stringify(paid.structuredContent?.receipt);
    expect(await use("check_receipt", { receipt })).toMatchObject({
      isError: false,
      structuredContent: { isValid: true, statements: [{ payload: { resourceUrl: url } }] },
    });
    const found = await use("search", { query: "words" });
    expect(found.structuredContent?.items).toMatchObject([{ resource: url }]);
    expect(await use("balance", { planId })).toMatchObject({
      structuredContent: { planName: "Starter", isSubscriber: true },
    });
    const { structuredContent: minted } = await use("mint", {
      planId,
      delegationId,
      redemptionLimit: 1,
    });
    const headers = { "payment-signature": String(minted?.accessToken) };
    expect((await fetch(url, { method: "POST", headers, body: "a" })).status).toBe(200);
  });

  test.each([
    ["streamable HTTP", overHttp],
    ["stdio", overStdio],
  ])(
    "over %s, a tool that needs an account says so, and wrong input what is wrong",
    async (_, connect) => {
      const client = await connect(null);
      const use = async (tool: string, input: object) =>
        (await client.callTool({ name: tool, arguments: { ...input } })) as ToolAnswer;
      expect((await use("search", {})).isError).toBe(false);
      expect(await use("balance", {})).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("needs an API key") }],
      });
      expect((await use("call", {})).content[0]?.text).toContain("call needs url");
      expect((await use("price", { url, colour: "red" })).content[0]?.text).toContain("colour");
      await expect(client.callTool({ name: "transfer", arguments: {} })).rejects.toThrow(
        "Unknown tool",
      );
    },
  );

  test.each(["GET", "DELETE", "PUT"])(
    "%s on the endpoint is 405: it has no stream and no sessions",
    async (method) => {
      const answer = await fetch(`${baseUrl}/api/v1/mcp`, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
      expect(await answer.json()).toMatchObject({ code: "method_not_allowed" });
    },
  );

  test.each([
    ["cut off", '{"jsonrpc":"2.0","id":1,', -32700],
    ["empty", "", -32700],
    ["nested too deep", `${"[".repeat(9_000)}${"]".repeat(9_000)}`, -32700],
    ["null", "null", -32600],
    ["a text", '"ping"', -32600],
  ])("a body that is %s is answered as JSON-RPC has it", async (_what, body, code) => {
    const answer = await fetch(`${baseUrl}/api/v1/mcp`, { method: "POST", body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code, message: expect.any(String) },
    });
  });

  test("over HTTP no one without a key sends requests through the service", async () => {
    const client = await overHttp(null);
    const answer = (await client.callTool({ name: "price", arguments: { url } })) as ToolAnswer;
    expect([answer.isError, answer.content[0]?.text]).toEqual([
      true,
      expect.stringContaining("API key"),
    ]);
  });

  test("a key of the preset buyer calls agents, and one of a gate sends nothing", async () => {
    const { apiKeys } = subscriber.payments;
    const callAs = async (preset: "buyer" | "gate") => {
      const { apiKey } = await apiKeys.createApiKey({ name: preset, preset });
      const client = await overHttp(apiKey);
      const input = { url, body: "one two" };
      return (await client.callTool({ name: "call", arguments: input })) as ToolAnswer;
    };
    expect(await callAs("buyer")).toMatchObject({
      isError: false,
      structuredContent: { status: 200, body: '{"words":2}' },
    });
    sent = [];
    const refused = await callAs("gate");
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain("needs the scope tokens:write");
    expect(sent).toEqual([]);
  });

  test("the audit trail has the address that each call came from", async () => {
    const { apiKey } = await subscriber.payments.apiKeys.createApiKey({
      name: "two places",
      preset: "buyer",
    });
    const mintFrom = (address: string) => {
      const params = { name: "mint", arguments: { planId, delegationId } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
      const body = JSON.stringify(message);
      const request = new Request(`${baseUrl}/api/v1/mcp`, { method: "POST", headers, body });
      return service.serve(request, { address });
    };
    for (const address of ["10.0.0.1", "10.9.9.9"]) await mintFrom(address);
    const { items } = await subscriber.payments.audit.listAudit({ action: "token.mint" });
    const [last, first] = items.map(({ address }) => address);
    expect([first, last]).toEqual(["10.0.0.1", "10.9.9.9"]);
  });

  test("neither unknown keys nor many keys of one account displace another's client, nor the token it pays with", async () => {
    const { apiKey } = await subscriber.payments.apiKeys.createApiKey({
      name: "many others",
      preset: "buyer",
    });
    const serveMcp = createMcpEndpoint({
      ...{ ports: service.ports, pipeline: service.pipeline, origin: baseUrl },
      ...{ outbound: reaching, serve: service.serve, mostAccounts: 2 },
    });
    const callTool = (key: string, name: string, input: object) => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
      const body = JSON.stringify({ ...message, params: { name, arguments: input } });
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const request = new Request(`${baseUrl}/api/v1/mcp`, { method: "POST", headers, body });
      return serveMcp(request, "127.0.0.1");
    };
    const tokenPaidWith = async () => {
      sent = [];
      await callTool(apiKey, "call", { url, body: "one two" });
      return sent.find(isPaid)?.headers?.["payment-signature"];
    };
    const token = await tokenPaidWith();
    expect(token).toBeDefined();
    for (let at = 0; at < 5; at++) await callTool(`${apiKey}${at}`, "balance", { planId });
    expect(await tokenPaidWith()).toBe(token);
    const other = await service.party();
    for (let at = 0; at < 5; at++) {
      const key = await other.payments.apiKeys.createApiKey({ name: `${at}`, preset: "buyer" });
      await callTool(key.apiKey, "balance", { planId });
    }
    expect(await tokenPaidWith()).toBe(token);
    // Its account is asked for once the call was admitted.
    const find = service.ports.apiKeys.find.bind(service.ports.apiKeys);
    const found = vi.spyOn(service.ports.apiKeys, "find");
    found.mockImplementationOnce(find).mockRejectedValueOnce(new Error("The connection broke."));
    expect([await tokenPaidWith(), await tokenPaidWith()]).toEqual([undefined, token]);
    found.mockRestore();
  });

  const isPaid = ({ headers }: OutboundRequest) => headers?.["payment-signature"] !== undefined;
  const callOverHttp = async (input: object) => {
    const client = await overHttp(subscriber.apiKey);
    return (await client.callTool({ name: "call", arguments: { ...input } })) as ToolAnswer;
  };

  test("an agent that is paid may work for five minutes", async () => {
    sent = [];
    expect((await callOverHttp({ url, body: "one two" })).isError).toBe(false);
    expect(sent.map((one) => [isPaid(one), one.silentMs, one.totalMs])).toEqual([
      [false, undefined, undefined],
      [true, 300_000, 300_000],
    ]);
  });

  test("a paid call whose answer is lost is unknown, and its repeat by the key named is charged once", async () => {
    const balance = async () => (await subscriber.payments.plans.getPlanBalance(planId)).balance;
    const [had, before] = [await balance(), worked];
    const late = {
      type: "failed",
      code: "headers_timeout",
      message: "It was late.",
      ms: 1,
    } as const;
    change = (event, request) => (event.type === "end" && isPaid(request) ? late : event);
    const lost = await callOverHttp({ url, body: "one two three" });
    const told = lost.content[0]?.text ?? "";
    expect(lost.isError).toBe(true);
    expect(told).toMatch(/may have been charged. It was late.*\(outcome_unknown\)$/);
    change = (event) => event;
    const idempotencyKey = /idempotency key (\S+)/.exec(told)?.[1];
    const again = await callOverHttp({ url, body: "one two three", idempotencyKey });
    expect(again.structuredContent).toMatchObject({ status: 200, body: '{"words":3}' });
    expect([worked - before, had - (await balance())]).toEqual([1, 1n]);
  });

  test("a paid call that is answered with a status that HTTP does not have is unknown, and names its key", async () => {
    change = (event, request) =>
      event.type === "headers" && isPaid(request) ? { ...event, status: 999 } : event;
    const lost = await callOverHttp({ url, body: "one two" });
    expect(lost.content[0]?.text).toMatch(
      /may have been charged. The agent answered with status 999.*idempotency key idem_\S+.*\(outcome_unknown\)$/,
    );
  });

  test("a paid call that fails in the service after it was sent is unknown, and names its key", async () => {
    change = (event, request) => {
      if (event.type === "end" && isPaid(request)) throw new Error("A fault.");
      return event;
    };
    const lost = await callOverHttp({ url, body: "one two" });
    expect(lost.content[0]?.text).toMatch(/may have been charged.*idempotency key idem_\S+/);
  });

  test("a request that was refused before it was sent is not unknown", async () => {
    const refused = { type: "refused", code: "too_many", message: "Too many.", ms: 1 } as const;
    change = (event, request) => (isPaid(request) ? refused : event);
    const answer = await callOverHttp({ url, body: "one" });
    expect(answer.content[0]?.text).toMatch(/^Too many.*\(rate_limited\)$/);
  });

  test("the agent gets its own login, and an answer that was cut off says so", async () => {
    const agent = await listen((request) => new Response(request.headers.get("authorization")));
    const header = ["Authorization: Basic YWdlbnQ6bG9naW4="];
    const whole = await callOverHttp({ url: agent, header });
    expect(whole.structuredContent).toMatchObject({ body: "Basic YWdlbnQ6bG9naW4=" });
    expect(whole.structuredContent).not.toHaveProperty("cut");
    const cut = { code: "too_large", message: "The response was cut off." } as const;
    change = (event) => (event.type === "end" ? { ...event, cut } : event);
    const part = await callOverHttp({ url: agent, header });
    expect(part.structuredContent).toMatchObject({
      body: "Basic YWdlbnQ6bG9naW4=",
      cut: cut.message,
    });
    expect(part.content[0]?.text).toContain("The answer is incomplete: The response was cut off.");
  });

  test("a tool reads the beginning of an answer without an end, and says that it is not all", async () => {
    const chunk = new TextEncoder().encode("a".repeat(10_000));
    const endless = () => new ReadableStream({ pull: (out) => out.enqueue(chunk) });
    const agent = await listen(() => new Response(endless()));
    const client = await overStdio(subscriber.apiKey);
    const input = { url: agent };
    const answer = (await client.callTool({ name: "call", arguments: input })) as ToolAnswer;
    const told = answer.content[0]?.text ?? "";
    expect([answer.isError, told.length < 101_000]).toEqual([false, true]);
    expect(told).toContain("The answer is incomplete: it is longer than 100000 characters.");
  });

  test("the price of an offer whose amount cannot be read is shown as it is", async () => {
    const offer = { scheme: "exact", network: "eip155:1", amount: "1.5", extra: { name: "USDC" } };
    const headers = {
      "payment-required": btoa(JSON.stringify({ x402Version: 2, accepts: [offer] })),
    };
    const agent = await listen(() => new Response("{}", { status: 402, headers }));
    const { code, out } = await run(["price", agent], { TURNPIKE_URL: baseUrl });
    expect([code, out]).toEqual([0, "1.5 of the smallest unit of USDC by exact on eip155:1"]);
  });

  test("a seller cannot charge above what the call allows", async () => {
    const { planId: dear } = await builder.payments.plans.registerCreditsPlan(
      { name: "Dear" },
      getFreePriceConfig(),
      getFixedCreditsConfig(1n, 1n),
    );
    const gate = createGate(
      builder.payments,
      { "POST /dear": { planId: dear } },
      { report: false },
    );
    const agent = await listen((request) => gate(request, async () => Response.json({})));
    const client = await overHttp(builder.apiKey);
    const input = { url: `${agent}/dear`, method: "POST", maxSpendCents: -1 };
    const answer = (await client.callTool({ name: "call", arguments: input })) as ToolAnswer;
    expect(answer.content[0]?.text).toContain("maxSpendCents is not a whole number");
  });

  test("T05: commands check receipts: forged, altered and foreign ones are refused with the reason", async () => {
    const { response, receipt } = await subscriber.payments.fetch(url, {
      method: "POST",
      body: "a b",
    });
    expect(response.status).toBe(200);
    const check = (kept: string) =>
      run(["check-receipt", "kept"], { TURNPIKE_URL: baseUrl }, { kept });
    const good = await check(JSON.stringify(receipt));
    expect([good.code, good.out]).toEqual([0, expect.stringContaining("Valid receipt")]);
    const altered = await check(
      JSON.stringify(receipt).replace(
        /\.(\w)(\w+)\./,
        (_, one, rest) => `.${one === "a" ? "b" : "a"}${rest}.`,
      ),
    );
    expect([altered.code, altered.out]).toEqual([1, expect.stringContaining("does not match")]);
    const other = createTestService(database, {});
    const foreign = other.ports.signer.sign(
      "receipt",
      { version: 1, network: "x:1", resourceUrl: url, payer: "0x1", issuedAt: 1 },
      "jws",
    );
    const strange = await check(JSON.stringify(foreign));
    expect([strange.code, strange.out]).toEqual([1, expect.stringContaining("another service")]);
    const none = await check("{}");
    expect([none.code, none.out]).toEqual([1, expect.stringContaining("No signed receipt found.")]);
  });

  test("commands explain themselves, and never print the key", async () => {
    const key = subscriber.apiKey;
    const cases: [string[], number, string][] = [
      [[], 2, "Usage: turnpike"],
      [["--help"], 0, "check-receipt"],
      [["call", "--help"], 0, "--max-spend-cents"],
      [["fly"], 2, "Unknown command"],
      [["mcp", "--port", "1"], 2, 'mcp takes no "--port".'],
      [
        ["price"],
        2,
        "price needs <url>.\n\nUsage: turnpike price <url> [options]\nSee turnpike price --help.",
      ],
      [["mint", planId], 2, "mint needs --delegation-id."],
      [["call", url, "--colour", "red"], 2, "Unknown option --colour.\n"],
      [["call", url, "--max-spend", "1"], 2, "Did you mean --max-spend-cents?"],
      [["call", url, "--max-spend-cents"], 2, "--max-spend-cents needs a value."],
      [["call", url, "--max-spend-cents", "1.5"], 2, "--max-spend-cents is not a whole number."],
      [["search", "two", "words"], 2, 'Unexpected "words". Put a value with spaces in quotes.'],
      [["search", "--limit", "1000"], 2, "(invalid_input)"],
      [["price", "--json"], 2, '"message": "price needs <url>."'],
      [["check-receipt", "no-such-file"], 2, "no-such-file: There is no such file."],
      [["balance", planId, "--json"], 0, '"planName": "Starter"'],
      [["call", url, "--body", "one two", "--json"], 0, '\\"words\\":2'],
      [["mint", planId, "--delegation-id", "none"], 1, "delegation"],
    ];
    const all = await Promise.all(
      cases.map(([args]) => run(args, { TURNPIKE_URL: baseUrl, TURNPIKE_API_KEY: key })),
    );
    for (const [index, [args, code, said]] of cases.entries()) {
      const { out, error, code: ended } = all[index] ?? { out: "", error: "", code: null };
      expect([args, ended, out + error]).toEqual([args, code, expect.stringContaining(said)]);
      expect(out + error).not.toContain(key.slice(-40));
    }
    const away = await run(["search"], { TURNPIKE_URL: "http://127.0.0.1:1" });
    expect([away.code, away.error]).toEqual([1, expect.stringContaining("TURNPIKE_URL")]);
  });
});

const environment = (apiKey: string | null): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  ...(apiKey && { TURNPIKE_API_KEY: apiKey }),
});

/** A command in this process; `files` by their paths. */
async function run(
  args: string[],
  env: Record<string, string>,
  files: Record<string, string> = {},
) {
  let [out, error] = ["", ""];
  const context = {
    ...createVerbContext({
      apiKey: env.TURNPIKE_API_KEY,
      baseUrl: env.TURNPIKE_URL ?? "http://localhost:3000",
    }),
    readFile: async (path: string) =>
      files[path] ?? Promise.reject(Object.assign(new Error(), { code: "ENOENT" })),
    serveMcp: async () => {},
  };
  const code = await runCommand(args, context, {
    out: (line) => {
      out += line;
    },
    error: (line) => {
      error += line;
    },
  });
  return { out, error, code };
}

async function listen(handle: (request: Request) => Response | Promise<Response>) {
  return new Promise<string>((ready) => {
    const server = serve({ fetch: handle, port: 0, hostname: "127.0.0.1" }, (info) =>
      ready(`http://127.0.0.1:${(info as AddressInfo).port}`),
    );
    closers.push(() => new Promise((done) => server.close(done)));
  });
}
