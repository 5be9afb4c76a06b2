import { expect, test } from "vitest";
import { checkHealth, type HealthProbe } from "./health.ts";

const about = { environment: "sandbox", version: "test" } as const;
const up: HealthProbe = { name: "database", isRequired: true, ask: async () => {} };
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
  expect(await checkHealth(probes, about)).toMatchObject(expected);
});

test("a degraded part says why beside its facts", async () => {
  const facts = () => ({ difference: "7" });
  const ask = async () => {};
  const probe = { name: "chain", ask, facts, findDegraded: () => "sales stopped: 7" };
  const { checks } = await checkHealth([probe], about);
  expect(checks.chain).toMatchObject({
    ok: true,
    degraded: "sales stopped: 7",
    facts: { difference: "7" },
  });
});
