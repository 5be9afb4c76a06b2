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

test("the chain's node and the mail server are addresses that the service can speak to", () => {
  for (const CHAIN_RPC_URL of ["localhost:8545", "wss://node.example", "node.example"]) {
    expect(() => readEnv({ ...CHAIN, CHAIN_RPC_URL })).toThrow("Expected http://… or https://….");
  }
  expect(readEnv({ ...CHAIN, CHAIN_RPC_URL: "http://localhost:8545" }).chain?.rpcUrl).toBe(
    "http://localhost:8545",
  );
  const mail = { TURNPIKE_SMTP_URL: "https://mail.example", TURNPIKE_MAIL_FROM: "a@b.example" };
  expect(() => readEnv(mail)).toThrow("Expected smtp://… or smtps://….");
});

test.each([
  ["TRUSTED_PROXIES", "true"],
  ["TRUSTED_PROXIES", "1.5"],
  ["PORT", "http"],
  ["PORT", "0x10"],
  ["PORT", "-1"],
  ["WITHDRAWAL_WAIT_SECS", "1e3"],
  ["ORDER_GAS_PER_ACCOUNT", "60,000,000"],
  ["REPORTS_KEPT_DAYS", "a month"],
])("%s=%s is refused with what a number looks like", (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(
    `${name}: Expected a whole number, digits only.`,
  );
});

