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

const told = (known: Run[], change: Partial<RequestDraft> = {}) =>
  costOf(draft(change), knownOffer(draft(change), { runs: known, openedAt: OPENED_AT }));

const UNKNOWN = "This run uses what the offer asks; set a cap under Options.";

describe("what a run can use", () => {
  test("is the offer the same request met, with what was left then", () => {
    expect(told([run()])).toBe("This run can use up to 3 credits of ‘Starter’ (1,197 left).");
  });

  test("is one credit in the singular", () => {
    const requirement = {
      ...run().requirement,
      accepts: [{ scheme: "svc:erc4337", amount: "1", planId: "7" }],
    } as unknown as Run["requirement"];
    expect(told([run({ requirement })])).toBe(
      "This run can use up to 1 credit of ‘Starter’ (1,197 left).",
    );
  });

  test("says the balance of before where the run took nothing", () => {
    expect(told([run({ money: "not-charged", credits: null })])).toContain("(1,200 left)");
  });

  test.each(["unknown", "delivered-unsettled"] as const)(
    "leaves the balance out while the payment is %s",
    (money) => {
      expect(told([run({ money, credits: null })])).toBe(
        "This run can use up to 3 credits of ‘Starter’.",
      );
    },
  );

  test("leaves the balance out of a run kept from before", () => {
    expect(told([run({ startedAt: "2026-01-01T10:00:00.000Z" })])).toBe(
      "This run can use up to 3 credits of ‘Starter’.",
    );
  });

  test("is the cap where that is less, and the offer where it is not", () => {
    expect(told([run()], { maxCredits: "2" })).toContain("up to 2 credits of ‘Starter’");
    expect(told([run()], { maxCredits: "50" })).toContain("up to 3 credits of ‘Starter’");
    expect(told([], { maxCredits: "1" })).toBe("This run can use up to 1 credit.");
  });

  const others: Partial<RequestDraft>[] = [
    { url: "https://agent.example/other" },
    { method: "GET" },
    { planId: "8" },
    { scheme: "svc:card-delegation" },
  ];
  test.each(others)("is not known for another request: %j", (change) => {
    expect(told([run()], change)).toBe(UNKNOWN);
  });

  test("is not known before an offer was read and a plan chosen", () => {
    expect(told([])).toBe(UNKNOWN);
    expect(told([run({ requirement: null })])).toBe(UNKNOWN);
    expect(told([run({ planId: null, planName: null })])).toBe(UNKNOWN);
  });

  test("passes over a run that ended early for one that knows", () => {
    expect(told([run({ requirement: null }), run()])).toContain("‘Starter’");
  });

  test("is nothing without a token", () => {
    expect(told([run()], { token: { kind: "none" } })).toBe(
      "This run sends no token and uses nothing.",
    );
  });
});

describe("what a preset knows before a run", () => {
  const preset: Preset = {
    id: "demo",
    label: "Demo agent",
    method: "POST",
    url: URL,
    offer: { planId: "7", plan: "Starter", credits: "1", left: "97" },
  };
  const toldBy = (presets: Preset[], change: Partial<RequestDraft> = {}) =>
    costOf(draft(change), presetOffer(draft(change), presets));

  test("is its offer and what the account has left", () => {
    expect(toldBy([preset])).toBe("This run can use up to 1 credit of ‘Starter’ (97 left).");
    expect(toldBy([preset], { planId: "7" })).toContain("‘Starter’");
  });

  test.each<Partial<RequestDraft>>([
    { url: "https://agent.example/other" },
    { method: "GET" },
    { planId: "8" },
    { scheme: "svc:card-delegation" },
  ])("is nothing for another request: %j", (change) => {
    expect(toldBy([preset], change)).toBe(UNKNOWN);
  });

  test("is nothing where the preset has no offer", () => {
    const { offer: _, ...plain } = preset;
    expect(toldBy([plain])).toBe(UNKNOWN);
  });
});
