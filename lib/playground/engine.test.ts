import { createGate, type RouteMap } from "@turnpike/payments";
import {
  decodeHeader,
  encodeHeader,
  getDynamicCreditsConfig,
  getFreePriceConfig,
  type X402PaymentRequired,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { performAs, type ServiceOperationName } from "@/lib/server/pipeline/perform-as.ts";
import {
  createMarket,
  createTestService,
  type TestMarket,
  type TestParty,
  type TestService,
} from "@/lib/server/testing/test-service.ts";
import { bannerOf } from "./banner.ts";
import { runPlayground } from "./engine.ts";
import type { Exchange, PlainRequest } from "./exchange.ts";
import { describeOutcome, OUTCOMES, type OutcomeCode } from "./outcomes.ts";
import type { PlaygroundService, Transport } from "./ports.ts";
import { redactRun } from "./redact.ts";
import type { Run, RunEvent, RunInput } from "./run.ts";

type Agent = (request: Request) => Response | Promise<Response>;

let database: Database;
let service: TestService;
let market: TestMarket;

beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  service = createTestService(database);
  market = await createMarket(service);
});
afterAll(() => database.close());

/** Sends to an agent in this process, as the guarded fetcher does over HTTP. */
const transportTo =
  (agent: Agent): Transport =>
  async (request) => {
    const startedAt = new Date().toISOString();
    const start = performance.now();
    const base = { request, startedAt, failure: null };
    try {
      const response = await agent(asRequest(request));
      const body = await response.text();
      const answer = {
        status: response.status,
        headers: [...response.headers],
        body,
        bytes: body.length,
        cut: null,
      };
      return { ...base, answer, durationMs: performance.now() - start };
    } catch (cause) {
      const failure = { kind: "failed", code: "broken_off", message: String(cause) } as const;
      return { ...base, answer: null, failure, durationMs: performance.now() - start };
    }
  };

const asRequest = ({ method, url, headers, body }: PlainRequest): Request =>
  new Request(url, { method, headers: headers.map(([name, value]) => [name, value]), body });

const serviceOf = (party: TestParty | null): PlaygroundService => {
  const caller = party && { account: party.address, keyId: null, isOperator: false };
  const call = (name: ServiceOperationName, input: object) =>
    performAs(service.pipeline, { caller }, name, input as never) as Promise<never>;
  return {
    account: party?.address ?? null,
    readPlan: (planId) => call("getPlan", { planId }),
    readBalance: async (planId) => {
      const balance = (await call("getPlanBalance", { planId, holderAddress: party?.address })) as {
        balance: string;
        held: string;
      };
      return { ...balance, balance: BigInt(balance.balance), held: BigInt(balance.held) } as never;
    },
    mint: (choice) =>
      call("getX402AccessToken", {
        accepted: {
          scheme: choice.scheme,
          network: choice.network,
          planId: choice.planId,
          extra: { agentId: choice.agentId, ...(choice.httpVerb && { httpVerb: choice.httpVerb }) },
        },
        resource: choice.resource,
        ...(choice.httpVerb && { httpVerb: choice.httpVerb }),
        ...(choice.delegationId && { delegationConfig: { delegationId: choice.delegationId } }),
      }),
    dryVerify: (paymentRequired, x402AccessToken, maxAmount) =>
      call("verifyPermissions", {
        paymentRequired,
        x402AccessToken,
        ...(maxAmount && { maxAmount }),
      }),
    findRequest: (agentRequestId) => call("getRequest", { agentRequestId }),
    end: async () => null,
  };
};

const gated = (
  work: Agent = () => Response.json({ text: "done" }),
  route: Partial<RouteMap[string] & object> = {},
): Agent => {
  const gate = createGate(market.builder.payments, {
    "POST /ask": { planId: market.planId, agentId: market.agentId, ...route },
  } as RouteMap);
  return (request) => gate(request, (inner) => Promise.resolve(work(inner)));
};

type Wish = {
  agent?: Agent;
  party?: TestParty | null;
  input?: Partial<RunInput>;
  lookForMs?: number;
  resumes?: Run;
};

