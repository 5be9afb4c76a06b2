import { describe, expect, test } from "vitest";
import { idleStep, type Run, STEPS } from "@/lib/playground/run.ts";
import type { Preset } from "../request/preset.ts";
import { EMPTY_DRAFT, type RequestDraft } from "../request/request-draft.ts";
import { costOf, knownOffer, presetOffer } from "./run-cost.ts";

const URL = "https://agent.example/ask";
const OPENED_AT = Date.parse("2026-01-02T10:00:00Z");
const draft = (change: Partial<RequestDraft> = {}): RequestDraft => ({
  ...EMPTY_DRAFT,
  url: URL,
  ...change,
});

const run = (change: Partial<Run> = {}): Run => ({
  input: { method: "POST", url: URL, headers: [], body: "{}", token: { kind: "mint" } },
  startedAt: "2026-01-02T10:00:05.000Z",
  steps: STEPS.map(({ id }) => ({
    ...idleStep(id),
    ...(id === "permission" && { values: { left: "1200" } }),
  })),
  money: "settled",
  agentRequestId: "req_1",
  requirement: {
    x402Version: 2,
    resource: { url: URL },
    accepts: [
      { scheme: "svc:card-delegation", amount: "9", planId: "8" },
      { scheme: "svc:erc4337", amount: "3", planId: "7" },
    ],
    extensions: {},
  } as unknown as Run["requirement"],
  planId: "7",
  planName: "Starter",
  credits: { before: "1200", after: "1197" },
  ...change,
});

const cost = (known: Run[], change: Partial<RequestDraft> = {}) =>
  costOf(draft(change), knownOffer(draft(change), { runs: known, openedAt: OPENED_AT }));

const UNKNOWN = "The cost is set by the agent’s offer. You can set a limit under Options.";

describe("the maximum cost of a run", () => {
  test("is the offer the same request received, with the balance after it", () => {
    expect(cost([run()])).toBe("This run can use up to 3 credits from “Starter” (1,197 left).");
  });

  test("is one credit in the singular", () => {
    const requirement = {
      ...run().requirement,
      accepts: [{ scheme: "svc:erc4337", amount: "1", planId: "7" }],
    } as unknown as Run["requirement"];
    expect(cost([run({ requirement })])).toBe(
      "This run can use up to 1 credit from “Starter” (1,197 left).",
    );
  });

  test("shows the earlier balance where the run charged nothing", () => {
    expect(cost([run({ money: "not-charged", credits: null })])).toContain("(1,200 left)");
  });

  test.each(["unknown", "delivered-unsettled"] as const)(
    "leaves out the balance while the payment is %s",
    (money) => {
      expect(cost([run({ money, credits: null })])).toBe(
        "This run can use up to 3 credits from “Starter”.",
      );
    },
  );

  test("leaves out the balance of an earlier visit", () => {
    expect(cost([run({ startedAt: "2026-01-01T10:00:00.000Z" })])).toBe(
      "This run can use up to 3 credits from “Starter”.",
    );
  });

  test("is the limit or the offer, whichever is lower", () => {
    expect(cost([run()], { maxCredits: "2" })).toContain("up to 2 credits from “Starter”");
    expect(cost([run()], { maxCredits: "50" })).toContain("up to 3 credits from “Starter”");
    expect(cost([], { maxCredits: "1" })).toBe("This run can use up to 1 credit.");
  });

  const others: Partial<RequestDraft>[] = [
    { url: "https://agent.example/other" },
    { method: "GET" },
    { planId: "8" },
    { scheme: "svc:card-delegation" },
  ];
  test.each(others)("is unknown for another request: %j", (change) => {
    expect(cost([run()], change)).toBe(UNKNOWN);
  });

  test("is unknown until an offer was read and a plan chosen", () => {
    expect(cost([])).toBe(UNKNOWN);
    expect(cost([run({ requirement: null })])).toBe(UNKNOWN);
    expect(cost([run({ planId: null, planName: null })])).toBe(UNKNOWN);
  });

  test("skips a run that ended early", () => {
    expect(cost([run({ requirement: null }), run()])).toContain("“Starter”");
  });

  test("is nothing without a token", () => {
    expect(cost([run()], { token: { kind: "none" } })).toBe(
      "This run sends no token and uses no credits.",
    );
  });
});

describe("the offer of a preset", () => {
  const preset: Preset = {
    id: "demo",
    label: "Demo agent",
    method: "POST",
    url: URL,
    offer: { planId: "7", plan: "Starter", credits: "1", left: "97" },
  };
  const costBy = (presets: Preset[], change: Partial<RequestDraft> = {}) =>
    costOf(draft(change), presetOffer(draft(change), presets));

  test("is its cost and the account's balance", () => {
    expect(costBy([preset])).toBe("This run can use up to 1 credit from “Starter” (97 left).");
    expect(costBy([preset], { planId: "7" })).toContain("“Starter”");
  });

  test.each<Partial<RequestDraft>>([
    { url: "https://agent.example/other" },
    { method: "GET" },
    { planId: "8" },
    { scheme: "svc:card-delegation" },
  ])("is unknown for another request: %j", (change) => {
    expect(costBy([preset], change)).toBe(UNKNOWN);
  });

  test("is unknown where the preset has no offer", () => {
    const { offer: _, ...plain } = preset;
    expect(costBy([plain])).toBe(UNKNOWN);
  });
});
