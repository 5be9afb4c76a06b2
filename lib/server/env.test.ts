import { expect, test } from "vitest";
import { readEnv } from "./env.ts";

const CHAIN = { CHAIN_RPC_URL: "https://rpc.example", SETTLER_PRIVATE_KEY: "11".repeat(32) };

test("transactions link to the chain's block explorer, or the one that is set; the embedded chain has none", () => {
  expect(readEnv({}).explorerUrl).toBeUndefined();
  expect(readEnv(CHAIN).explorerUrl).toBe("https://sepolia.basescan.org");
  expect(readEnv({ ...CHAIN, CHAIN_ID: "8453" }).explorerUrl).toBe("https://basescan.org");
  expect(readEnv({ ...CHAIN, CHAIN_ID: "31337" }).explorerUrl).toBeUndefined();
  const own = { ...CHAIN, EXPLORER_URL: "https://explorer.example/" };
  expect(readEnv(own).explorerUrl).toBe("https://explorer.example");
});

test("several workers need parts that they can share", () => {
  const SHARED = {
    ...CHAIN,
    DATABASE_URL: "postgres://db",
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_PUBLISHABLE_KEY: "pk_test_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
  };
  expect(readEnv({}).workers).toBe(1);
  expect(readEnv({ ...SHARED, TURNPIKE_WORKERS: "4" }).workers).toBe(4);
  expect(() => readEnv({ ...CHAIN, TURNPIKE_WORKERS: "2" })).toThrow("DATABASE_URL");
});

test("the other environment is a whole address", () => {
  const OTHER_ENVIRONMENT_URL = "https://pay.example.com";
  expect(readEnv({ OTHER_ENVIRONMENT_URL }).otherEnvironmentUrl).toBe(OTHER_ENVIRONMENT_URL);
  expect(() => readEnv({ OTHER_ENVIRONMENT_URL: "pay.example.com" })).toThrow(
    "OTHER_ENVIRONMENT_URL",
  );
});

test("the service's own address is an origin: links begin with it", () => {
  const originOf = (TURNPIKE_ORIGIN: string) => readEnv({ TURNPIKE_ORIGIN }).origin;
  expect(originOf("https://pay.example")).toBe("https://pay.example");
  expect(originOf("https://Pay.example:443/")).toBe("https://pay.example");
  expect(() => originOf("https://pay.example/turnpike")).toThrow("TURNPIKE_ORIGIN");
  expect(() => originOf("pay.example")).toThrow("TURNPIKE_ORIGIN");
});

test("a value of blanks is not set: it is no limit of 0", () => {
  const blank = readEnv({ API_CALLS_PER_MINUTE: " ", WITHDRAWAL_WAIT_SECS: "\t" });
  const unset = readEnv({});
  expect(blank.rates).toEqual(unset.rates);
  expect(blank.withdrawalWaitSecs).toBe(unset.withdrawalWaitSecs);
});

test("a sandbox takes no live key of the card processor: its demo accounts would pay with real cards", () => {
  const keys = { STRIPE_PUBLISHABLE_KEY: "pk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
  expect(() => readEnv({ ...keys, STRIPE_SECRET_KEY: "sk_live_1" })).toThrow("live key");
});