async function play({
  agent = gated(),
  party = market.subscriber,
  input = {},
  lookForMs = 50,
  resumes,
}: Wish = {}) {
  const events: RunEvent[] = [];
  const run = runPlayground({
    input: {
      method: "POST",
      url: market.endpoint,
      headers: [],
      body: "{}",
      token: { kind: "mint" },
      ...input,
    },
    transport: transportTo(agent),
    service: serviceOf(party),
    signal: new AbortController().signal,
    lookForMs,
    ...(resumes && { resumes }),
    pause: (ms) => new Promise((done) => setTimeout(done, Math.min(ms, 20))),
  });
  for (;;) {
    const { value, done } = await run.next();
    if (done) return { run: value, events, outcomes: value.steps.map(({ outcome }) => outcome) };
    events.push(value);
  }
}

const outcomeOf = (run: Run, id: Run["steps"][number]["id"]) =>
  run.steps.find((step) => step.id === id);

describe("a run against a real gate and service", () => {
  test("ends settled, with every check passed", async () => {
    const { run, outcomes } = await play();
    expect(outcomes).toEqual([
      "challenged",
      "offer-valid",
      "ready",
      "verify-valid",
      "answered",
      "settled",
    ]);
    expect(run.money).toBe("settled");
    expect(outcomeOf(run, "settle")?.facts.filter(({ holds }) => holds === false)).toEqual([]);
    expect(BigInt(run.credits?.before ?? 0) - BigInt(run.credits?.after ?? 0)).toBe(1n);
    expect(bannerOf(run).sentence).toMatch(/^1 credit used, \d+ left\./);
  });

  test("ends settled when another call of the same account settles meanwhile", async () => {
    const other = gated();
    const { run, outcomes } = await play({
      agent: gated(async () => {
        const headers = { "payment-signature": market.token };
        const answer = await other(new Request(market.endpoint, { method: "POST", headers }));
        return Response.json({ status: answer.status });
      }),
    });
    expect(outcomes.at(-1)).toBe("settled");
    const used = BigInt(run.credits?.before ?? 0) - BigInt(run.credits?.after ?? 0);
    expect(used).toBe(2n);
  });

  test.each([
    ["remainingBalance", "0", /^expected: equals \d+ − 1 and the current balance$/],
    ["creditsRedeemed", "0", /^expected: 1, as the service recorded$/],
  ])("an invented %s is shown as one that does not match", async (name, value, note) => {
    const real = gated();
    const { run, outcomes } = await play({
      agent: async (request) => {
        const answer = await real(request);
        const receipt = decodeHeader(answer.headers.get("payment-response") ?? "");
        if (!receipt) return answer;
        const headers = { "payment-response": encodeHeader({ ...receipt, [name]: value }) };
        return new Response(answer.body, { status: answer.status, headers });
      },
    });
    expect(outcomes.at(-1)).toBe("settled-odd");
    const [odd] = outcomeOf(run, "settle")?.facts.filter(({ holds }) => holds === false) ?? [];
    expect(odd?.name).toBe(name);
    expect(odd?.note).toMatch(note);
  });

  test("reports each step twice, running and done, in order", async () => {
    const { events } = await play();
    const reported = events.flatMap((event) =>
      event.type === "step" ? [`${event.step.id} ${event.step.status}`] : [],
    );
    expect(reported).toEqual(
      ["ask", "offer", "permission", "verify", "pay", "settle"].flatMap((id) => [
        `${id} running`,
        `${id} ok`,
      ]),
    );
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(["start", "end"]);
  });

  test("the run to keep in case its payment is never seen to end says that the outcome is unknown", async () => {
    const { events } = await play();
    const kept = events.flatMap((event) => (event.type === "paying" ? [event.run] : []));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({ money: "unknown", planId: market.planId });
    expect(kept[0]?.steps.map(({ outcome }) => outcome)).toEqual([
      "challenged",
      "offer-valid",
      "ready",
      "verify-valid",
      "lost-answer",
      "not-asked",
    ]);
  });

  test("T40: reports no token, even when the agent echoes it", async () => {
    const tokens = [market.token];
    const echo = gated();
    const agent: Agent = async (request) => {
      const token = request.headers.get("payment-signature");
      if (!token) return echo(request);
      tokens.push(token);
      const answer = await echo(request);
      return new Response(`you sent ${token}`, {
        headers: { ...Object.fromEntries(answer.headers), "x-echo": token },
      });
    };
    const minted = await play({ agent });
    const pasted = await play({ agent, input: { token: { kind: "paste", token: market.token } } });
    expect([minted.run.money, pasted.run.money]).toEqual(["settled", "settled"]);
    expect(outcomeOf(minted.run, "pay")?.exchange?.answer?.body).toBe(
      "you sent $TURNPIKE_ACCESS_TOKEN",
    );
    const kept = JSON.stringify([minted.run, minted.events, pasted.run, pasted.events]);
    expect(tokens.filter((token) => kept.includes(token))).toEqual([]);
  });

  test("T40: shows no token while the response arrives", async () => {
    let token = "";
    const agent = gated();
    const transport: Transport = async (request, options) => {
      token = request.headers.find(([name]) => name === "payment-signature")?.[1] ?? "";
      const exchange = await transportTo(agent)(request, options);
      const body = `you sent ${token}`;
      if (exchange.answer) options.onPartial?.({ ...exchange.answer, body });
      return exchange;
    };
    const run = runPlayground({
      input: {
        method: "POST",
        url: market.endpoint,
        headers: [],
        body: "{}",
        token: { kind: "mint" },
      },
      ...{ transport, service: serviceOf(market.subscriber) },
      signal: new AbortController().signal,
    });
    const shown: RunEvent[] = [];
    for await (const event of run) if (event.type === "partial") shown.push(event);
    expect(shown.map((event) => event.type === "partial" && event.id)).toEqual(["ask", "pay"]);
    expect(JSON.stringify(shown)).toContain("you sent $TURNPIKE_ACCESS_TOKEN");
    expect(token).not.toBe("");
    expect(JSON.stringify(shown)).not.toContain(token);
  });

  test("of a visitor ends at the offer, and continues at the third step once they have signed in", async () => {
    const asked: string[] = [];
    const real = gated();
    const agent: Agent = (request) => {
      asked.push(request.headers.has("payment-signature") ? "paid" : "unpaid");
      return real(request);
    };
    const visit = await play({ agent, party: null });
    expect(visit.outcomes.slice(0, 3)).toEqual(["challenged", "offer-valid", "sign-in-needed"]);
    expect(bannerOf(visit.run).sentence).toMatch(
      /^This call costs 1 credit of “.+”.* Sign in to pay\.$/,
    );
    const kept = redactRun(visit.run);
    const { run, outcomes } = await play({ agent, input: kept.input, resumes: kept });
    expect(outcomes).toEqual([
      "challenged",
      "offer-valid",
      "ready",
      "verify-valid",
      "answered",
      "settled",
    ]);
    expect(run.money).toBe("settled");
    expect(asked).toEqual(["unpaid", "paid"]);
  });

  test("stops before the step that is denied", async () => {
    const run = runPlayground({
      input: {
        method: "POST",
        url: market.endpoint,
        headers: [],
        body: "{}",
        token: { kind: "mint" },
      },
      transport: transportTo(gated()),
      service: serviceOf(market.subscriber),
      signal: new AbortController().signal,
      mayStep: async (id) => (id === "pay" ? "stop" : "go"),
    });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const end = events.at(-1);
    expect(end?.type === "end" && end.run.steps.map(({ outcome }) => outcome)).toEqual([
      "challenged",
      "offer-valid",
      "ready",
      "verify-valid",
      "stopped",
      "not-asked",
    ]);
  });
});

