import {
  getDynamicCreditsConfig,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import type { OutboundRequest } from "@/lib/domain/outbound-ports.ts";
import {
  createDemoAgent,
  DEMO_AGENT_PATH,
  PACK_PATH,
  PRICED_PATH,
} from "@/lib/sandbox/demo-agent.ts";
import { createDoctorBench, type DoctorBench } from "@/lib/server/testing/doctor-bench.ts";
import { PAID_AGENTS } from "@/lib/server/testing/paid-agents.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { UNPAID_AGENTS } from "@/lib/server/testing/unpaid-agents.ts";
import { inFull, longTest } from "@/lib/testing/in-full.ts";
import { ALL_CHECKS } from "../checks/run-checks.ts";
import { type DoctorFinding, summarizeReport } from "../report/report.ts";

const CAP = 125n;
const BROKEN_AGENTS = [...UNPAID_AGENTS, ...PAID_AGENTS];
const TRIED_AGENTS = BROKEN_AGENTS.filter((_, at) => at % inFull(1, 6) === 0);
let database: Database;
let service: TestService;
const benches: DoctorBench[] = [];

beforeAll(async () => {
  const [store] = ruleStores();
  database = await (store as NonNullable<typeof store>).open();
  service = createTestService(database);
});
afterAll(async () => {
  await Promise.all(benches.map((bench) => bench.close()));
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

async function openBench(): Promise<DoctorBench> {
  const bench = await createDoctorBench(service);
  benches.push(bench);
  bench.answer(bench.gated());
  return bench;
}

const idsOf = (findings: readonly DoctorFinding[], state: DoctorFinding["state"]) =>
  findings.filter((one) => one.state === state).map(({ id }) => id);
const wrongIn = (findings: readonly DoctorFinding[]) =>
  findings.filter(({ state }) => state === "fail").map(({ id, sentence }) => `${id} ${sentence}`);
const findingOf = (findings: readonly DoctorFinding[], id: string) =>
  findings.find((one) => one.id === id) as DoctorFinding;

test("a paid call may take two minutes, and one whose answer is lost is not called unpaid", async () => {
  const bench = await openBench();
  const { send } = bench.outbound;
  const patient: OutboundRequest[] = [];
  vi.spyOn(bench.outbound, "send").mockImplementation(async function* (request) {
    if (request.silentMs === undefined) return yield* send(request);
    patient.push(request);
    yield { type: "failed", code: "headers_timeout", message: "It was late.", ms: 1 };
  });
  const { report } = await bench.examine({ maxCredits: CAP });
  expect(patient).toHaveLength(1);
  expect(patient[0]).toMatchObject({ silentMs: 120_000, totalMs: 120_000 });
  const sentences = ["D40", "D45"].map((id) => findingOf(report.findings, id).sentence);
  expect(sentences).toEqual([
    "No response to a valid token: It was late. It may have been charged.",
    "The outcome of the first paid call is unknown, so the run stopped spending.",
  ]);
});

test("an endpoint that the agent in the offer does not have is a fault of D22", async () => {
  const bench = await openBench();
  const other = await bench.builder.payments.agents.registerAgent(
    { name: "Other" },
    { endpoints: [{ POST: bench.url.replace("/ask/", "/tell/") }] },
    [bench.planId],
  );
  bench.answer(bench.gated({ agentId: other.agentId }));
  const { report } = await bench.examine();
  const sentences = ["D22", "D23"].map((id) => findingOf(report.findings, id).sentence);
  expect(sentences).toEqual([
    `POST ${bench.url} is not an endpoint of agent ${other.agentId}, which the offer names, so its tokens are refused.`,
    `It is not an endpoint of agent ${other.agentId} (D22).`,
  ]);
});

test("a plan that is archived is a warning of D08", async () => {
  const bench = await openBench();
  await bench.builder.payments.plans.archivePlan(bench.planId);
  const { report } = await bench.examine();
  expect(findingOf(report.findings, "D08")).toMatchObject({ state: "fail", severity: "warning" });
});

test("the checks D01 to D24, D30 to D32 and D40 to D49 each have a broken agent", () => {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `D${String(from + at).padStart(2, "0")}`);
  const ids = [...range(1, 24), ...range(30, 32), ...range(40, 49)];
  expect(ALL_CHECKS.map(({ id }) => id)).toEqual(ids);
  // D01 has no agent: nothing listens.
  expect([...new Set(["D01", ...BROKEN_AGENTS.map(({ id }) => id)])].sort()).toEqual(ids);
  console.log(`doctor: ${BROKEN_AGENTS.length + 1} broken agents for ${ids.length} checks`);
});

describe("a correct agent", () => {
  test("passes every unpaid check without being charged", async () => {
    const bench = await openBench();
    const before = await bench.balance();
    const { report, events } = await bench.examine();
    expect(wrongIn(report.findings)).toEqual([]);
    expect(idsOf(report.findings, "skip")).toEqual(["D24", ...PAID_IDS]);
    expect(bench.worked()).toBe(0);
    expect(await bench.balance()).toBe(before);
    expect(report.paid).toBeNull();
    expect(report.quote).toEqual({
      isPossible: true,
      planId: bench.planId,
      planName: "Starter",
      upTo: "125",
      left: "1000",
    });
    expect(summarizeReport(report)).toMatch(/^0 errors, 0 warnings, checked \d{4}-\d\d-\d\d$/);
    expect(events.filter(({ type }) => type === "progress")).toHaveLength(4);
  });

  test("passes the paid checks within the cap", async () => {
    const bench = await openBench();
    const before = await bench.balance();
    const { report } = await bench.examine({ maxCredits: CAP });
    expect(wrongIn(report.findings)).toEqual([]);
    // The test's ledger has no chain behind it.
    expect(idsOf(report.findings, "skip")).toEqual(["D24", "D44"]);
    expect(report.paid).toMatchObject({ maxCredits: "125", creditsUsed: "24", balanceMoved: "24" });
    expect(before - (await bench.balance())).toBe(24n);
    for (const { state, asked, came } of report.findings) {
      if (state !== "skip")
        expect(`${asked} ${came}`).toMatch(/^(POST|GET|OPTIONS) http.* \d{3} in /);
    }
    const { items } = await bench.subscriber.payments.tokens.listTokens();
    expect(items.map(({ status }) => status)).toEqual(["Revoked", "Revoked", "Revoked", "Revoked"]);
    expect(service.lab.list()).toEqual([]);
  });

  test("includes the demo agent", async () => {
    const bench = await openBench();
    const { builder, planId: crypto } = bench;
    const [card = "", trial = ""] = await Promise.all(
      ["Other", "Trial"].map((name) => addPlan(bench, name)),
    );
    const url = bench.url.replace("/ask/:id", DEMO_AGENT_PATH);
    const { agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      {
        endpoints: [DEMO_AGENT_PATH, PRICED_PATH, PACK_PATH].map((path) => ({
          POST: new URL(path, url).href,
        })),
        openEndpoints: [new URL("/", url).href],
        agentDefinitionUrl: new URL("/openapi.json", url).href,
      },
      [crypto, card, trial],
    );
    const terms = { plans: { crypto, card, trial }, agent: { agentId, url } };
    const demo = createDemoAgent(builder.payments, terms, { report: false });
    bench.answer((request) => demo.fetch(request));
    const { report } = await bench.examine({ maxCredits: CAP, url });
    expect(idsOf(report.findings, "fail")).toEqual([]);
    expect(summarizeReport(report)).toMatch(/^0 errors, 0 warnings, /);
  });
});

async function addPlan({ builder }: DoctorBench, name: string): Promise<string> {
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name },
    getFreePriceConfig(),
    getFixedCreditsConfig(10n),
  );
  return planId;
}

