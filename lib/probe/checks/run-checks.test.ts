import {
  buildPaymentRequired,
  encodeHeader,
  type SchemeId,
  X402_HEADERS,
} from "@turnpike/payments/protocol";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../exchange.ts";
import type { Recording } from "./check.ts";
import { faultsOf, reportChecks, runChecks, UNPAID_CHECKS } from "./run-checks.ts";

const URL_CALLED = "https://agent.example/ask/1";
const CORS = "payment-required, payment-response";

type Envelope = Record<string, unknown> & {
  resource: Record<string, unknown>;
  accepts: (Record<string, unknown> & { extra: Record<string, unknown> })[];
};

function envelope(change: (envelope: Envelope) => void = () => {}): string {
  const sound = buildPaymentRequired({
    planId: "42",
    agentId: "7",
    httpVerb: "POST",
    endpoint: URL_CALLED,
  }) as unknown as Envelope;
  change(sound);
  return encodeHeader(sound);
}

type Answer = {
  status?: number;
  offer?: string | null;
  headers?: Record<string, string>;
  ms?: number;
};

function exchange({
  status = 402,
  offer = envelope(),
  headers = {},
  ms = 80,
}: Answer = {}): Exchange {
  const all = {
    "cache-control": "no-store",
    "access-control-expose-headers": CORS,
    ...(offer !== null && { [X402_HEADERS.PAYMENT_REQUIRED]: offer }),
    ...headers,
  };
  return {
    method: "POST",
    url: URL_CALLED,
    outcome: { kind: "answered", status, headers: Object.entries(all), text: "", cut: null, ms },
  };
}

const open = (status: number): Exchange => ({
  ...exchange({ status, offer: null }),
  url: "https://agent.example/health",
});

/** A recording in which everything holds. */
const SOUND: Recording = {
  verb: "POST",
  pattern: "https://agent.example/ask/:id",
  agentId: "7",
  ask: exchange(),
  known: {
    plans: { "42": { isCrypto: true, name: "Starter" } },
    agents: { "7": { planIds: ["42"] } },
    networks: { "svc:erc4337": "eip155:84532", "svc:card-delegation": "card-processor" },
    schemeAliases: ["nvm"],
  },
  html: exchange(),
  preflight: exchange({
    status: 204,
    offer: null,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "Payment-Signature",
    },
  }),
  again: exchange(),
  askMs: Array(10).fill(90),
  unmatched: exchange({ status: 404, offer: null }),
  otherValues: exchange(),
  open: [open(200)],
  definition: {
    url: "https://agent.example/openapi.json",
    label: "OpenAPI 3.1, 2 paths",
    fault: null,
    described: ["POST https://agent.example/ask/{id}", "GET https://agent.example/health"],
    paid: ["POST https://agent.example/ask/:id"],
    openUrls: ["https://agent.example/health"],
  },
};

const asked = (change: (envelope: Envelope) => void): Partial<Recording> => {
  const ask = exchange({ offer: envelope(change) });
  return { ask, again: ask, html: ask };
};