const requirement = (change: object = {}): X402PaymentRequired =>
  ({
    x402Version: 2,
    resource: { url: market.endpoint },
    accepts: [
      {
        scheme: "exact",
        network: "eip155:84532",
        amount: "1000",
        asset: "0x0000000000000000000000000000000000000001",
        payTo: "0x0000000000000000000000000000000000000002",
        maxTimeoutSeconds: 60,
      },
    ],
    ...change,
  }) as never;
const signedOnlyOffer = () => ({
  scheme: "svc:erc4337",
  network: "eip155:84532",
  planId: market.planId,
  extra: { planId: market.planId, holderRequired: true },
});
const challenge =
  (header: string | null, body = "{}") =>
  () =>
    new Response(body, {
      status: 402,
      headers: header === null ? {} : { "payment-required": header },
    });
/** Answers with the real gate's offer first, then with `then`. */
const offersThen = (then: Agent): Agent => {
  const real = gated();
  return (request) => (request.headers.has("payment-signature") ? then(request) : real(request));
};

describe("every outcome is reported as such", () => {
  const rows: [OutcomeCode, Run["money"], () => Promise<Wish> | Wish][] = [
    ["not-gated", "free", () => ({ agent: () => Response.json({}) })],
    ["agent-auth", null, () => ({ agent: () => new Response("", { status: 401 }) })],
    ["ask-refused", null, () => ({ agent: () => new Response("", { status: 404 }) })],
    ["ask-failed", "not-charged", () => ({ agent: () => new Response("", { status: 500 }) })],
    [
      "redirected",
      null,
      () => ({
        agent: () =>
          new Response("", { status: 308, headers: { location: "https://elsewhere.example/" } }),
      }),
    ],
    ["connection-lost", null, () => ({ agent: () => Promise.reject(new Error("refused")) })],
    ["offer-missing", "challenged", () => ({ agent: challenge(null) })],
    ["offer-unreadable", "challenged", () => ({ agent: challenge("%%%") })],
    ["offer-unreadable", "challenged", () => ({ agent: challenge(btoa("no json")) })],
    [
      "offer-wrong-version",
      "challenged",
      () => ({ agent: challenge(encodeHeader({ x402Version: 1 })) }),
    ],
    [
      "offer-malformed",
      "challenged",
      () => ({ agent: challenge(encodeHeader({ x402Version: 2, accepts: [] })) }),
    ],
    ["offer-foreign", "challenged", () => ({ agent: challenge(encodeHeader(requirement())) })],
    ["token-none", "challenged", () => ({ input: { token: { kind: "none" } } })],
    ["sign-in-needed", "challenged", () => ({ party: null })],
    [
      "signed-only",
      "challenged",
      () => ({
        agent: challenge(encodeHeader(requirement({ accepts: [signedOnlyOffer()] }))),
      }),
    ],
    ["not-subscribed", "challenged", async () => ({ party: await service.party() })],
    ["over-cap", "challenged", () => ({ input: { maxCredits: "0" } })],
    [
      "delegation-ended",
      "challenged",
      () => ({ input: { token: { kind: "mint", delegationId: "gone" } } }),
    ],
    ["invalid_token", "refused", () => ({ input: { token: { kind: "paste", token: "garbage" } } })],
    [
      "refused-again",
      "refused",
      () => ({ agent: offersThen(challenge(null, JSON.stringify({ reason: "no" }))) }),
    ],
    [
      "token-not-accepted",
      "refused",
      () => ({ agent: offersThen(() => new Response("", { status: 401 })) }),
    ],
    [
      "gate-unavailable",
      "not-charged",
      () => ({
        agent: offersThen(() => new Response("", { status: 503, headers: { "retry-after": "1" } })),
      }),
    ],
    [
      "agent-failed",
      "not-charged",
      () => ({ agent: gated(() => new Response("", { status: 500 })) }),
    ],
    [
      "agent-refused",
      "not-charged",
      () => ({ agent: gated(() => new Response("no body", { status: 400 })) }),
    ],
    [
      "agent-failed-unknown",
      "unknown",
      () => ({ agent: offersThen(() => new Response("", { status: 500 })) }),
    ],
    [
      "lost-answer",
      "unknown",
      () => ({ agent: offersThen(() => Promise.reject(new Error("reset"))) }),
    ],
    [
      "delivered-unsettled",
      "delivered-unsettled",
      () => ({ agent: offersThen(() => Response.json({})) }),
    ],
    [
      "receipt-unreadable",
      "unknown",
      () => ({
        agent: offersThen(() => new Response("", { headers: { "payment-response": "?" } })),
      }),
    ],
    [
      "receipt-refused",
      "delivered-unsettled",
      () => ({
        agent: offersThen(
          () =>
            new Response("", {
              headers: {
                "payment-response": encodeHeader({
                  success: false,
                  errorReason: "insufficient_balance",
                  transaction: "",
                  network: "eip155:84532",
                  error: "insufficient_balance",
                }),
              },
            }),
        ),
      }),
    ],
  ];
  test.each(rows)("%s, money %s", async (outcome, money, wish) => {
    const { run, outcomes } = await play(await wish());
    expect(outcomes).toContain(outcome);
    expect(run.money).toBe(money);
    const { status } = OUTCOMES[outcome];
    expect(run.steps.find((step) => step.outcome === outcome)?.status).toBe(status);
  });

  test("an offer in the body only is read and flagged", async () => {
    const body = JSON.stringify({
      paymentRequired: requirement({
        accepts: [
          { scheme: "svc:erc4337", network: "eip155:84532", planId: market.planId, amount: "1" },
        ],
      }),
    });
    const { run } = await play({
      agent: challenge(null, body),
      input: { token: { kind: "none" } },
    });
    expect(outcomeOf(run, "offer")).toMatchObject({ outcome: "offer-flagged", status: "warn" });
  });

  test("an offer that the header carries in its extension can be chosen and paid", async () => {
    const { planId, agentId } = market;
    const accepts = [{ scheme: "svc:erc4337", amount: "1", planId, extra: { planId, agentId } }];
    const extensions = { "other-offers": { info: { accepts } } };
    const offers = challenge(encodeHeader(requirement({ extensions })));
    const real = gated();
    const { run } = await play({
      agent: (request) => (request.headers.has("payment-signature") ? real : offers)(request),
      input: { planId },
    });
    expect(outcomeOf(run, "offer")?.values.count).toBe("1 offer");
    expect([run.money, run.planId]).toEqual(["settled", planId]);
  });

  test("the settlement of a streamed response is found by its request id", async () => {
    const chunks = () =>
      new Response(
        new ReadableStream({
          start: (out) => {
            out.enqueue(new TextEncoder().encode("part"));
            out.close();
          },
        }),
      );
    const { run } = await play({ agent: gated(chunks), lookForMs: 2_000 });
    expect(run.money).toBe("settled");
  });

  test("a dynamic plan is charged within its limits", async () => {
    const dynamic = await createMarket(service, {
      price: getFreePriceConfig(),
      credits: getDynamicCreditsConfig(100n, 1n, 5n),
    });
    const gate = createGate(dynamic.builder.payments, {
      "POST /ask": { planId: dynamic.planId, agentId: dynamic.agentId, credits: 3 },
    });
    const { run } = await play({
      agent: (request) => gate(request, async () => Response.json({})),
      party: dynamic.subscriber,
    });
    expect(
      outcomeOf(run, "settle")?.facts.find(({ name }) => name === "creditsRedeemed"),
    ).toMatchObject({ value: "3", holds: true });
  });
});

