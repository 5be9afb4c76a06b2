import { createMemoryQueue } from "@turnpike/payments";
import { getFixedCreditsConfig, getFreePriceConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { runAlerts } from "@/lib/domain/alerts/run-alerts.ts";
import { nextCheck } from "@/lib/domain/plans/check-schedule.ts";
import {
  createDemoAgent,
  DEMO_AGENT_PATH,
  PACK_PATH,
  PRICED_PATH,
} from "@/lib/sandbox/demo-agent.ts";
import { testOutbound } from "@/lib/server/outbound/note-test-calls.ts";
import { createDoctorBench, type DoctorBench } from "@/lib/server/testing/doctor-bench.ts";
import { createTestService, type TestService } from "@/lib/server/testing/test-service.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { createDailyChecks } from "./daily-checks.ts";

const DAY = 86_400;
const DAY_MS = DAY * 1_000;
const broken = () => new Response("down", { status: 500 });

describe.each(ruleStores())("daily checks on $name", { timeout: 60_000 }, ({ open }) => {
  let database: Database;
  let service: TestService;
  let benches: DoctorBench[] = [];

  beforeAll(async () => {
    database = await open();
    service = createTestService(database);
  });
  beforeEach(async () => {
    await database.query("update agents set check_due_at = null", []);
  });
  afterAll(async () => {
    await Promise.all(benches.map(({ close }) => close()));
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  /** An agent that counts the calls it gets. */
  async function openBench() {
    const bench = await createDoctorBench(service);
    benches = [...benches, bench];
    const made = { ...bench, calls: 0 };
    made.answer = (handle) =>
      bench.answer((request) => {
        made.calls += 1;
        return handle(request);
      });
    made.answer(bench.gated());
    return made;
  }
  type Bench = Awaited<ReturnType<typeof openBench>>;

  const replica = ({ outbound }: DoctorBench, runMs?: number) =>
    createDailyChecks({
      ports: service.ports,
      outbound: testOutbound(outbound, service.ports),
      ...(runMs !== undefined && { runMs }),
    });
  const switchTo = ({ builder, agentId }: Bench, isOn: boolean) =>
    builder.market.setCheckSchedule({ agentId, isOn });
  const read = ({ builder, agentId }: Bench) => builder.market.getCheckSchedule({ agentId });
  const aDayLater = async (...replicas: ReturnType<typeof createDailyChecks>[]) => {
    await service.ports.clock.advance(DAY);
    await Promise.all(replicas.map(({ run }) => run()));
    await Promise.all(replicas.map(({ idle }) => idle()));
    while ((await runAlerts(service.ports)) > 0);
  };
  const alertsOf = async ({ builder }: Bench) => {
    const { items } = await builder.payments.alerts.listAlerts({ limit: 100 });
    return items.filter(({ kind }) => kind === "doctor-failing").map(({ status }) => status);
  };

  test("a broken agent opens one alert, and one that works again closes it", async () => {
    const bench = await openBench();
    expect(await read(bench)).toEqual({ isOn: false });
    const { nextAt = "" } = await switchTo(bench, true);
    const now = (await service.ports.clock.now()).getTime();
    expect(Date.parse(nextAt)).toBeGreaterThan(now);
    expect(Date.parse(nextAt)).toBeLessThanOrEqual(now + DAY_MS);
    const checks = replica(bench);
    expect(await checks.run()).toBe(0);

    await aDayLater(checks);
    const { last, nextAt: then = "" } = await read(bench);
    expect(last?.passed).toBe(last?.checks);
    expect(last?.checks).toBeGreaterThan(15);
    expect((Date.parse(then) - Date.parse(nextAt)) % DAY_MS).toBe(0);
    expect(await alertsOf(bench)).toEqual([]);

    bench.answer(broken);
    await aDayLater(checks);
    await aDayLater(checks);
    expect(await alertsOf(bench)).toEqual(["open"]);

    bench.answer(bench.gated());
    await aDayLater(checks);
    expect(await alertsOf(bench)).toEqual(["closed"]);
    expect(bench.worked()).toBe(0);
  });

  test("an agent whose offer nests too deeply has failed, and is checked on the next day", async () => {
    const bench = await openBench();
    const depth = 8_000;
    const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const offer = `{"scheme":"exact","network":"eip155:1","extra":{"a":${nested}}}`;
    const header = btoa(`{"x402Version":2,"accepts":[${offer}]}`);
    bench.answer(
      () => new Response("{}", { status: 402, headers: { "payment-required": header } }),
    );
    await switchTo(bench, true);
    await aDayLater(replica(bench));
    const { last, nextAt = "" } = await read(bench);
    expect(last?.passed).toBeLessThan(last?.checks ?? 0);
    expect(Date.parse(nextAt)).toBeGreaterThan((await service.ports.clock.now()).getTime());
    expect(await alertsOf(bench)).toEqual(["open"]);
  });

  test("two replicas make one run", async () => {
    const bench = await openBench();
    await switchTo(bench, true);
    await aDayLater(replica(bench));
    const once = bench.calls;
    await aDayLater(replica(bench), replica(bench), replica(bench));
    expect(bench.calls).toBe(2 * once);
  });

  longTest("an agent that hangs is stopped and has failed, while others are checked", async () => {
    const hanging = await openBench();
    const other = await openBench();
    hanging.answer(() => new Promise<Response>(() => {}));
    await switchTo(hanging, true);
    await switchTo(other, true);
    await aDayLater(replica(other, 1_500));
    expect(await alertsOf(hanging)).toEqual(["open"]);
    const { last } = await read(other);
    expect(last?.checks).toBeGreaterThan(15);
  });

  test("what a stopped process broke off is checked once its lease has ended", async () => {
    const bench = await openBench();
    await switchTo(bench, true);
    let isAsked = () => {};
    const asked = new Promise<void>((give) => {
      isAsked = give;
    });
    bench.answer(() => {
      isAsked();
      return new Promise<Response>(() => {});
    });
    const first = replica(bench);
    await service.ports.clock.advance(DAY);
    await first.run();
    await asked;
    await first.stop();
    expect((await read(bench)).last).toBeUndefined();

    bench.answer(bench.gated());
    const second = replica(bench);
    expect(await second.run()).toBe(0);
    await service.ports.clock.advance(400);
    expect(await second.run()).toBe(1);
    await second.idle();
    const { last } = await read(bench);
    expect(last?.passed).toBe(last?.checks);
  });

  test("a check that ended with its process twice is made again on the next day", async () => {
    const bench = await openBench();
    const { nextAt: due = "" } = await switchTo(bench, true);
    const untilDueMs = Date.parse(due) - (await service.ports.clock.now()).getTime();
    await service.ports.clock.advance(Math.ceil(untilDueMs / 1_000));
    const breakOff = async () => {
      let isAsked = () => {};
      const asked = new Promise<void>((give) => {
        isAsked = give;
      });
      bench.answer(() => {
        isAsked();
        return new Promise<Response>(() => {});
      });
      const checks = replica(bench);
      expect(await checks.run()).toBe(1);
      await asked;
      await checks.stop();
      await service.ports.clock.advance(400);
    };
    await breakOff();
    await breakOff();
    expect(await replica(bench).run()).toBe(0);
    const { nextAt = "" } = await read(bench);
    const now = await service.ports.clock.now();
    expect(nextAt).toBe(nextCheck(bench.agentId, now).toISOString());

    bench.answer(bench.gated());
    await aDayLater(replica(bench));
    const { last } = await read(bench);
    expect(last?.passed).toBe(last?.checks);
  });

  test("an agent whose check is off, or that is archived, is not called", async () => {
    const off = await openBench();
    const archived = await openBench();
    await switchTo(off, true);
    await switchTo(off, false);
    await switchTo(archived, true);
    await archived.builder.payments.agents.archiveAgent(archived.agentId);
    await aDayLater(replica(off));
    expect([off.calls, archived.calls]).toEqual([0, 0]);
    expect(await read(archived)).toEqual({ isOn: true });
    await archived.builder.payments.agents.restoreAgent(archived.agentId);
    await aDayLater(replica(off));
    expect(archived.calls).toBeGreaterThan(0);
  });

  test("nothing is noted once the check was switched off during a run", async () => {
    const bench = await openBench();
    await switchTo(bench, true);
    let isOff = false;
    const sound = bench.gated();
    bench.answer(async (request) => {
      if (!isOff) await switchTo(bench, false);
      isOff = true;
      return sound(request);
    });
    await aDayLater(replica(bench));
    expect(await read(bench)).toEqual({ isOn: false });
  });

  test("only its owner switches the check of an agent", async () => {
    const bench = await openBench();
    const { agentId, subscriber } = bench;
    const refused = { code: "not_found" };
    await expect(subscriber.market.setCheckSchedule({ agentId, isOn: true })).rejects.toMatchObject(
      refused,
    );
    await expect(subscriber.market.getCheckSchedule({ agentId })).rejects.toMatchObject(refused);
    expect(await read(bench)).toEqual({ isOn: false });
  });

  test("the builder's figures leave the checks out", async () => {
    // The clock of a gate, which dates its reports, can't be moved: a database whose clock was not moved either.
    const database = await open();
    const service = createTestService(database);
    const bench = await createDoctorBench(service);
    const { builder, planId: crypto } = bench;
    const [card = "", trial = ""] = await Promise.all(
      ["Other", "Trial"].map(async (name) => {
        const terms = [getFreePriceConfig(), getFixedCreditsConfig(10n)] as const;
        return (await builder.payments.plans.registerCreditsPlan({ name }, ...terms)).planId;
      }),
    );
    // Its route with a price asks for a plan that no agent lists.
    const plans = { crypto, card, trial };
    const urlOf = (path: string) => new URL(path, bench.url).href;
    const paths = [DEMO_AGENT_PATH, PRICED_PATH, PACK_PATH];
    const { agentId } = await builder.payments.agents.registerAgent(
      { name: "Reader" },
      { endpoints: paths.map((path) => ({ POST: urlOf(path) })) },
      Object.values(plans),
    );
    const demo = createDemoAgent(
      builder.payments,
      { plans, agent: { agentId, url: urlOf(DEMO_AGENT_PATH) } },
      { queue: createMemoryQueue(), logger: { error: () => {} } },
    );
    let challenges = 0;
    bench.answer(async (request) => {
      const answer = await demo.fetch(request);
      challenges += answer.status === 402 ? 1 : 0;
      return answer;
    });
    await builder.market.setCheckSchedule({ agentId, isOn: true });
    await database.query("update agents set check_due_at = app_now() - interval '1 minute'", []);
    const outbound = testOutbound(bench.outbound, service.ports);
    const checks = createDailyChecks({ ports: service.ports, outbound });
    await checks.run();
    await checks.idle();
    expect(challenges).toBeGreaterThan(10);
    const funnel = (includeTest: boolean) =>
      builder.figures.getFunnel({ range: "24h", includeTest });
    const isReported = async () => {
      const { challenged, refused } = await funnel(true);
      return challenged + refused === challenges ? true : undefined;
    };
    await pollUntil(isReported, { timeoutMs: 20_000 });
    // The checks are told from other calls once their reports are written.
    const isLeftOut = async () => {
      const { challenged, refused } = await funnel(false);
      return challenged + refused === 0 ? true : undefined;
    };
    await pollUntil(isLeftOut, { timeoutMs: 20_000 });
    expect(await funnel(false)).toMatchObject({ challenged: 0, refused: 0, verified: 0 });
    await bench.close();
    await database.close();
  });

  test("thousands of agents are spread over the day", () => {
    const now = new Date("2026-11-23T16:00:00Z");
    const perHour = new Map<number, number>();
    for (let n = 0; n < 5_000; n += 1) {
      const at = nextCheck(service.ports.crypto.randomUint(), now);
      const hour = Math.floor((at.getTime() - now.getTime()) / 3_600_000);
      perHour.set(hour, (perHour.get(hour) ?? 0) + 1);
    }
    expect(perHour.size).toBe(24);
    expect(Math.max(...perHour.values())).toBeLessThan(300);
  });
});
