import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { privateKeyToAddress } from "viem/accounts";
import {
  METHOD_NOT_FOUND,
  startNodeInFront,
} from "../../../lib/adapters/chain/testing/node-in-front.ts";
import { startControlledProcessor } from "../../../lib/sandbox/card-processor/testing/controlled-processor.ts";
import { preflight } from "../../../lib/server/preflight/preflight.ts";
import {
  isTrusting,
  type LiveWorld,
  openLiveWorld,
  runTool,
  SERVICE,
  type Settings,
  startLive,
} from "./world.ts";

// Breaks one thing of a live deployment at a time and asks which check names it; then everything holds.
type Broken = {
  /** The check that must fail, and what its cause must say. */
  check: string;
  cause: RegExp;
  settings?: Settings;
  /** Breaks a part; the answer restores it. */
  break?: (world: LiveWorld) => Promise<() => Promise<unknown>>;
  now?: () => Date;
};

const other = "11".repeat(31).concat("22");
const random = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const inDatabase = (doing: string, undoing: string) => async (world: LiveWorld) => {
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: world.settings.DATABASE_URL });
    await client.connect();
    await client.query("set default_transaction_read_only = off");
    await client.query(text);
    await client.end();
  };
  await run(doing);
  return () => run(undoing);
};
const databaseSetting = (name: string, value: string) =>
  inDatabase(
    `alter database turnpike set ${name} = '${value}'`,
    `alter database turnpike reset ${name}`,
  );
const afterDays = (days: number) => () => new Date(Date.now() + days * 86_400_000);

const withSettings = (check: string, cause: RegExp, settings: Settings): Broken => ({
  check,
  cause,
  settings,
});

const BROKEN: Record<string, Broken> = {
  "a missing setting": withSettings("settings", /DATABASE_URL/, { DATABASE_URL: "" }),
  "a sandbox": withSettings("settings", /not live/, { TURNPIKE_ENVIRONMENT: "sandbox" }),
  "a short key": withSettings("settings", /TURNPIKE_SECRET_KEY: Expected 32 bytes/, {
    TURNPIKE_SECRET_KEY: "abcd",
  }),
  "a test key of the processor": withSettings("settings", /test key/, {
    STRIPE_SECRET_KEY: "sk_test_1",
  }),
  "a key that can be guessed": withSettings("secret key", /guessed/, {
    TURNPIKE_SECRET_KEY: other,
  }),
  "another root key": withSettings("sealed data", /does not open/, { TURNPIKE_SECRET_KEY: random }),
  "no database": withSettings("database version", /ECONNREFUSED/, {
    DATABASE_URL: "postgres://none@127.0.0.1:9/none",
  }),
  "serializable isolation": {
    check: "database settings",
    cause: /serializable/,
    break: databaseSetting("default_transaction_isolation", "serializable"),
  },
  "commits that are not flushed": {
    check: "database settings",
    cause: /synchronous_commit/,
    break: databaseSetting("synchronous_commit", "off"),
  },
  "a read-only database": {
    check: "database settings",
    cause: /read-only/,
    break: databaseSetting("default_transaction_read_only", "on"),
  },
  "clocks apart": { check: "clocks", cause: /differ by/, now: () => new Date(Date.now() + 60_000) },
  "too few connections": {
    check: "database connections",
    cause: /allows 20/,
    break: inDatabase(
      "alter role current_user connection limit 20",
      "alter role current_user connection limit -1",
    ),
  },
  "a database of other contracts": {
    check: "contracts of the data",
    cause: /made for the contracts of chain 8453/,
    break: inDatabase(
      "update made_for set plans = '0x00000000000000000000000000000000000000aa-' || plans",
      "update made_for set plans = substr(plans, 44)",
    ),
  },
  "no chain": withSettings("chain", /does not answer/, { CHAIN_RPC_URL: "http://127.0.0.1:9" }),
  "another chain": withSettings("chain", /is chain 8453, and CHAIN_ID is 137/, { CHAIN_ID: "137" }),
  "a chain that stands still": { check: "chain time", cause: /minutes from/, now: afterDays(1) },
  "no contracts in the file": withSettings("contracts", /names no contracts/, {
    DEPLOYMENTS_FILE: "/nowhere.json",
  }),
  "contracts without code": {
    check: "contracts",
    cause: /no code at credits/,
    break: (world) => withFile(world, { credits: `0x${"ab".repeat(20)}` }),
  },
  "a token without code": {
    check: "stablecoin",
    cause: /no code at usdc/,
    break: (world) => withFile(world, { usdc: `0x${"cd".repeat(20)}` }),
  },
  "a node without events": {
    check: "chain events",
    cause: /does not answer eth_getLogs/,
    break: withoutMethod("eth_getLogs"),
  },
  "a node without simulation": {
    check: "chain simulation",
    cause: /does not answer eth_simulateV1/,
    break: withoutMethod("eth_simulateV1"),
  },
  "another settler": withSettings("roles", /does not hold REGISTRAR_ROLE/, {
    SETTLER_PRIVATE_KEY: random,
  }),
  "a settler without coin": {
    check: "gas",
    cause: /holds 0/,
    async break({ rpc, settings }) {
      const settler = privateKeyToAddress(`0x${settings.SETTLER_PRIVATE_KEY}`);
      await rpc("anvil_setBalance", [settler, "0x0"]);
      return () => rpc("anvil_setBalance", [settler, "0x56bc75e2d63100000"]);
    },
  },
  "a key that the processor refuses": withSettings("card keys", /refuses/, {
    STRIPE_SECRET_KEY: "sk_live_other",
  }),
  "a publishable test key": withSettings("card keys", /test key/, {
    STRIPE_PUBLISHABLE_KEY: "pk_test_1",
  }),
  "a processor without the webhook": {
    check: "card webhook",
    cause: /no webhook endpoint/,
    break: withoutWebhook,
  },
  "another webhook secret": withSettings("webhook secret", /answers 400/, {
    STRIPE_WEBHOOK_SECRET: "whsec_other",
  }),
  "an origin without TLS": withSettings("origin", /without TLS/, {
    TURNPIKE_ORIGIN: "http://localhost",
  }),
  "a certificate that ends soon": { check: "TLS", cause: /expires in/, now: afterDays(29) },
  "a certificate of another name": {
    check: "TLS",
    cause: /No trusted connection/,
    break: async (world) => {
      const before = world.settings.TURNPIKE_ORIGIN ?? "";
      world.settings.TURNPIKE_ORIGIN = before.replace("localhost", "127.0.0.1");
      return async () => {
        world.settings.TURNPIKE_ORIGIN = before;
      };
    },
  },
  "no proxy counted": withSettings("proxy", /TRUSTED_PROXIES is 0/, { TRUSTED_PROXIES: "0" }),
};

