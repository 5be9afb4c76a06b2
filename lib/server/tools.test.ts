import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createTransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { createChainClient } from "@/lib/adapters/chain/chain-client.ts";
import { readDeployment } from "@/lib/adapters/chain/deployment.ts";
import { setOrdersPaused } from "@/lib/adapters/chain/operator.ts";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { startEmbeddedProcessor } from "@/lib/sandbox/card-processor/start-embedded-processor.ts";
import { startEmbeddedChain } from "@/lib/sandbox/chain/embedded-chain.ts";

const server = inject("postgresUrl");
const CHAIN_ID = 8453;
const SLOW_MS = 180_000;
const key = () => randomBytes(32).toString("hex");

/** Postgres behind a door that notes how long each connection gives a statement. */
async function watchTimeouts(url: string) {
  const to = new URL(url);
  const timeouts = new Set<string>();
  const door = createServer((incoming) => {
    const onward = connect(Number(to.port), to.hostname);
    incoming.once("data", (first) => {
      const [, timeout] = /statement_timeout\0(\d+)\0/.exec(first.toString("latin1")) ?? [];
      if (timeout) timeouts.add(timeout);
    });
    incoming.pipe(onward).pipe(incoming);
    for (const socket of [incoming, onward]) {
      socket.on("error", () => [incoming, onward].map((each) => each.destroy()));
    }
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  const through = new URL(url);
  Object.assign(through, {
    hostname: "127.0.0.1",
    port: (door.address() as { port: number }).port,
  });
  return { url: through.href, timeouts, close: () => door.close() };
}

/** The card processor, with live keys. */
function startCards(dataDir: string) {
  mkdirSync(dataDir);
  const keys = {
    secretKey: `sk_live_${key()}`,
    publishableKey: `pk_live_${key()}`,
    webhookSecret: `whsec_${key()}`,
  };
  writeFileSync(join(dataDir, "keys.json"), JSON.stringify(keys), { mode: 0o600 });
  return startEmbeddedProcessor({ dataDir });
}

/** What live needs, on this machine: Postgres, a chain and a card processor. */
async function openWorld(postgres: string) {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-tools-"));
  const [chain, cards] = await Promise.all([
    startEmbeddedChain({ dataDir: join(folder, "chain"), chainId: CHAIN_ID }),
    startCards(join(folder, "cards")),
  ]);
  const settlerKey = key();
  await chain.fund(privateKeyToAddress(`0x${settlerKey}`), 10n ** 20n);
  const newDatabase = () => createTestDatabase(postgres, inject("postgresTemplate"));
  const door = await watchTimeouts(await newDatabase());
  const shared = {
    TURNPIKE_ENVIRONMENT: "live",
    TURNPIKE_SECRET_KEY: key(),
    TURNPIKE_ORIGIN: "https://pay.example",
    TURNPIKE_WORKERS: "2",
  };
  return {
    folder,
    onChain: {
      ...shared,
      PAYMENT_RAILS: "crypto",
      DATABASE_URL: await newDatabase(),
      CHAIN_RPC_URL: chain.rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      SETTLER_PRIVATE_KEY: settlerKey,
      DEPLOYMENTS_FILE: join(folder, "deployments.json"),
    },
    onCards: {
      ...shared,
      PAYMENT_RAILS: "cards",
      DATABASE_URL: door.url,
      STRIPE_SECRET_KEY: cards.secretKey,
      STRIPE_PUBLISHABLE_KEY: cards.publishableKey,
      STRIPE_WEBHOOK_SECRET: cards.webhookSecrets.join(","),
      STRIPE_API_BASE: cards.apiBase,
    },
    /** Pauses orders with an administrator's key. */
    async pauseOrders(adminKey: `0x${string}`) {
      const deployment = readDeployment(join(folder, "deployments.json"), CHAIN_ID);
      const settler = privateKeyToAccount(adminKey);
      await chain.fund(settler.address, 10n ** 18n);
      const client = createChainClient({ rpcUrl: chain.rpcUrl, chainId: CHAIN_ID });
      const sender = createTransactionSender({ client, settler });
      if (!deployment) throw new Error("No contracts were deployed.");
      await setOrdersPaused({ client, deployment, sender }, true);
    },
    /** What connections of the card settings gave a statement. */
    timeouts: door.timeouts,
    async close() {
      await cards.stop();
      await chain.stop();
      door.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Ended = { code: number; stdout: string; stderr: string };

/** Runs a tool with these settings and nothing else of the environment. */
async function runTool(settings: Record<string, string>, ...args: string[]): Promise<Ended> {
  const { PATH } = process.env;
  const env = { PATH, NODE_ENV: "production" as const, ...settings };
  const node = ["--import", "./scripts/typescript.mjs", ...args];
  const ended = promisify(execFile)(process.execPath, node, { env });
  return ended.then(
    (output) => ({ code: 0, ...output }),
    (cause: Ended) => cause,
  );
}

const AGREED = { code: 0, stderr: "" };

describe.skipIf(!server)("with one payment rail and TURNPIKE_WORKERS", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld(server ?? "");
  }, SLOW_MS);
  afterAll(() => world?.close());

  test(
    "chain:deploy deploys, and repair and reconcile compare with the chain alone",
    async () => {
      const { onChain } = world;
      const adminKey = `0x${key()}` as const;
      const admin = privateKeyToAddress(adminKey);
      const deployed = await runTool(onChain, "scripts/chain-deploy.ts", "--admin", admin);
      // 2 where the administrator has yet to grant a role.
      expect([0, 2], deployed.stderr).toContain(deployed.code);
      expect(JSON.parse(deployed.stdout)).toMatchObject({ chainId: CHAIN_ID });
      const repaired = await runTool(onChain, "scripts/repair.ts");
      expect(repaired).toMatchObject({ ...AGREED, stdout: "Ledger and chain agree.\n" });
      const compared = await runTool(onChain, "scripts/reconcile.ts");
      expect(compared).toMatchObject(AGREED);
      expect(JSON.parse(compared.stdout)).toMatchObject({ difference: "0", openFindings: 0 });

      // Sales stop for what an administrator did, and repair does not call that agreement.
      await world.pauseOrders(adminKey);
      const open = await runTool(onChain, "scripts/repair.ts");
      expect(open.code).toBe(1);
      expect(open.stdout).toContain("PERSON    Orders were paused by");
      expect(open.stdout).not.toContain("agree");
    },
    SLOW_MS,
  );

  test(
    "repair and reconcile compare with the card processor alone",
    async () => {
      const repaired = await runTool(world.onCards, "scripts/repair.ts");
      expect(repaired).toMatchObject({ ...AGREED, stdout: "Ledger and card processor agree.\n" });
      const compared = await runTool(world.onCards, "scripts/reconcile.ts");
      expect(compared).toMatchObject(AGREED);
      expect(JSON.parse(compared.stdout)).toMatchObject({ openDifferences: 0 });
    },
    SLOW_MS,
  );

  test(
    "refund names what it can't refund, and exits with 1",
    async () => {
      const file = join(world.folder, "calls.csv");
      writeFileSync(file, "request_key,customer\n0x1/no-such-call,0x2\n");
      const ended = await runTool(world.onCards, "scripts/refund.ts", file, "--apply");
      expect(ended).toMatchObject({ code: 1, stderr: "" });
      expect(ended.stdout).toBe(
        "PERSON    There is no settled call 0x1/no-such-call.\n          0x1/no-such-call\n",
      );
      const missing = await runTool(world.onCards, "scripts/refund.ts", "no-such-file");
      expect(missing).toMatchObject({ code: 1, stdout: "" });
      expect(missing.stderr).not.toContain("    at ");
    },
    SLOW_MS,
  );

  test.each(["repair", "rotate-keys"])(
    "%s has minutes for one statement",
    async (tool) => {
      world.timeouts.clear();
      expect(await runTool(world.onCards, `scripts/${tool}.ts`)).toMatchObject(AGREED);
      expect(world.timeouts.size).toBeGreaterThan(0);
      for (const timeout of world.timeouts) expect(Number(timeout)).toBeGreaterThan(120_000);
    },
    SLOW_MS,
  );
});
