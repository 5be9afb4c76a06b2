import { afterEach, expect, test, vi } from "vitest";
import { createHealthCheck as createCheck, type HealthProbe, probeDatabase } from "./health.ts";

const about = { environment: "sandbox", version: "test" } as const;
const logged: [string, unknown][] = [];
const write = (fields: object, message: string) => void logged.push([message, fields]);
const createHealthCheck = (probes: readonly HealthProbe[], of: typeof about) =>
  createCheck(probes, of, { info: write, warn: write, error: write });
const up: HealthProbe = { name: "database", isRequired: true, ask: async () => {} };
afterEach(() => {
  logged.splice(0);
  vi.useRealTimers();
});
const no = () => Promise.reject(new Error("no"));

test.each<[string, HealthProbe[], { status: string; ok: boolean }]>([
  ["all parts answer", [up], { status: "ok", ok: true }],
  [
    "a part answers and does not work in full",
    [up, { name: "chain", ask: async () => {}, findDegraded: () => "sales stopped" }],
    { status: "degraded", ok: false },
  ],
  [
    "a part that is not degraded says so with null",
    [{ name: "chain", ask: async () => {}, findDegraded: () => null }],
    { status: "ok", ok: true },
  ],
  [
    "a part does not answer",
    [up, { name: "chain", ask: no, findDegraded: () => "x" }],
    { status: "degraded", ok: false },
  ],
  [
    "a required part does not answer",
    [
      { ...up, ask: no },
      { name: "chain", ask: async () => {} },
    ],
    { status: "down", ok: false },
  ],
])("%s", async (_, probes, expected) => {
  expect(await createHealthCheck(probes, about)()).toMatchObject(expected);
});

test.each([
  ["25 h ahead of the database's", 25 * 3_600_000, "differ by 90000 s"],
  ["10 minutes behind the database's", -600_000, "differ by 600 s"],
  ["3 s ahead", 3_000, undefined],
])("a replica whose clock is %s says so", async (_, aheadMs, expected) => {
  const query = async () => [{ now: new Date(Date.now() - aheadMs) }];
  const database = { for: () => ({ query }), trouble: () => null } as never;
  const { checks, status } = await createHealthCheck([probeDatabase(database)], about)();
  expect(status).toBe(expected ? "degraded" : "ok");
  if (expected) expect(checks.database?.degraded).toContain(expected);
});

test("a degraded part says why beside its facts", async () => {
  const facts = () => ({ difference: "7" });
  const ask = async () => {};
  const probe = { name: "chain", ask, facts, findDegraded: () => "sales stopped: 7" };
  const { checks } = await createHealthCheck([probe], about)();
  expect(checks.chain).toMatchObject({
    ok: true,
    degraded: "sales stopped: 7",
    facts: { difference: "7" },
  });
});

test("requests within a second share one check of each part, and what parts say is of the moment", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const asked: string[] = [];
  let reason: string | null = null;
  const part = (name: string) => ({ name, ask: async () => asked.push(name) });
  const health = createHealthCheck(
    [
      { ...part("database"), isRequired: true },
      { ...part("chain"), findDegraded: () => reason },
    ],
    about,
  );
  const flood = Array.from({ length: 50 }, (_, index) => health(index % 2 ? "ready" : undefined));
  for (const { status } of await Promise.all(flood)) expect(status).toBe("ok");
  reason = "sales stopped";
  expect((await health()).status).toBe("degraded");
  expect(asked.sort()).toEqual(["chain", "database"]);
  vi.advanceTimersByTime(1_000);
  await health("ready");
  expect(asked).toEqual(["chain", "database", "database"]);
});

test("each change of a part's state is logged once, with its cause", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let fault: Error | null = null;
  let degraded: string | null = null;
  const chain: HealthProbe = {
    name: "chain",
    ask: async () => {
      if (fault) throw fault;
    },
    findDegraded: () => degraded,
  };
  const health = createHealthCheck([up, chain], about);
  const ask = async () => {
    vi.advanceTimersByTime(1_000);
    await Promise.all([health(), health()]);
    await health();
    return logged.splice(0);
  };
  expect(await ask()).toEqual([]);
  fault = new Error("The node is of chain 1, and the contracts are on chain 84532.");
  expect(await ask()).toEqual([
    [
      "a part does not answer",
      { part: "chain", error: "unreachable", cause: `Error: ${fault.message}` },
    ],
  ]);
  expect(await ask()).toEqual([]);
  fault = null;
  degraded = "not compared for 301 s";
  expect(await ask()).toEqual([["a part is degraded", { part: "chain", degraded }]]);
  degraded = "not compared for 302 s";
  expect(await ask()).toEqual([]);
  degraded = null;
  expect(await ask()).toEqual([["a part works again", { part: "chain" }]]);
});

test("what health answers has no cause", async () => {
  const ask = () => Promise.reject(new Error("password authentication failed for user turnpike"));
  const { checks } = await createHealthCheck([{ name: "database", ask }], about)();
  expect(JSON.stringify(checks)).not.toContain("password");
  expect(JSON.stringify(logged)).toContain("password authentication failed");
});
