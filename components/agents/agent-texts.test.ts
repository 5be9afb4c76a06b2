import { describe, expect, test } from "vitest";
import { hostedDefinition } from "@/lib/console/hosted-definition.ts";
import type { Probe } from "@/lib/probe/report/probe.ts";
import { fixPrompt } from "./fix-prompt.ts";
import { gatingSamples, routeTable } from "./gating-code.ts";
import { matchEndpoint, partsOfPath } from "./match-endpoint.ts";

const ORIGIN = "https://agent.example";

describe("the route tester", () => {
  const urls = [`${ORIGIN}/ask`, `${ORIGIN}/items/:id`, "/files/{name}/parts/:n"];

  test.each([
    [`${ORIGIN}/ask?x=1`, { index: 0, captures: [] }],
    [`${ORIGIN}/items/a%20b`, { index: 1, captures: [{ name: ":id", value: "a b" }] }],
    [
      "/files/x/parts/2",
      {
        index: 2,
        captures: [
          { name: "{name}", value: "x" },
          { name: ":n", value: "2" },
        ],
      },
    ],
    [`${ORIGIN}/items/`, null],
    [`${ORIGIN}/items/1/2`, null],
    ["https://other.example/ask", null],
    [`${ORIGIN}/items/a%2Fb`, null],
    ["not a url", null],
  ])("%s", (url, match) => {
    expect(matchEndpoint(urls, url)).toEqual(match);
  });

  test("a path is split into text and placeholders", () => {
    expect(partsOfPath(`${ORIGIN}:8080/a/:id/{b}.json`)).toEqual([
      { text: "/a/", isPlaceholder: false },
      { text: ":id", isPlaceholder: true },
      { text: "/", isPlaceholder: false },
      { text: "{b}", isPlaceholder: true },
      { text: ".json", isPlaceholder: false },
    ]);
  });
});

test("the hosted document lists every endpoint with its placeholders and its 402", () => {
  const agent = {
    endpoints: [{ POST: `${ORIGIN}/items/:id` }, { GET: "mcp://reader/tools/find" }] as Record<
      string,
      string
    >[],
    openEndpoints: [`${ORIGIN}/items/{id}`],
    authType: "NONE" as const,
  };
  const document = hostedDefinition({ metadata: { main: { name: "Reader" }, agent } });
  expect(Object.keys(document.paths)).toEqual(["/items/{id}"]);
  expect(document.paths["/items/{id}"]?.get).not.toHaveProperty("responses.402");
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Reader" },
    servers: [{ url: ORIGIN }],
    paths: {
      "/items/{id}": {
        post: { parameters: [{ name: "id", in: "path", required: true }], responses: { 402: {} } },
        get: {},
      },
    },
  });
});

describe("gating code", () => {
  const input = {
    agentId: "7",
    planIds: ["42"],
    routes: [{ verb: "POST", url: `${ORIGIN}/ask/:id` }],
    credits: "2",
    environment: "sandbox" as const,
    origin: "http://localhost:3000",
  };

  test("the routes carry the builder's own ids", () => {
    expect(routeTable(input)).toBe(
      '{\n  "POST /ask/:id": { planId: "42", agentId: "7", credits: 2 },\n}',
    );
    const [hono] = gatingSamples({ ...input, planIds: ["42", "43"] });
    expect(hono?.code).toContain(
      'const planIds = [\n  "42",\n  "43",\n];\nconst routes = {\n  "POST /ask/:id": { planId: planIds,',
    );
  });

  const curlOf = (url: string) =>
    gatingSamples({ ...input, routes: [{ verb: "POST", url }] }).at(-1)?.code ?? "";

  test("the command names the agent's address, and asks for it where only paths are registered", () => {
    expect(curlOf(`${ORIGIN}/ask`)).toContain(`curl -i -X POST '${ORIGIN}/ask'`);
    const byPath = curlOf("/ask");
    expect(byPath).not.toContain(input.origin);
    expect(byPath).toMatch(/^AGENT_URL=http:\/\/localhost:4021$/m);
    expect(byPath.match(/curl -i -X POST "\$AGENT_URL"'\/ask'/g)).toHaveLength(2);
  });

  test("the command quotes text from others", () => {
    expect(curlOf("/a'; id #$(id)")).toContain(`"$AGENT_URL"'/a'\\''; id #$(id)'`);
    expect(curlOf(`${ORIGIN}/$(id)`)).toContain(`'${ORIGIN}/$(id)'`);
  });

  test("no sample contains a key, and text from others stays quoted", () => {
    const hostile = { ...input, routes: [{ verb: "GET", url: '/a"};process.exit();//' }] };
    for (const { code, language } of gatingSamples(hostile)) {
      expect(code).not.toContain("svc-sandbox:");
      if (language !== "curl") expect(code).toContain('"GET /a\\"};process.exit();//"');
    }
  });
});

const PROBE: Probe = {
  result: "bad-envelope",
  why: "httpVerb is in resource, so clients cannot pay this offer.",
  status: 402,
  ms: 83,
  calledUrl: `${ORIGIN}/compare`,
  worksWith: null,
  findings: [
    {
      id: "D06",
      severity: "error",
      title: "Method in extra",
      state: "fail",
      sentence: "httpVerb is in resource, so clients cannot pay this offer.",
      fix: "Move it.",
    },
    { id: "D01", severity: "error", title: "Reachable", state: "pass", sentence: "Yes." },
  ],
  offers: [],
  envelope: { x402Version: 2 },
};

test("a fix prompt has the response, the failed checks and what must not change", () => {
  const endpoints = [
    { verb: "POST", url: `${ORIGIN}/compare`, probe: PROBE },
    {
      verb: "POST",
      url: `${ORIGIN}/fine`,
      probe: { ...PROBE, result: "ready", findings: [] } as Probe,
    },
  ];
  const prompt = fixPrompt({ name: "Reader", agentId: "7", planIds: ["42"] }, endpoints);
  expect(prompt).toContain("Agent ID: 7. Plan IDs: 42.");
  expect(prompt).toContain("- D06 (error): httpVerb is in resource");
  expect(prompt).toContain('"x402Version": 2');
  expect(prompt).not.toContain("D01");
  expect(prompt).not.toContain("/fine");
});
