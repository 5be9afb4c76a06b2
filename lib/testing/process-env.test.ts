import { expect, test } from "vitest";
import { readEnv } from "@/lib/server/env.ts";
import { forgetSettings, serviceEnv, withoutSettings } from "./process-env.ts";

const EXPORTED = {
  NODE_ENV: "test" as const,
  PATH: "/usr/bin",
  HOME: "/home/dev",
  https_proxy: "http://proxy:3128",
  DATABASE_URL: "postgres://dev@localhost/shop",
  DATABASE_REPLICA_URL: "postgres://dev@localhost/copy",
  PGHOST: "db.example",
  TURNPIKE_ENVIRONMENT: "live",
  TURNPIKE_API_KEY: "svc-live:key",
  TURNPIKE_SANDBOX_JSON: "/tmp/sandbox.json",
  STRIPE_SECRET_KEY: "sk_live_1",
  CHAIN_RPC_URL: "https://mainnet.example",
  TURNPIKE_SMTP_URL: "smtps://mail.example",
};

test("a service that a test starts has no setting of the developer", () => {
  const env = serviceEnv({ PORT: "4000", TURNPIKE_DATA_DIR: "/tmp/x" }, EXPORTED);
  expect(env).toMatchObject({
    PATH: "/usr/bin",
    HOME: "/home/dev",
    https_proxy: "http://proxy:3128",
    NODE_ENV: "production",
    // Set, so that `.env` cannot set them either.
    DATABASE_URL: " ",
    STRIPE_SECRET_KEY: " ",
    TURNPIKE_ENVIRONMENT: "sandbox",
    PORT: "4000",
  });
  const values = Object.values(env).join(" ");
  for (const own of ["dev@localhost", "db.example", "live", "mainnet", "mail.example"]) {
    expect(values).not.toContain(own);
  }
  expect(readEnv(env)).toMatchObject({ environment: "sandbox", port: 4000 });
});

test("the settings of a test are the service's, whatever is exported", () => {
  const own = "postgres://turnpike@127.0.0.1:5999/test";
  expect(serviceEnv({ DATABASE_URL: own }, EXPORTED).DATABASE_URL).toBe(own);
});

test("commands beside a sandbox keep their environment without settings", () => {
  const env = withoutSettings({ ...EXPORTED, VENDOR_SDK: "/sdk" });
  const { PATH, HOME, https_proxy, PGHOST, NODE_ENV } = EXPORTED;
  expect(env).toEqual({ PATH, HOME, https_proxy, PGHOST, NODE_ENV, VENDOR_SDK: "/sdk" });
});

test("tests see no setting of the developer, and still which sandbox was started for them", () => {
  const seen = (given: NodeJS.ProcessEnv) => {
    const env = { ...given };
    forgetSettings(env);
    return Object.keys(env).filter((name) => /TURNPIKE|STRIPE|DATABASE|CHAIN/.test(name));
  };
  expect(seen({ ...EXPORTED, TURNPIKE_URL: "https://pay.example" })).toEqual([]);
  const started = { TURNPIKE_URL: "http://127.0.0.1:4000", TURNPIKE_E2E_DATA_DIR: "/tmp/data" };
  expect(seen({ ...EXPORTED, ...started }).sort()).toEqual([
    "TURNPIKE_E2E_DATA_DIR",
    "TURNPIKE_SANDBOX_JSON",
    "TURNPIKE_URL",
  ]);
});
