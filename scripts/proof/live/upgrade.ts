import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Payments } from "@turnpike/payments";
import {
  buildPaymentRequired,
  getFixedCreditsConfig,
  getFreePriceConfig,
} from "@turnpike/payments/protocol";
import pg from "pg";
import type { Preflight } from "../../../lib/server/preflight/preflight.ts";
import { freePort } from "../../../lib/testing/free-port.ts";
import { openAccount } from "./pay.ts";
import {
  isTrusting,
  type LiveWorld,
  openLiveWorld,
  runTool,
  SERVICE,
  type Settings,
  startLive,
} from "./world.ts";

// The release before, in a separate folder, makes a database and a chain; this release takes both over while it runs.
const PREVIOUS = "635bfbe0";
const ENDPOINT = "https://agent.example/ask";

async function prove(): Promise<void> {
  const release = checkOut();
  const world = await openLiveWorld(release);
  const { settings, origin } = world;
  // As the guide says: of both endpoints, which the release before did not have.
  const ours = { ...settings, STRIPE_WEBHOOK_SECRET: world.cards.webhookSecrets.join(",") };
  const previous = await startLive(SERVICE, { cwd: release, settings, origin });
  try {
    const settle = await openMarket(world, release);
    for (let call = 0; call < 20; call += 1) await settle(origin);
    // The new replica migrates while the one before goes on answering.
    const port = String(await freePort());
    const direct = `http://127.0.0.1:${port}`;
    const failures: unknown[] = [];
    let isRolling = true;
    let during = 0;
    const calls = (async () => {
      while (isRolling) {
        await settle(origin).then(
          () => (during += 1),
          (cause) => failures.push(cause),
        );
      }
    })();
    const next = await startLive(SERVICE, {
      settings: { ...ours, PORT: port },
      origin: direct,
    });
    for (let call = 0; call < 20; call += 1)
      await settle(direct).catch((cause) => failures.push(cause));
    // The release before does not know what these tokens sign: the terms of their orders.
    const settleNew = await openMarket({ ...world, origin: direct }, ".");
    await settleNew(direct);
    const isRead = await settleNew(origin).then(
      () => true,
      () => false,
    );
    isRolling = false;
    await calls;
    const codes = [await previous.stop(), await next.stop()];
    const again = await startLive(SERVICE, { settings: ours, origin });
    await settle(origin);
    await (await openMarket(world, "."))(origin);
    const failed = await failedChecks(ours).finally(() => again.stop());
    const broken = await brokenRules(settings.DATABASE_URL ?? "");
    console.log(
      `upgrade from ${PREVIOUS}: ${during} calls during the rollout, ${failures.length} failed, the replica before ${isRead ? "reads" : "refuses"} tokens of the new one, ${broken} broken rules, a paid call on a new plan, preflight names ${failed}, exits ${codes.join(" and ")}`,
    );
    if (failures.length > 0) throw failures[0];
  } finally {
    await previous.stop();
    await world.stop();
    rmSync(release, { recursive: true, force: true });
  }
}

/** The tree of the release before, with our packages. */
function checkOut(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-release-"));
  const tree = execFileSync("git", ["archive", PREVIOUS], { maxBuffer: 512 * 1024 * 1024 });
  execFileSync("tar", ["-x", "-C", folder], { input: tree });
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return folder;
}

/** A free plan, an agent and a token, all made by the release before; answers a function that pays one call. */
async function openMarket(
  world: LiveWorld,
  release: string,
): Promise<(at: string) => Promise<void>> {
  const [builder, subscriber] = [
    await openAccount(world, release),
    await openAccount(world, release),
  ];
  const { planId } = await builder.payments.plans.registerCreditsPlan(
    { name: "Starter" },
    getFreePriceConfig(),
    getFixedCreditsConfig(100_000n, 1n),
  );
  const { agentId } = await builder.payments.agents.registerAgent(
    { name: "Reader" },
    { endpoints: [{ POST: ENDPOINT }], agentDefinitionUrl: "https://agent.example/openapi.json" },
    [planId],
  );
  await subscriber.payments.plans.orderPlan(planId);
  const { accessToken } = await subscriber.payments.x402.getX402AccessToken(planId, agentId, {
    redemptionLimit: 100_000,
  });
  const paymentRequired = buildPaymentRequired({
    planId,
    agentId,
    endpoint: ENDPOINT,
    httpVerb: "POST",
    network: "eip155:8453",
  });
  const { apiKey } = builder;
  return async (baseUrl) => {
    const payments = Payments.getInstance({ apiKey, environment: "live", baseUrl });
    const { success } = await payments.facilitator.settlePermissions({
      paymentRequired,
      x402AccessToken: accessToken,
      agentRequestId: randomUUID(),
    });
    if (!success) throw new Error("settle was refused");
  };
}

/** What preflight finds: contracts that the release did not have, and that its own give the settler every role. */
async function failedChecks(settings: Settings): Promise<string> {
  const printed = await runTool(["scripts/preflight.ts", "--json", "--no-call"], settings, {
    allowed: [1],
  });
  const { checks } = JSON.parse(printed) as Pick<Preflight, "checks">;
  const failed = checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
  if (failed.join() === "later contracts,roles") return "later contracts and roles alone";
  const causes = checks.flatMap(({ name, ok, cause }) => (ok ? [] : [`${name}: ${cause}`]));
  throw new Error(`Preflight fails. ${causes.join(" ")}`);
}

async function brokenRules(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("select rule from broken_invariants() where broken > 0");
  await client.end();
  return rows.length;
}

if (isTrusting(import.meta.filename)) await prove();