test("no sentence of any outcome shows a placeholder, even without values", () => {
  for (const code of Object.keys(OUTCOMES) as OutcomeCode[]) {
    const { verdict, why, next, word } = describeOutcome(code, {});
    for (const text of [verdict, why, next, word]) expect(text).not.toMatch(/[{}]|undefined/);
    expect(OUTCOMES[code].verdict.length, code).toBeGreaterThan(5);
  }
});

test.each<[string, string, string[]]>([
  ["a bearer token", 'Bearer hunter2-"quoted"', ['hunter2-\\"quoted', "hunter2"]],
  [
    "a password",
    `Basic ${btoa("ada:correct-horse")}`,
    ["correct-horse", btoa("ada:correct-horse")],
  ],
])("%s that the agent echoes is not in the run", async (_, authorization, secrets) => {
  const echo: Agent = (request) => {
    const login = request.headers.get("authorization") ?? "";
    const plain = login.startsWith("Basic ") ? atob(login.slice(6)) : login;
    return new Response(JSON.stringify({ login, plain }), {
      status: request.headers.has("payment-signature") ? 200 : 403,
      headers: { "x-login": plain, location: `/?login=${plain}` },
    });
  };
  const headers = [["authorization", authorization]] as const;
  for (const agent of [echo, gated(echo)]) {
    const { run } = await play({ agent, input: { headers } });
    const answers = run.steps.map(({ exchange, ...step }) => [step, exchange?.answer]);
    for (const secret of secrets) expect(JSON.stringify(answers)).not.toContain(secret);
    // The request itself stays whole: it may be continued.
    expect(run.input.headers).toEqual(headers);
  }
});

test("stopping a run aborts its exchange", async () => {
  const controller = new AbortController();
  const slow: Transport = (request, { signal }) =>
    new Promise<Exchange>((done) => {
      signal.addEventListener("abort", () =>
        done({
          request,
          answer: null,
          failure: { kind: "failed", code: "aborted", message: "You stopped it." },
          startedAt: "",
          durationMs: 0,
        }),
      );
      controller.abort();
    });
  const run = runPlayground({
    input: {
      method: "POST",
      url: market.endpoint,
      headers: [],
      body: null,
      token: { kind: "none" },
    },
    transport: slow,
    service: serviceOf(null),
    signal: controller.signal,
  });
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  expect(events.at(-1)?.type).toBe("end");
});
