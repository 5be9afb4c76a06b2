import { createGate } from "@turnpike/payments";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EMPTY_DRAFT, withFound } from "@/components/agents/register/registration-draft.ts";
import { inputOf, registrationFaults } from "@/components/agents/register/registration-input.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { createOutbound } from "@/lib/adapters/outbound/outbound.ts";
import { OPEN } from "@/lib/adapters/outbound/testing/outbound-bench.ts";
import { HOSTED_DEFINITION } from "@/lib/console/hosted-definition.ts";
import { runPlayground } from "@/lib/playground/engine.ts";
import type { PlaygroundService } from "@/lib/playground/ports.ts";
import type { Run } from "@/lib/playground/run.ts";
import type { Recording } from "@/lib/probe/checks/check.ts";
import { DEFINITION_CHECKS } from "@/lib/probe/checks/definition-checks.ts";
import { discoverAgent } from "@/lib/probe/discover-agent.ts";
import { examineEndpoint } from "@/lib/probe/doctor/examine-endpoint.ts";
import { probeEndpoint } from "@/lib/probe/probe-endpoint.ts";
import { endpointsOf, recordDefinition } from "@/lib/probe/record-whole.ts";
import type { DoctorReport } from "@/lib/probe/report/report.ts";
import { sendForPlayground } from "../outbound/playground-send.ts";
import { performAs } from "../pipeline/perform-as.ts";
import { callOf, type Handle, listen } from "../testing/doctor-bench.ts";
import { createTestService, type TestParty, type TestService } from "../testing/test-service.ts";

// One agent, three readers: the wizard that registers it, the doctor, and the playground.
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const outbound = createOutbound({ policy: OPEN, userAgent: "Test/1" });
const signal = new AbortController().signal;
const closings: (() => Promise<void>)[] = [];
let database: Database;
let service: TestService;
let builder: TestParty;
let turnpike: string;
let planId: string;

beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  service = createTestService(database);
  builder = await service.party();
  turnpike = await open((request) => service.serve(request));
  ({ planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter" },
    getFreePriceConfig(),
    getFixedCreditsConfig(100n, 1n),
  ));
});
afterAll(async () => {
  await Promise.all(closings.map((close) => close()));
  await database.close();
});

async function open(handle: Handle): Promise<string> {
  const { origin, close } = await listen(handle);
  closings.push(close);
  return origin;
}

/** What an agent answers for its definition; without it, the gate's own document. */
type Definition = (origin: string) => Response;

/** An agent behind a gate. Its 402 names the agent once `register` has given it an ID. */
async function openAgent(definition?: Definition): Promise<OpenAgent> {
  const gateOf = (about: { agentId?: string }) =>
    createGate(builder.payments, { "POST /ask": { planId, ...about } }, { logger: quiet });
  let gate = gateOf({});
  const origin: string = await open((request) =>
    gate(request, async () => {
      const isAsked = new URL(request.url).pathname === "/openapi.json";
      if (isAsked && definition) return definition(origin);
      return isAsked ? new Response(null, { status: 404 }) : Response.json({ answer: 42 });
    }),
  );
  const name = (agentId: string) => {
    gate = gateOf({ agentId });
  };
  return { endpoint: `${origin}/ask`, pasted: `${origin}/ask`, name };
}

/** `pasted` is what the builder types into the wizard. */
type OpenAgent = { endpoint: string; pasted: string; name: (agentId: string) => void };

const documentOf = (origin: string) => ({
  openapi: "3.1.0",
  info: { title: "Reader", version: "1" },
  servers: [{ url: origin }],
  paths: { "/ask": { post: { responses: { 200: { description: "Done." } } } } },
});

const AGENTS: Record<string, { open: () => Promise<OpenAgent>; isHosted: boolean }> = {
  "the definition that the gate serves": { isHosted: false, open: () => openAgent() },
  "no definition": {
    isHosted: true,
    open: () => openAgent(() => Response.json({ error: "Not here" }, { status: 410 })),
  },
  "a broken definition": {
    isHosted: true,
    open: () => openAgent(() => new Response('{"openapi":"3.1.0",')),
  },
  "a definition on another origin": {
    isHosted: false,
    async open() {
      const agent = await openAgent(() => new Response(null, { status: 410 }));
      const other = await open(() => Response.json(documentOf(new URL(agent.endpoint).origin)));
      return { ...agent, pasted: `${other}/reader.json` };
    },
  },
  "a definition behind a login": {
    isHosted: true,
    open: () => openAgent(() => new Response("Log in.", { status: 401 })),
  },
};