const PAID_IDS = ["D40", "D41", "D42", "D43", "D44", "D45", "D46", "D47", "D48", "D49"];

describe("each check has an agent that fails this check only", () => {
  test("D01: nothing listens", async () => {
    const bench = await openBench();
    await bench.close();
    const { report } = await bench.examine();
    expect(idsOf(report.findings, "fail")).toEqual(["D01"]);
  });

  test.each(TRIED_AGENTS)("$id: $what", async ({ id, make }) => {
    const bench = await openBench();
    bench.answer(make(bench));
    const isPaid = PAID_IDS.includes(id);
    const before = await bench.balance();
    const { report } = await bench.examine(isPaid ? { maxCredits: CAP } : {});
    expect(
      wrongIn(report.findings).map((one) => one.slice(0, 3)),
      wrongIn(report.findings).join("\n"),
    ).toEqual([id]);
    expect(findingOf(report.findings, id).sentence).toMatch(/^\S.*[.;]$/);
    expect(before - (await bench.balance())).toBeLessThanOrEqual(isPaid ? CAP : 0n);
  });
});

describe("the cap", () => {
  test.each([
    [0n, 0n, PAID_IDS],
    [15n, 3n, ["D48", "D49", "D47"]],
    [24n, 4n, ["D48"]],
  ] as const)(
    "of %s credits is never exceeded, and skipped checks are named",
    async (cap, used, left) => {
      const bench = await openBench();
      const before = await bench.balance();
      const { report } = await bench.examine({ maxCredits: cap });
      expect(before - (await bench.balance())).toBeLessThanOrEqual(used);
      const skipped = idsOf(report.findings, "skip");
      expect(skipped).toEqual(expect.arrayContaining([...left]));
      for (const id of left)
        expect(findingOf(report.findings, id).sentence).toContain("agreed credits");
      expect(wrongIn(report.findings)).toEqual([]);
    },
  );

  longTest("holds against an agent that charges the maximum for every token", async () => {
    const bench = await openBench();
    const greedy = bench.gated({ credits: 5 });
    bench.answer(async (request) => {
      const answer = await greedy(request);
      const token = request.headers.get("payment-signature");
      if (!token || !answer.ok) return answer;
      for (let more = 0; more < 3; more++) {
        await bench.builder.payments.facilitator
          .settlePermissions(
            {
              paymentRequired: await bench.builder.payments.x402.buildPaymentRequired({
                planId: bench.planId,
                agentId: bench.agentId,
                endpoint: bench.url,
                httpVerb: "POST",
              }),
              x402AccessToken: token,
              maxAmount: "5",
              agentRequestId: `more-${crypto.randomUUID()}`,
            },
            { maxRetries: 0 },
          )
          .catch(() => null);
      }
      return answer;
    });
    const before = await bench.balance();
    const { report } = await bench.examine({ maxCredits: CAP });
    const used = before - (await bench.balance());
    expect(used).toBeGreaterThan(24n);
    expect(used).toBeLessThanOrEqual(CAP);
    expect(idsOf(report.findings, "fail")).toContain("D43");
  });

  longTest("applies the ordered terms, not the plan's current ones", async () => {
    const bench = await openBench();
    await bench.builder.payments.plans.updatePlan(bench.planId, {
      creditsConfig: getDynamicCreditsConfig(1_000n, 1n, 2n),
    });
    const greedy = bench.gated({ credits: 5 });
    bench.answer(greedy);
    const { report } = await bench.examine();
    expect(report.quote).toMatchObject({ upTo: "125" });
    const before = await bench.balance();
    const capped = await bench.examine({ maxCredits: 50n });
    expect(before - (await bench.balance())).toBeLessThanOrEqual(50n);
    expect(findingOf(capped.report.findings, "D48").sentence).toContain("could cost 100 credits");
  });

  test("is covered by orders of a test customer, who has no credits before", async () => {
    const bench = await openBench();
    const tester = await service.party({ testOf: bench.builder.address });
    const order = (planId: string) => tester.payments.plans.orderPlan(planId);
    const { report } = await bench.examine({ payer: tester, order });
    expect(report.quote).toMatchObject({ isPossible: true, upTo: "125", isTest: true });
    const paid = await bench.examine({ payer: tester, order, maxCredits: CAP });
    expect(wrongIn(paid.report.findings)).toEqual([]);
    expect(paid.report.paid).toMatchObject({ creditsUsed: "24" });
    const { delegation } = tester.payments;
    const { items } = await delegation.listDelegations();
    expect(items.map(({ status }) => status)).toEqual(["Revoked"]);
    expect(items[0]?.spendingLimitCents).toBe(0n);
  });

  test("does not matter without a matching plan", async () => {
    const bench = await openBench();
    const stranger = await service.party();
    const { report } = await bench.examine({ payer: stranger });
    expect(report.quote).toMatchObject({ isPossible: false });
    expect(findingOf(report.findings, "D40")).toMatchObject({
      state: "skip",
      sentence: 'You have no credits on the offered plans ("Starter").',
    });
  });
});

describe("an aborted run", () => {
  test("clears its fault and revokes its tokens if aborted during the failed settlement", async () => {
    const bench = await openBench();
    const left = new AbortController();
    const sound = bench.gated();
    bench.answer((request) => {
      if (service.lab.list().length > 0) left.abort();
      return sound(request);
    });
    await bench.examine({ maxCredits: CAP, signal: left.signal });
    expect(left.signal.aborted).toBe(true);
    await expectNothingLeft(bench, 4);
  });

  test("revokes its tokens and makes no more calls", async () => {
    const bench = await openBench();
    await bench.examine({ maxCredits: CAP, leaveAt: "Calling twenty times at once." });
    await expectNothingLeft(bench, 2);
    expect(bench.worked()).toBe(4);
  });
});

async function expectNothingLeft({ subscriber }: DoctorBench, tokens: number): Promise<void> {
  expect(service.lab.list()).toEqual([]);
  const { items } = await subscriber.payments.tokens.listTokens();
  expect(items.map(({ status }) => status)).toEqual(Array(tokens).fill("Revoked"));
}
