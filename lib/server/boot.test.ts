import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";
import { recordSettler } from "@/lib/adapters/db/chain/settlers.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { query } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { createTestDatabase } from "@/lib/adapters/db/testing/stores.ts";
import { resolvePayouts } from "@/lib/domain/money/resolve-payouts.ts";
import { resolveRenewals } from "@/lib/domain/money/resolve-renewals.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { startBackground } from "./background.ts";
import { type Booted, bootService } from "./boot.ts";
import { type Env, readEnv } from "./env.ts";
import { silentProgress } from "./progress.ts";

vi.mock("@/lib/adapters/db/chain/settlers.ts", { spy: true });
vi.mock("./background.ts", { spy: true });
vi.mock("@/lib/domain/money/resolve-payouts.ts", { spy: true });
vi.mock("@/lib/domain/money/resolve-renewals.ts", { spy: true });

const server = inject("postgresUrl");
const onPostgres = test.skipIf(!server);
let settings: Record<string, string>;
const open: Booted[] = [];

beforeEach(async () => {
  if (!server) return;
  vi.mocked(startBackground).mockClear();
  settings = {
    TURNPIKE_ENVIRONMENT: "live",
    PAYMENT_RAILS: "cards",
    TURNPIKE_SECRET_KEY: randomBytes(32).toString("hex"),
    TURNPIKE_ORIGIN: "https://pay.example",
    DATABASE_URL: await createTestDatabase(server, inject("postgresTemplate")),
    STRIPE_SECRET_KEY: "sk_live_1",
    STRIPE_PUBLISHABLE_KEY: "pk_live_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
    // Nothing listens there.
    STRIPE_API_BASE: "http://127.0.0.1:9",
    LOG_LEVEL: "silent",
  };
});
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

async function boot(env: Env, ...as: readonly ["tool"] | readonly []): Promise<Booted> {
  const booted = await bootService(env, silentProgress, ...as);
  open.push(booted);
  return booted;
}

onPostgres(
  "a tool leaves the port of the metrics, and the work that pays and sends, to the service",
  async () => {
    const door = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => door.once("listening", listening));
    const { port } = door.address() as AddressInfo;
    const env = readEnv({ ...settings, METRICS_PORT: String(port) });
    await expect(boot(env)).rejects.toThrow("METRICS_PORT");
    vi.mocked(startBackground).mockClear();
    const { ports } = await boot(env, "tool");
    expect(await ports.clock.now()).toBeInstanceOf(Date);
    expect(startBackground).not.toHaveBeenCalled();
    door.close();
  },
);

onPostgres(
  "a tool changes no database: it refuses one without tables or of an earlier release, and claims none",
  async () => {
    const { DATABASE_URL: url = "" } = settings;
    const asTool = () => boot(readEnv(settings), "tool");
    await asTool();
    expect(await query(url, "select * from made_for")).toEqual([]);

    await query(url, "update function_files set version = version - 1 where name = 'facts.sql'");
    await expect(asTool()).rejects.toThrow("of an earlier release");
    await query(url, "update function_files set version = version + 1 where name = 'facts.sql'");
    const newest = "select max(created_at) from drizzle.__drizzle_migrations";
    await query(url, `delete from drizzle.__drizzle_migrations where created_at = (${newest})`);
    await expect(asTool()).rejects.toThrow("upgrade the service first");

    settings.DATABASE_URL = await createTestDatabase(server);
    await expect(asTool()).rejects.toThrow("no tables of Turnpike. Correct DATABASE_URL");
    const made = "select nspname from pg_namespace where nspname = 'drizzle'";
    expect(await query(settings.DATABASE_URL, made)).toEqual([]);
  },
);

longTest(
  "the service records its settler, and a tool, which may have another key, records none",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-boot-"));
    vi.mocked(startBackground).mockReturnValueOnce({ stop: async () => {} });
    const env = readEnv({ TURNPIKE_DATA_DIR: folder, LOG_LEVEL: "silent" });
    try {
      for (const as of [["tool"], []] as const) {
        expect(recordSettler).not.toHaveBeenCalled();
        await (await boot(env, ...as)).close();
      }
      expect(recordSettler).toHaveBeenCalledOnce();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);

onPostgres(
  "a difference that is open stops sales from the first moment after a restart",
  async () => {
    const env = readEnv(settings);
    const database = await openDatabase({ url: settings.DATABASE_URL ?? "" });
    await database.query(
      `insert into differences (difference_id, kind, subject, detail, state, found_at)
     values ('paid_twice:1', 'paid_twice', '1', 'Order 1 was paid twice.', 'open', app_now())`,
      [],
    );
    await database.close();
    const { ports, comparison } = await boot(env);
    expect(ports.salesStop?.()).toContain("paid_twice");
    expect(comparison.probe.findDegraded?.()).toContain("paid_twice");
  },
);

longTest(
  "renewals and payouts of a schedule wait until the processor was compared and the chain's events were read",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-boot-"));
    const begun = vi.mocked(startBackground).mockReturnValue({ stop: async () => {} });
    const begin = [vi.mocked(resolveRenewals), vi.mocked(resolvePayouts)];
    try {
      await boot(readEnv({ TURNPIKE_DATA_DIR: folder, LOG_LEVEL: "silent" }));
      const work = begun.mock.lastCall?.[0] ?? [];
      const run = (name: string) => work.find((each) => each.name === name)?.run();
      const calls = async () => {
        await run("renewals");
        await run("payouts");
        return begin.map(({ mock }) => mock.calls.length);
      };
      for (const name of ["comparison", "comparison"]) await run(name);
      expect(await calls()).toEqual([0, 0]);
      await run("chain events");
      expect(await calls()).toEqual([1, 1]);
    } finally {
      for (const { close } of open.splice(0)) await close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