/** The wizard, as a builder goes through it: paste the URL, confirm what is found, register. */
async function registerByWizard(url: string) {
  const prober = { outbound, ports: service.ports, account: builder.address };
  let draft = { ...EMPTY_DRAFT, url, definitionUrl: turnpike + HOSTED_DEFINITION };
  for await (const event of discoverAgent(prober, url)) {
    if (event.type === "done") draft = withFound(draft, event.definition, event.endpoint, event.ms);
  }
  const rows = draft.rows.filter(({ url }) => url.endsWith("/ask"));
  const ticked = {
    ...draft,
    rows: rows.map((row) => ({ ...row, verb: "POST", isTicked: true, isPaid: true })),
  };
  expect(registrationFaults(ticked)).toEqual([]);
  const [row] = ticked.rows;
  if (!row) throw new Error("The wizard found no endpoint.");
  const probe = await probeEndpoint(prober, row);
  const input = inputOf({ ...ticked, planIds: [planId] });
  const { agentId } = await performAs(service.pipeline, callerOf(builder), "registerAgent", input);
  const agent = await builder.payments.agents.getAgent(agentId);
  return { probe, agentId, definition: agent.metadata.agent.agentDefinitionUrl };
}

const callerOf = ({ address }: TestParty) => ({
  caller: { account: address, keyId: null, isOperator: false },
});

async function examine(url: string): Promise<DoctorReport> {
  const run = examineEndpoint({
    prober: { outbound, ports: service.ports, account: builder.address },
    endpoint: { verb: "POST", url, sample: "{}" },
    call: callOf(service, builder),
    payer: null,
    consent: null,
  });
  for await (const event of run) if (event.type === "end") return event.report;
  throw new Error("The examination had no end.");
}

const never = () => Promise.reject(new Error("A visitor may not call this."));

async function play(url: string): Promise<Run> {
  const visitor: PlaygroundService = {
    account: null,
    readPlan: (id) => callOf(service, null)("getPlan", { planId: id }),
    ...{ readBalance: never, mint: never, dryVerify: never, findRequest: never },
    end: async () => null,
  };
  const events = runPlayground({
    input: { method: "POST", url, headers: [], body: "{}", token: { kind: "test" } },
    service: visitor,
    signal,
    async transport(request) {
      const sending = { outbound, account: "visitor", request, signal, limitSecs: 10 };
      for await (const event of sendForPlayground(sending)) {
        if (event.type === "done") return { request, ...event.exchange };
      }
      throw new Error("The request had no end.");
    },
  });
  for (;;) {
    const { value, done } = await events.next();
    if (done) return value;
  }
}

test.each(Object.entries(AGENTS))(
  "an agent with %s is registered, and wizard, doctor and playground agree",
  async (_name, { open: openOne, isHosted }) => {
    const { endpoint, pasted, name } = await openOne();
    const { probe, agentId, definition } = await registerByWizard(pasted);
    name(agentId);
    expect(probe).toMatchObject({ result: "ready", status: 402 });
    const hosted = turnpike + HOSTED_DEFINITION.replace(":agentId", agentId);
    expect(definition === hosted).toBe(isHosted);

    const { findings } = await examine(endpoint);
    const failed = findings.filter(
      ({ state, severity }) => state === "fail" && severity === "error",
    );
    expect(failed.map(({ id, sentence }) => `${id} ${sentence}`)).toEqual([]);
    const stateOf = (id: string) => findings.find((one) => one.id === id)?.state;
    expect([stateOf("D22"), stateOf("D23")]).toEqual(["pass", "pass"]);

    const outcomes = (await play(endpoint)).steps.map(({ outcome }) => outcome);
    expect(outcomes).toContain("sign-in-needed");
  },
);

test.each([
  ["a path", "/ask"],
  ["a tool of an MCP server", "mcp://reader/tools/count"],
])("an agent whose endpoint is %s has a definition that Turnpike hosts", async (_what, url) => {
  const { agents } = builder.payments;
  const { agentId } = await agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: url }] },
  );
  const agent = await agents.getAgent(agentId);
  const hosted = HOSTED_DEFINITION.replace(":agentId", agentId);
  expect(agent.metadata.agent.agentDefinitionUrl).toBe(service.ports.origin + hosted);
  const document = await (await fetch(turnpike + hosted)).text();
  expect(document).toContain(url);

  // The origin of a hosted definition is Turnpike's; the agent is elsewhere.
  const read = { ...agent, metadata: structuredClone(agent.metadata) };
  read.metadata.agent.agentDefinitionUrl = turnpike + hosted;
  const [endpoint] = endpointsOf(read);
  expect(endpoint).toEqual({ verb: "POST", url });
  const prober = { outbound, ports: service.ports, account: builder.address };
  const { definition } = await recordDefinition(prober, read, endpointsOf(read));
  const recording = { definition } as Recording;
  const states = DEFINITION_CHECKS.map(({ run }) => run(recording).state);
  expect(states).toEqual(["pass", "pass"]);
});

test("an endpoint without a definition is named by the doctor, with what to do", async () => {
  const { endpoint, name } = await openAgent(() => new Response(null, { status: 410 }));
  const { agentId } = await builder.payments.agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: endpoint }] },
    [planId],
  );
  name(agentId);
  const { findings } = await examine(endpoint);
  expect(findings.find(({ id }) => id === "D22")).toMatchObject({
    state: "fail",
    fix: expect.stringContaining("Let Turnpike host the definition"),
  });
});