test("a password with / # or ? in it is named, with what to write instead", () => {
  for (const password of ["a/b", "a?b", "a#b", "12/b", "12?b", "12#b"]) {
    const DATABASE_URL = `postgres://turnpike:${password}@postgres:5432/turnpike`;
    expect(() => readEnv({ DATABASE_URL }), password).toThrow("%2F");
  }
  for (const DATABASE_URL of [
    "postgres://turnpike:a%2Fb@postgres:5432/turnpike",
    "postgresql://db/turnpike?sslmode=require",
    "postgres:///turnpike?host=/run/postgresql",
  ]) {
    expect(readEnv({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
  }
});

test("blanks and line breaks around a setting are no part of it, and a key has none inside", () => {
  const stripe = {
    STRIPE_SECRET_KEY: " sk_test_1\n",
    STRIPE_PUBLISHABLE_KEY: "pk_test_1\r",
    STRIPE_WEBHOOK_SECRET: "whsec_1\n",
  };
  expect(readEnv(stripe).stripe).toMatchObject({
    secretKey: "sk_test_1",
    publishableKey: "pk_test_1",
    webhookSecrets: ["whsec_1"],
  });
  for (const name of Object.keys(stripe) as (keyof typeof stripe)[]) {
    const [prefix] = stripe[name].trim().split("_");
    for (const wrong of [`${prefix}_`, `${prefix}_1 2`, `${prefix}_1\n2`]) {
      expect(() => readEnv({ ...stripe, [name]: wrong }), wrong).toThrow(name);
    }
  }
  const withSecrets = (list: string) => readEnv({ ...stripe, STRIPE_WEBHOOK_SECRET: list }).stripe;
  expect(withSecrets("whsec_1, whsec_2,whsec_3")?.webhookSecrets).toEqual([
    "whsec_1",
    "whsec_2",
    "whsec_3",
  ]);
  for (const wrong of [
    "whsec_1,",
    ",whsec_1",
    "whsec_1,sk_test_2",
    "whsec_1;whsec_2",
    "whsec_1 whsec_2",
  ]) {
    expect(() => withSecrets(wrong), wrong).toThrow("STRIPE_WEBHOOK_SECRET");
  }
});

test("one message lists what is malformed and what is missing", () => {
  expect(() => readEnv({ TURNPIKE_ENVIRONMENT: "live", PORT: "abc", CHAIN_ID: "8453" })).toThrow(
    /^Some settings are invalid:\n {2}PORT: [\s\S]*Missing:\n[\s\S]* {2}DATABASE_URL\n/,
  );
  expect(() => readEnv({ TURNPIKE_MAIL_FROM: "mail" })).toThrow("an email address");
  const ports = { PORT: "3000", METRICS_PORT: "3000" };
  for (const METRICS_HOST of ["127.0.0.1", "0.0.0.0", "localhost"]) {
    const given = { ...ports, HOST: "127.0.0.1", METRICS_HOST };
    expect(() => readEnv(given)).toThrow("PORT 3000 is also");
  }
  readEnv({ ...ports, HOST: "127.0.0.1", METRICS_HOST: "127.0.0.2" });
});

const CURVE_ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
test.each<[string, string, Record<string, string>]>([
  ["SETTLER_PRIVATE_KEY", "Expected 32 bytes", { SETTLER_PRIVATE_KEY: "pass-word" }],
  [
    "SETTLER_PRIVATE_KEY",
    "This is not a valid private key",
    { SETTLER_PRIVATE_KEY: "00".repeat(32) },
  ],
  ["SETTLER_PRIVATE_KEY", "This is not a valid private key", { SETTLER_PRIVATE_KEY: CURVE_ORDER }],
  [
    "SETTLER_PRIVATE_KEY",
    "This is not a valid private key",
    { SETTLER_PRIVATE_KEY: "ff".repeat(32) },
  ],
  ["DATABASE_URL", "one host", { DATABASE_URL: "postgres://u:pass-word@h1,h2/d" }],
  ["DATABASE_URL", "one host", { DATABASE_URL: "postgres://u:pass-word@h1:1,h2:2/d" }],
  ["DATABASE_REPLICA_URL", "one host", { DATABASE_REPLICA_URL: "postgres://u:pass-word@h:abc/d" }],
  [
    "CHAIN_RPC_URL",
    "one address",
    { CHAIN_RPC_URL: "https://a.example/pass-word,https://b.example" },
  ],
  [
    "CHAIN_RPC_URL",
    "one address",
    { CHAIN_RPC_URL: "https://a.example,https://b.example/pass-word" },
  ],
  ["EXPLORER_URL", "without /tx", { EXPLORER_URL: "https://basescan.org/tx/" }],
])(
  "a fault of %s is named with the setting, and without its value: %s",
  (name, expected, given) => {
    const value = given[name] ?? "";
    const read = () => readEnv({ ...CHAIN, ...given });
    expect(read).toThrow(new RegExp(`${name}: .*${expected}`));
    for (const secret of [value, "pass-word", String(BigInt(`0x${CURVE_ORDER}`))]) {
      expect(read).not.toThrow(secret);
    }
  },
);

test("no worker's metrics are on the port of the service, or on a port that does not exist", () => {
  const shared = {
    ...CHAIN,
    DATABASE_URL: "postgres://db",
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_PUBLISHABLE_KEY: "pk_test_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
    TURNPIKE_WORKERS: "2",
  };
  const read = (PORT: string, METRICS_PORT: string) => () =>
    readEnv({ ...shared, PORT, METRICS_PORT });
  expect(read("28201", "28200")).toThrow(
    "PORT 28201 is also a port of the metrics. Set METRICS_PORT to another: each of TURNPIKE_WORKERS has one, from there up.",
  );
  expect(read("3000", "65535")).toThrow("METRICS_PORT");
  expect(read("28202", "28200")().metrics?.port).toBe(28200);
});

test("an address is listed once: two accounts or rates for it are refused, in either spelling", () => {
  const address = `0x${"ab".repeat(20)}`;
  const spelled = address.replaceAll("ab", "AB");
  for (const [name, one, other] of [
    ["STRIPE_CONNECT_ACCOUNTS", "acct_first", "acct_second"],
    ["PLATFORM_FEE_CONTROLLERS", "1000", "1"],
  ] as const) {
    const of = (key: string) => (name.startsWith("S") ? key : `${key}/${key}`);
    expect(() => readEnv({ [name]: `${of(address)}=${one},${of(spelled)}=${other}` })).toThrow(
      `${name}: Entry 2 repeats ${of(address)}.`,
    );
  }
});

test("a rate of a fee controller says whose plans may name it", () => {
  const [controller, owner] = ["ab", "cd"].map((byte) => `0x${byte.repeat(20)}`);
  const read = (entry: string) => () => readEnv({ PLATFORM_FEE_CONTROLLERS: entry });
  expect(read(`${controller}=100`)).toThrow(
    "Entry 1 is not 0xFEE_CONTROLLER/0xACCOUNT_THAT_MAY_NAME_IT=0 to 10000",
  );
  const { byController } = read(`${controller}/${owner}=100`)().platformFee;
  expect([...byController]).toEqual([[`${controller}/${owner}`, 100]]);
});

test("a key that was pasted into a list of another setting is not repeated", () => {
  const account = "0x0000000000000000000000000000000000000001=acct_1";
  for (const name of ["STRIPE_CONNECT_ACCOUNTS", "PLATFORM_FEE_CONTROLLERS"]) {
    const given = { [name]: name.startsWith("S") ? `${account},sk_live_secret` : "sk_live_secret" };
    const fault = () => readEnv(given);
    expect(fault).toThrow(new RegExp(`${name}: Entry ${name.startsWith("S") ? 2 : 1} is not`));
    expect(fault).not.toThrow(/secret/);
  }
});
