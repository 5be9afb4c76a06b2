import { describe, expect, test } from "vitest";
import type { Probe } from "@/lib/probe/report/probe.ts";
import { fixPrompt } from "./fix-prompt.ts";
import { gatingSamples, routeTable } from "./gating-code.ts";
import { matchEndpoint, partsOfPath } from "./match-endpoint.ts";
import { minimalOpenApi } from "./minimal-openapi.ts";
import {
  EMPTY_DRAFT,
  errorsOf,
  rowOf,
  togglePlan,
  withFound,
  withProbe,
} from "./registration-draft.ts";
import { draftFieldOf, inputOf, registrationFaults } from "./registration-input.ts";
import { stepOfField } from "./registration-steps.ts";

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

test("the minimal document lists every endpoint with its placeholders and its 402", () => {
  const text = minimalOpenApi("Reader", [
    { verb: "POST", url: `${ORIGIN}/items/:id` },
    { verb: "GET", url: `${ORIGIN}/items/{id}` },
  ]);
  expect(JSON.parse(text)).toMatchObject({
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
    environment: "sandbox",
    origin: "http://localhost:3000",
  };

  test("the routes carry the builder's own ids", () => {
    expect(routeTable(input)).toBe(
      '{\n  "POST /ask/:id": { planId: "42", agentId: "7", credits: 2 },\n}',
    );
    expect(routeTable({ ...input, planIds: ["42", "43"] })).toContain('planId: ["42", "43"]');
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
  why: "httpVerb is in resource, so no client can pay.",
  status: 402,
  ms: 83,
  calledUrl: `${ORIGIN}/compare`,
  worksWith: null,
  findings: [
    {
      id: "D06",
      severity: "error",
      title: "The method is in extra",
      state: "fail",
      sentence: "httpVerb is in resource, so no client can pay.",
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

describe("a registration", () => {
  const definition = {
    kind: "openapi" as const,
    url: `${ORIGIN}/openapi.json`,
    label: "OpenAPI 3.1, 3 paths",
    name: "Filings reader",
    endpoints: [
      { verb: "POST", url: `${ORIGIN}/ask`, isPayable: true, isElsewhere: false },
      { verb: "GET", url: `${ORIGIN}/health`, isPayable: false, isElsewhere: false },
      { verb: "POST", url: "http://localhost:6379/", isPayable: true, isElsewhere: true },
    ],
    leftOut: 0,
  };

  test("only payable endpoints of the document's own origin are selected", () => {
    const { rows, about } = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(rows.map(({ isTicked, isPaid }) => [isTicked, isPaid])).toEqual([
      [true, true],
      [false, false],
      [false, true],
    ]);
    expect(about.name).toBe("Filings reader");
  });

  test("typed text wins over the document", () => {
    const typed = { ...EMPTY_DRAFT, about: { ...EMPTY_DRAFT.about, name: "Mine" } };
    expect(withFound(typed, definition, null, 12).about.name).toBe("Mine");
  });

  test("errors are endpoints that are not ready, and a missing definition", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(errorsOf(draft)).toEqual([]);
    const probed = {
      ...draft,
      definitionUrl: "",
      rows: draft.rows.map((row) => ({ ...row, probe: PROBE })),
    };
    expect(errorsOf(probed)).toEqual([
      `POST ${ORIGIN}/ask: ${PROBE.why}`,
      "The agent has no definition URL.",
    ]);
  });

  test("is sent without queries and without endpoints that are not selected", () => {
    const found = {
      verb: "GET",
      url: `${ORIGIN}/items/{id}?year=2020`,
      isPayable: true,
      isElsewhere: false,
    };
    const draft = {
      ...withFound(EMPTY_DRAFT, definition, null, 12),
      planIds: ["42"],
      access: { ...EMPTY_DRAFT.access, authType: "BASIC" as const, username: "me", password: "x" },
    };
    const rows = [
      ...draft.rows,
      rowOf(found),
      { ...rowOf(found), url: `${ORIGIN}/open`, isPaid: false },
    ];
    expect(inputOf({ ...draft, rows })).toEqual({
      metadataAttributes: { name: "Filings reader" },
      agentApiAttributes: {
        endpoints: [{ POST: `${ORIGIN}/ask` }, { GET: `${ORIGIN}/items/{id}` }],
        openEndpoints: [`${ORIGIN}/open`],
        agentDefinitionUrl: `${ORIGIN}/openapi.json`,
        authType: "BASIC",
        username: "me",
        password: "x",
      },
      plans: ["42"],
    });
  });

  test("a probe fills its row, and selects the account's plans that the agent offers", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    const [row] = draft.rows;
    const offers = ["42", "99"].map((planId) => ({ planId }) as Probe["offers"][number]);
    const next = withProbe(draft, {
      key: row?.key ?? 0,
      probe: { ...PROBE, offers },
      ownPlanIds: ["41", "42"],
    });
    expect(next.rows.map(({ probe }) => probe?.result)).toEqual([
      "bad-envelope",
      undefined,
      undefined,
    ]);
    expect(next.planIds).toEqual(["42"]);
    expect(togglePlan(togglePlan(next.planIds, "41"), "42")).toEqual(["41"]);
  });

  test("needs a checked URL before anything else", () => {
    expect(registrationFaults(EMPTY_DRAFT).map(({ path }) => path)).toEqual(["url"]);
  });

  test("lists its faults in the order of the steps that show them", () => {
    const draft = withFound(EMPTY_DRAFT, definition, null, 12);
    expect(registrationFaults(draft)).toEqual([]);
    const faults = registrationFaults({
      ...draft,
      about: { ...draft.about, name: "" },
      definitionUrl: "openapi.json",
      rows: [],
      access: {
        ...draft.access,
        authType: "BEARER",
        headers: [{ name: "x y", value: "1" }],
      },
    });
    expect(faults.map(({ path }) => [path, stepOfField(path)])).toEqual([
      ["about.name", "definition"],
      ["definitionUrl", "definition"],
      ["rows", "endpoints"],
      ["access.token", "access"],
      ["access.headers.0.name", "access"],
    ]);
    expect(faults.at(-1)?.message).toBe(
      "‘x y’ is not a valid header name. Use letters, digits and hyphens.",
    );
  });

  test.each([
    ["metadataAttributes.name", "about.name"],
    ["agentApiAttributes.endpoints.0", "rows"],
    ["agentApiAttributes.agentDefinitionUrl", "definitionUrl"],
    ["agentApiAttributes.token", "access.token"],
    ["plans.0", "planIds"],
    ["nonce", undefined],
  ])("an error at %s belongs to %s", (path, field) => {
    expect(draftFieldOf(path)).toBe(field);
  });
});