const FAULTS: [id: string, what: string, change: Partial<Recording>][] = [
  [
    "D01",
    "no response",
    {
      ask: {
        method: "POST",
        url: URL_CALLED,
        outcome: { kind: "failed", code: "connect_refused", message: "Connection refused.", ms: 3 },
      },
    },
  ],
  ["D02", "the answer is free", { ask: exchange({ status: 200, offer: null }) }],
  [
    "D02",
    "it redirects",
    { ask: exchange({ status: 302, offer: null, headers: { location: "/x" } }) },
  ],
  ["D02", "a login is wanted first", { ask: exchange({ status: 401, offer: null }) }],
  [
    "D03",
    "no header",
    { ask: exchange({ offer: null }), again: exchange({ offer: null }), html: exchange() },
  ],
  ["D03", "no base64", { ask: exchange({ offer: "%%%" }), again: exchange({ offer: "%%%" }) }],
  [
    "D03",
    "not an object",
    { ask: exchange({ offer: encodeHeader([1]) }), again: exchange({ offer: encodeHeader([1]) }) },
  ],
  ["D04", "version 1", asked((one) => Object.assign(one, { x402Version: 1 }))],
  [
    "D05",
    "a different URL",
    asked((one) => Object.assign(one.resource, { url: "http://agent.example/ask/1" })),
  ],
  ["D05", "a path alone", asked((one) => Object.assign(one.resource, { url: "/ask/1" }))],
  [
    "D06",
    "the method in resource",
    asked((one) => Object.assign(one.resource, { httpVerb: "POST" })),
  ],
  [
    "D06",
    "a different method",
    asked((one) => Object.assign(one.accepts[0]!.extra, { httpVerb: "GET" })),
  ],
  ["D06", "no method", asked((one) => delete one.accepts[0]!.extra.httpVerb)],
  ["D07", "a foreign scheme", asked((one) => Object.assign(one.accepts[0]!, { scheme: "exact" }))],
  [
    "D07",
    "the other scheme's network",
    asked((one) => Object.assign(one.accepts[0]!, { network: "card-processor" })),
  ],
  ["D07", "no offers", asked((one) => Object.assign(one, { accepts: [] }))],
  [
    "D08",
    "a card plan",
    { known: { ...SOUND.known, plans: { "42": { isCrypto: false, name: "Cards" } } } },
  ],
  ["D08", "no such plan", { known: { ...SOUND.known, plans: { "42": null } } }],
  ["D09", "no such agent", { known: { ...SOUND.known, agents: { "7": null } } }],
  [
    "D09",
    "the plan is not linked",
    { known: { ...SOUND.known, agents: { "7": { planIds: [] } } } },
  ],
  ["D09", "another agent", { agentId: "8" }],
  ["D09", "no agent named", asked((one) => delete one.accepts[0]!.extra.agentId)],
  ["D10", "a list of extensions", asked((one) => Object.assign(one, { extensions: [] }))],
  [
    "D11",
    "501 characters",
    asked((one) => Object.assign(one.resource, { description: "x".repeat(501) })),
  ],
  ["D12", "9 KiB", asked((one) => Object.assign(one, { padding: "y".repeat(9_000) }))],
  ["D13", "a caching header", { ask: exchange({ headers: { "cache-control": "public" } }) }],
  [
    "D14",
    "pages may call it without the token's header",
    { preflight: exchange({ headers: { "access-control-allow-origin": "*" } }) },
  ],
  [
    "D14",
    "nothing exposed",
    { ask: exchange({ headers: { "access-control-expose-headers": "x" } }) },
  ],
  ["D15", "a page for browsers", { html: exchange({ status: 200, offer: null }) }],
  [
    "D16",
    "an internal host",
    asked((one) => Object.assign(one.resource, { description: "see http://10.0.0.4/x" })),
  ],
  [
    "D16",
    "a key",
    asked((one) => Object.assign(one.resource, { description: "sk_live_abcdef123" })),
  ],
  [
    "D16",
    "a placeholder",
    asked((one) => Object.assign(one.resource, { description: "<PLAN_ID>" })),
  ],
  ["D17", "an open endpoint that asks", { open: [open(402)] }],
  ["D18", "everything is gated", { unmatched: exchange() }],
  ["D19", "another value is free", { otherValues: exchange({ status: 200, offer: null }) }],
  [
    "D20",
    "a different offer each time",
    { again: exchange({ offer: envelope((one) => Object.assign(one, { error: "x" })) }) },
  ],
  ["D21", "slow", { askMs: [...Array(9).fill(90), 900] }],
  ["D22", "no definition", { definition: { ...SOUND.definition!, url: null, label: null } }],
  [
    "D22",
    "an unreadable definition",
    { definition: { ...SOUND.definition!, label: null, fault: "an HTML page" } },
  ],
  ["D22", "an endpoint that the agent in the offer does not have", { notAnEndpointOf: "7" }],
  [
    "D23",
    "an endpoint missing from the definition",
    { definition: { ...SOUND.definition!, described: ["GET https://agent.example/health"] } },
  ],
  [
    "D23",
    "an unpriced route in the definition",
    {
      definition: {
        ...SOUND.definition!,
        described: [...SOUND.definition!.described, "POST https://agent.example/new"],
      },
    },
  ],
  ["D24", "a stream", { isStream: true }],
];

test("a correct endpoint passes every applicable check", () => {
  const findings = runChecks(SOUND);
  expect(faultsOf(findings)).toEqual([]);
  expect(findings.map(({ id }) => id)).toEqual(
    UNPAID_CHECKS.map(({ id }) => id).filter((id) => id !== "D24"),
  );
});

