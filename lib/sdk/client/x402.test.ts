import { afterEach, describe, expect, test, vi } from "vitest";
import {
  apiKeyOf,
  createFakeService,
  planOf,
  refusal,
  SUBSCRIBER,
} from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";
import { resolveScheme } from "./resolve-scheme.ts";

function setUp(baseUrl = "http://service.test", environment: "sandbox" | "live" = "sandbox") {
  const service = createFakeService([planOf("42"), planOf("43", { isCrypto: false })]);
  const payments = Payments.getInstance({
    apiKey: apiKeyOf(SUBSCRIBER, environment),
    baseUrl,
    fetch: service.fetch,
    maxRetries: 0,
  });
  return { service, payments };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("resolveScheme (§1)", () => {
  test("reads the plan's price", async () => {
    const { payments } = setUp();
    expect(await resolveScheme(payments, "42")).toBe("svc:erc4337");
    expect(await resolveScheme(payments, "43")).toBe("svc:card-delegation");
  });
  test("remembers for five minutes", async () => {
    vi.useFakeTimers();
    const { payments, service } = setUp();
    await resolveScheme(payments, "42");
    vi.advanceTimersByTime(5 * 60_000 - 1);
    await resolveScheme(payments, "42");
    expect(service.calls).toHaveLength(1);
    vi.advanceTimersByTime(2);
    await resolveScheme(payments, "42");
    expect(service.calls).toHaveLength(2);
  });
  test("asks once for many at the same time", async () => {
    const { payments, service } = setUp();
    await Promise.all([1, 2, 3].map(() => resolveScheme(payments, "42")));
    expect(service.calls).toHaveLength(1);
  });
  test("keeps services apart", async () => {
    const { payments, service } = setUp();
    const apiKey = apiKeyOf(SUBSCRIBER);
    const other = Payments.getInstance({
      apiKey,
      baseUrl: "http://other.test",
      fetch: service.fetch,
    });
    const same = Payments.getInstance({
      apiKey,
      baseUrl: "http://service.test/",
      fetch: service.fetch,
    });
    for (const each of [payments, other, same]) await resolveScheme(each, "42");
    expect(service.calls.map(({ url }) => new URL(url).host)).toEqual([
      "service.test",
      "other.test",
    ]);
  });
  test("returns an explicit scheme as it is, without asking", async () => {
    const { payments, service } = setUp();
    expect(await resolveScheme(payments, "42", "nvm:card-delegation")).toBe("nvm:card-delegation");
    expect(service.calls).toEqual([]);
  });
  test("throws what fails, and does not remember it", async () => {
    const { payments, service } = setUp();
    const works = service.handlers.getPlan;
    service.handlers.getPlan = () => refusal(503, "unavailable");
    await expect(resolveScheme(payments, "42")).rejects.toMatchObject({ code: "unavailable" });
    service.handlers.getPlan = works as typeof service.handlers.getPlan;
    expect(await resolveScheme(payments, "42")).toBe("svc:erc4337");
  });
});

describe("getX402AccessToken (§4.1)", () => {
  test("resolves scheme and network from the plan", async () => {
    const { payments, service } = setUp();
    const { accessToken } = await payments.x402.getX402AccessToken("43", "7");
    expect(payments.x402.decodeAccessToken(accessToken)?.payload.authorization.planId).toBe("43");
    expect(service.called("mint")[0]?.body).toEqual({
      accepted: {
        scheme: "svc:card-delegation",
        network: "card-processor",
        planId: "43",
        extra: { agentId: "7" },
      },
    });
  });
  test("passes on every option, and an explicit scheme unasked", async () => {
    const { payments, service } = setUp();
    await payments.x402.getX402AccessToken("42", undefined, {
      scheme: "nvm:erc4337",
      delegationConfig: { spendingLimitCents: 500n, durationSecs: 60 },
      resource: "https://agent.example/ask",
      httpVerb: "POST",
      redemptionLimit: 5,
      orderLimit: "1000",
      expiration: "2030-01-01T00:00:00Z",
      accepted: { extra: { note: "mine" } },
    });
    expect(service.called("getPlan")).toEqual([]);
    expect(service.called("mint")[0]?.body).toEqual({
      accepted: {
        scheme: "nvm:erc4337",
        network: "eip155:84532",
        planId: "42",
        extra: { httpVerb: "POST", note: "mine" },
      },
      delegationConfig: { spendingLimitCents: "500", durationSecs: 60 },
      resource: "https://agent.example/ask",
      httpVerb: "POST",
      redemptionLimit: 5,
      orderLimit: "1000",
      expiration: "2030-01-01T00:00:00Z",
    });
  });
});

describe("requirements (§4.2)", () => {
  const ask = { endpoint: "https://agent.example/ask", httpVerb: "POST" };
  test("detect each plan's scheme and network", async () => {
    const { payments } = setUp();
    const requirement = await payments.x402.buildPaymentRequiredForPlans({
      ...ask,
      planIds: ["42", "43"],
    });
    expect(requirement.accepts.map(({ scheme, network }) => [scheme, network])).toEqual([
      ["svc:erc4337", "eip155:84532"],
      ["svc:card-delegation", "card-processor"],
    ]);
    const one = await payments.x402.buildPaymentRequired({ ...ask, planId: "42" });
    expect(one.accepts).toEqual([requirement.accepts[0]]);
  });
  test("of live settle on the live chain", async () => {
    const { payments } = setUp("https://live.test", "live");
    const { accepts } = await payments.x402.buildPaymentRequired({ ...ask, planId: "42" });
    expect(accepts[0]?.network).toBe("eip155:8453");
  });
  test("take an explicit scheme without asking", async () => {
    const { payments, service } = setUp();
    const scheme = "svc:card-delegation";
    const { accepts } = await payments.x402.buildPaymentRequired({ ...ask, planId: "42", scheme });
    expect(accepts[0]?.network).toBe("card-processor");
    expect(service.calls).toEqual([]);
  });
});

test("registering sends what the service reads, and answers the ids", async () => {
  const { payments, service } = setUp();
  service.handlers.registerPlan = () => ({ planId: "1" });
  const free = { amounts: [], receivers: [] };
  const credits = { isRedemptionAmountFixed: true, amount: "1" };
  expect(
    await payments.plans.registerTimePlan({ name: "A", isTrialPlan: true }, free, credits),
  ).toEqual({
    planId: "1",
  });
  expect(service.calls[0]?.body).toMatchObject({
    accessLimit: "time",
    isTrialPlan: true,
    metadataAttributes: { name: "A" },
  });
});