/** Another node of the chain, which does not offer a method. */
function withoutMethod(missing: string) {
  return async ({ settings }: LiveWorld) => {
    const right = settings.CHAIN_RPC_URL ?? "";
    const node = await startNodeInFront(
      () => right,
      ({ method }) => (method === missing ? METHOD_NOT_FOUND : undefined),
    );
    settings.CHAIN_RPC_URL = node.rpcUrl;
    return async () => {
      settings.CHAIN_RPC_URL = right;
      node.close();
    };
  };
}

/** Another file of contracts in place of the right one. */
async function withFile({ folder, settings }: LiveWorld, changes: object) {
  const right = settings.DEPLOYMENTS_FILE ?? "";
  const { default: file } = await import(right, { with: { type: "json" } });
  const wrong = join(folder, `wrong-${Object.keys(changes)}.json`);
  writeFileSync(wrong, JSON.stringify({ "8453": { ...file["8453"], ...changes } }));
  settings.DEPLOYMENTS_FILE = wrong;
  return async () => {
    settings.DEPLOYMENTS_FILE = right;
  };
}

/** Another processor that takes the same keys and has no endpoint. */
async function withoutWebhook({ folder, settings }: LiveWorld) {
  const dataDir = join(folder, "other-cards");
  cpSync(join(folder, "cards/keys.json"), join(dataDir, "keys.json"));
  const bare = await startControlledProcessor({ dataDir });
  bare.controls.setPayoutInterval("manual");
  const right = settings.STRIPE_API_BASE ?? "";
  settings.STRIPE_API_BASE = bare.apiBase;
  return async () => {
    settings.STRIPE_API_BASE = right;
    await bare.stop();
  };
}

async function prove(): Promise<void> {
  const world = await openLiveWorld();
  const { settings, origin } = world;
  const service = await startLive(SERVICE, {
    settings: { ...settings, NODE_ENV: "production" },
    origin,
  });
  const wrong: string[] = [];
  try {
    // Something to seal.
    await runTool(["scripts/preflight.ts"], settings);
    for (const [name, broken] of Object.entries(BROKEN)) {
      const restore = await broken.break?.(world);
      const result = await preflight({
        source: { ...settings, ...broken.settings },
        withoutCall: true,
        ...(broken.now && { now: broken.now }),
      });
      await restore?.();
      const found = result.checks.find((each) => each.name === broken.check);
      const isNamed =
        !result.ok &&
        !found?.ok &&
        broken.cause.test(found?.cause ?? "") &&
        (found?.remedy ?? "") !== "";
      console.log(
        `${isNamed ? "ok   " : "WRONG"} ${name}: ${found?.cause ?? JSON.stringify(result.checks)}`,
      );
      if (!isNamed) wrong.push(name);
    }
    const green = JSON.parse(await runTool(["scripts/preflight.ts", "--json"], settings)) as {
      ok: boolean;
      checks: unknown[];
    };
    const named = Object.keys(BROKEN).length - wrong.length;
    console.log(
      `preflight: ${named} of ${Object.keys(BROKEN).length} broken set-ups named; ${green.ok ? "green" : "red"} on ${green.checks.length} checks with a paid call`,
    );
    if (wrong.length > 0 || !green.ok) process.exitCode = 1;
  } finally {
    await service.stop();
    await world.stop();
  }
}

if (isTrusting(import.meta.filename)) await prove();
