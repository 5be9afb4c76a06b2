import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createNextHandler } from "../gate/adapters/next.ts";
import { createGate } from "../gate/gate.ts";
import { apiKeyOf, BUILDER, createFakeService, SUBSCRIBER } from "../test-support/fake-service.ts";
import { Payments } from "./payments.ts";

const key = apiKeyOf(SUBSCRIBER);
const codeOf = (build: () => unknown) => {
  try {
    build();
    return null;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

afterEach(() => vi.unstubAllEnvs());

describe("the API key", () => {
  test("tells account and environment without a call", () => {
    const payments = Payments.getInstance({ apiKey: key });
    expect(payments.accountAddress).toBe(SUBSCRIBER);
    expect(payments.environment).toBe("sandbox");
  });
  test.each([undefined, null, ""])(
    "%o is missing at the first use, and the message says where it belongs",
    (apiKey) => {
      const payments = Payments.getInstance({ apiKey: apiKey as string });
      const use = () => payments.accountAddress;
      expect(use).toThrow("set TURNPIKE_API_KEY, or pass Payments.getInstance({ apiKey })");
      expect(codeOf(use)).toBe("unauthorized");
    },
  );
  test("and the address come from the environment where they are not passed", () => {
    const early = Payments.getInstance();
    vi.stubEnv("TURNPIKE_API_KEY", key);
    vi.stubEnv("TURNPIKE_URL", "https://pay.example/");
    for (const payments of [early, Payments.getInstance()]) {
      expect(payments.accountAddress).toBe(SUBSCRIBER);
      expect(payments.baseUrl).toBe("https://pay.example");
    }
    const passed = { apiKey: apiKeyOf(BUILDER), baseUrl: "https://x.example" };
    expect(Payments.getInstance(passed)).toMatchObject({
      accountAddress: BUILDER,
      baseUrl: "https://x.example",
    });
  });
  test("may be missing while a client is only passed on, by an async function too", async () => {
    const make = async () => Payments.getInstance();
    const payments = await make();
    expect(JSON.stringify({ payments })).toBe('{"payments":{}}');
    expect(inspect(payments)).toBe("{}");
    expect(() => payments.plans).toThrow("TURNPIKE_API_KEY");
  });
  test("that is malformed in the environment is refused when the client is made", () => {
    vi.stubEnv("TURNPIKE_API_KEY", "<API_KEY>");
    expect(() => Payments.getInstance()).toThrow("is malformed");
  });
  test("and the plan may be missing while a module with a gate is only imported, as a build does", async () => {
    const payments = Payments.getInstance();
    const planId = process.env.TURNPIKE_PLAN_ID as string;
    const gate = createGate(payments, { "POST /ask": { planId } });
    const POST = createNextHandler(payments, { "POST /ask": { planId } }, () => new Response());
    const request = new Request("http://agent.test/ask", { method: "POST" });
    await expect(gate(request, async () => new Response())).rejects.toThrow("TURNPIKE_API_KEY");
    await expect(POST(request, {})).rejects.toThrow("TURNPIKE_API_KEY");
    // With a key, what cannot be guarded is refused at once.
    const keyed = Payments.getInstance({ apiKey: key });
    expect(() => createGate(keyed, { "POST /ask": { planId } })).toThrow("planId");
  });
  const malformed = [
    "secret",
    "svc-sandbox:secret",
    "svc-sandbox:a.b.c",
    key.replace("svc-sandbox", "svc-test"),
    key.slice(0, -12),
    apiKeyOf("no address"),
    ` ${key}`,
    `${key}\n`,
    42,
  ];
  test.each(malformed)("%o is malformed, and the message does not repeat it", (apiKey) => {
    const build = () => Payments.getInstance({ apiKey: apiKey as string });
    expect(codeOf(build)).toBe("unauthorized");
    expect(build).toThrow(/is malformed: expected svc-<environment>:<jwt>/);
    expect(build).not.toThrow(String(apiKey).slice(4) || "…");
  });
  test("of another environment is refused", () => {
    const build = () =>
      Payments.getInstance({ apiKey: key, environment: "live", baseUrl: "https://x.example" });
    expect(codeOf(build)).toBe("wrong_environment");
    expect(build).toThrow('belongs to environment "sandbox", but "live" was asked for');
  });
  test("is all it takes: a client can be awaited, printed and compared", async () => {
    const payments = Payments.getInstance({ apiKey: key });
    expect(await payments.money).toBe(payments.money);
    expect(JSON.stringify(payments)).toContain(SUBSCRIBER);
    expect(inspect(payments)).toContain("money");
    expect(payments).toEqual(payments);
  });
  test("is not to be found in the client when that is printed", () => {
    const payments = Payments.getInstance({ apiKey: key });
    expect(inspect(payments, { depth: 9 })).not.toContain(key);
    expect(JSON.stringify(payments.connection)).not.toContain(key);
  });
});

describe("the address", () => {
  const baseUrlOf = (baseUrl?: string) => Payments.getInstance({ apiKey: key, baseUrl }).baseUrl;
  test("of the sandbox is localhost when left out, or empty in the environment", () => {
    expect(baseUrlOf()).toBe("http://localhost:3000");
    vi.stubEnv("TURNPIKE_URL", "");
    expect(baseUrlOf()).toBe("http://localhost:3000");
  });
  test("of live must be given", () => {
    const live = apiKeyOf(SUBSCRIBER, "live");
    expect(() => Payments.getInstance({ apiKey: live })).toThrow("no default address");
    expect(Payments.getInstance({ apiKey: live, baseUrl: "https://x.example" }).environment).toBe(
      "live",
    );
  });
  test("may carry a path prefix and a trailing slash", async () => {
    const { fetch, calls } = createFakeService();
    for (const baseUrl of [
      "https://x.example/pay/",
      "https://x.example/pay",
      "https://x.example/pay/api/v1",
    ]) {
      await Payments.getInstance({ apiKey: key, baseUrl, fetch }).plans.getPlan("42");
    }
    expect(new Set(calls.map(({ url }) => url))).toEqual(
      new Set(["https://x.example/pay/api/v1/protocol/plans/42"]),
    );
  });
  test.each(["localhost", "ftp://x", "https://user:pass@x.example", "", "/pay"])(
    "%j is refused",
    (baseUrl) => {
      expect(() => baseUrlOf(baseUrl)).toThrow("is not an http(s) address");
    },
  );
});

describe("the limits of a call", () => {
  test.each([
    ["timeoutMs", 0],
    ["timeoutMs", Number.NaN],
    ["maxRetries", -1],
    ["maxRetries", Number.NaN],
  ])("%s: %d is refused", (name, value) => {
    const build = () => Payments.getInstance({ apiKey: key, [name]: value });
    expect(build).toThrow(`\`${name}\` is ${value}`);
    expect(codeOf(build)).toBe("invalid_input");
  });
  test.each([Number.POSITIVE_INFINITY, 2 ** 31])(
    "%d ms are no limit, and no timer that fires at once",
    async (timeoutMs) => {
      const { fetch } = createFakeService();
      const slow: typeof fetch = async (...request) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return fetch(...request);
      };
      const payments = Payments.getInstance({ apiKey: key, fetch: slow, timeoutMs, maxRetries: 0 });
      expect(await payments.plans.getPlan("42")).toMatchObject({ planId: "42" });
    },
  );
});

test("an unknown environment is refused by name", () => {
  const build = () => Payments.getInstance({ apiKey: key, environment: "staging" as "live" });
  expect(build).toThrow('Environment "staging" does not exist');
});