test("an offer is stable although each 402 has another challengeId", () => {
  const challenged = (challengeId: string) =>
    exchange({
      offer: envelope((one) => Object.assign(one.accepts[0]?.extra ?? {}, { challengeId })),
    });
  const found = runChecks({ ...SOUND, ask: challenged("a"), again: challenged("b") });
  expect(faultsOf(found).map(({ id }) => id)).not.toContain("D20");
});

test("an offer of archived plans alone is a warning, and no error", () => {
  const starter = { isCrypto: true, name: "Starter" };
  const archived = { ...starter, isArchived: true };
  const second = asked((one) => {
    one.accepts.push({ ...one.accepts[0]!, planId: "43" });
  });
  const agents = { "7": { planIds: ["42", "43"] } };
  const judge = (plans: Recording["known"]["plans"], change: Partial<Recording> = {}) =>
    faultsOf(runChecks({ ...SOUND, ...change, known: { ...SOUND.known, plans, agents } }));
  expect(judge({ "42": archived })).toMatchObject([
    {
      id: "D08",
      severity: "warning",
      sentence: "Plan “Starter” is archived, so only callers who have credits of it can pay.",
      fix: "Restore the plan, or offer another one in the route.",
    },
  ]);
  expect(judge({ "42": archived, "43": archived }, second)).toMatchObject([
    {
      id: "D08",
      sentence: "All plans are archived, so only callers who have credits of them can pay.",
    },
  ]);
  expect(judge({ "42": archived, "43": starter }, second)).toEqual([]);
  const byWallet = (planId: string) =>
    asked((one) => {
      one.accepts.push({ ...one.accepts[0]!, scheme: "exact" as SchemeId, planId });
    });
  const found = (planId: string) =>
    judge({ "42": archived, "43": starter }, byWallet(planId)).filter(({ id }) => id === "D08");
  expect(found("42")).toMatchObject([{ severity: "warning" }]);
  expect(found("43")).toEqual([]);
});

test("the checks have the unique ids D01 to D24", () => {
  const ids = Array.from({ length: 24 }, (_, at) => `D${String(at + 1).padStart(2, "0")}`);
  expect(UNPAID_CHECKS.map(({ id }) => id)).toEqual(ids);
  expect(new Set(FAULTS.map(([id]) => id))).toEqual(new Set(ids));
});

describe("each check has a recording that fails this check only", () => {
  test.each(FAULTS)("%s: %s", (id, _what, change) => {
    const faults = faultsOf(runChecks({ ...SOUND, ...change }));
    expect(faults.map((finding) => finding.id)).toEqual([id]);
    expect(faults[0]?.sentence).toMatch(/^\S.*[.;]?$/);
  });
});

test("CORS advice is for endpoints that pages of other sites may call", () => {
  const stateOf = (preflight: Exchange) =>
    reportChecks({ ...SOUND, preflight }).find(({ id }) => id === "D14")?.state;
  expect(stateOf(exchange({ status: 404, offer: null }))).toBe("skip");
  const forPages = { "access-control-allow-origin": "https://pages.example" };
  expect(stateOf(exchange({ headers: forPages }))).toBe("fail");
});

test("reads the specification's snake_case spelling", () => {
  const snake = encodeHeader({
    x402_version: 2,
    resource: { url: URL_CALLED },
    accepts: [
      {
        scheme: "svc:erc4337",
        network: "eip155:84532",
        plan_id: "42",
        extra: { http_verb: "POST", agent_id: "7" },
      },
    ],
    extensions: {},
  });
  const ask = exchange({ offer: snake });
  expect(faultsOf(runChecks({ ...SOUND, ask, again: ask }))).toEqual([]);
});

test("no header content makes a check throw", () => {
  const strange = [
    null,
    1,
    "x",
    [],
    {},
    { accepts: null },
    { accepts: [null, 1] },
    { resource: 1 },
  ];
  const more = [{ accepts: [{}] }, { accepts: [{ extra: 1, scheme: {} }], resource: { url: 1 } }];
  for (const value of [...strange, ...more]) {
    const ask = exchange({ offer: encodeHeader(value) });
    expect(() => runChecks({ ...SOUND, ask, again: ask, html: ask })).not.toThrow();
  }
});
