import { CARD_ROWS } from "./card-rows.ts";
import { DASHBOARD_ROWS } from "./dashboard-rows.ts";
import { atLeast, below, find, node, type ProofRow, same, testsPassed, vitest } from "./figures.ts";
import { GATE_ROWS } from "./gate-rows.ts";
import { HOUSE_ROWS } from "./house-rows.ts";
import { PLAYGROUND_ROWS } from "./playground-rows.ts";
import { SUBSCRIBER_ROWS } from "./subscriber-rows.ts";

/** Every row of every area. */
export const PROOF: ProofRow[] = [
  {
    id: "start",
    area: "service",
    show: "npm start on a fresh clone",
    bar: "ready, health 200, valid sandbox.json; second start under 10 s",
    command: node("scripts/proof/fresh-clone.ts", "start"),
    figure: (output) => {
      const [first, second] = find(output, /first start (\d+) s, second start ([\d.]+) s/);
      if (Number(second) >= 10) throw new Error(`the second start took ${second} s`);
      return `first start ${first} s with install and build, second ${second} s`;
    },
  },
  {
    id: "test",
    area: "service",
    show: "npm test on a fresh clone",
    bar: "green, under 10 minutes on two cores with install and build",
    command: node("scripts/proof/fresh-clone.ts", "test"),
    figure: (output) => {
      const [secs] = find(output, /All tests passed in (\d+) s/);
      if (Number(secs) >= 600) throw new Error(`it took ${secs} s`);
      return `green in ${secs} s with install and build`;
    },
  },
  {
    id: "demo",
    area: "service",
    show: "npm run demo -- --json",
    bar: "every step ok, on PGlite and on a real Postgres",
    command: node("scripts/proof/demo-on-stores.ts"),
    figure: (output) => find(output, /demo: (.*)/)[0] as string,
  },
  {
    id: "races",
    area: "service",
    show: "5 000 settles on a balance of 100; 1 000 with one id; 200 orders of a trial",
    bar: "exactly 100 settled; one burn; one order",
    command: vitest("lib/adapters/db/ledger-races.test.ts"),
    figure: testsPassed,
  },
  {
    id: "crash",
    area: "service",
    show: "kill -9 of the service under load, and of the database",
    bar: "no acknowledged settle is lost, no invariant is broken, on both stores",
    command: vitest("lib/server/crash", "lib/server/database-outage"),
    figure: testsPassed,
  },
  {
    id: "speed",
    area: "service",
    show: "npm run bench -- service",
    bar: "verify >= 3 000/s, settle >= 3 000/s, one balance >= 80 % of many, batched >= 3 x one by one",
    command: node("bench/run.ts", "service"),
    figure: (output) => {
      const [store, verify, settle, percent, ratio] = find(
        output,
        /figures: (.*?): verify (\d+)\/s, settle (\d+)\/s, one balance (\d+) % of many, batching ([\d.]+) x/,
      );
      return [
        store,
        atLeast("verify/s", Number(verify), 3000),
        atLeast("settle/s", Number(settle), 3000),
        atLeast("one balance %", Number(percent), 80),
        atLeast("batching x", Number(ratio), 3),
      ].join(", ");
    },
  },
  {
    id: "properties",
    area: "service",
    show: "property tests of the token codec and amounts",
    bar: "any changed byte is rejected, nothing throws, round trips up to 2^256-1",
    command: vitest("lib/sdk/protocol"),
    figure: testsPassed,
  },
  {
    id: "bad-input",
    area: "service",
    show: "generated bad input on every operation; order of checks; tenants",
    bar: "never a 5xx, the right code, nothing written, no data of another tenant",
    command: vitest("lib/server"),
    figure: testsPassed,
  },
  {
    id: "package",
    area: "service",
    show: "the SDK packed, installed in an empty folder, against a running sandbox",
    bar: "drives the service and gates a request; depends on zod and @noble/hashes alone",
    command: node("scripts/with-sandbox.ts", ...vitest("e2e")),
    figure: testsPassed,
  },
  {
    id: "third-parties",
    area: "service",
    show: "the vendor SDK's calls, and stock @x402/core reading our headers",
    bar: "work unmodified",
    command: vitest("lib/sdk", "lib/server", "-t", "stock|vendor"),
    figure: testsPassed,
  },
  {
    id: "contracts",
    area: "chain",
    show: "contract tests on the embedded chain",
    bar: "each limit, revocation, foreign session key and re-entrancy reverts with its own error",
    command: vitest("lib/adapters/chain/contracts.test.ts"),
    figure: testsPassed,
  },
  {
    id: "chain-demo",
    area: "chain",
    show: "npm run demo -- --json on the crypto plan",
    bar: "its transaction has a receipt with status 1, Credits balance equals remainingBalance",
    command: node("scripts/proof/chain-demo.ts"),
    figure: (output) => {
      const [status = "", credits = "", remaining = ""] = find(
        output,
        /demo on chain: transaction 0x[0-9a-f]{64} status (\d), Credits (\d+), remainingBalance (\d+)/,
      );
      return `${same("status", status, "1")}, ${same("Credits", credits, remaining)}`;
    },
  },
  {
    id: "chain-burst",
    area: "chain",
    show: "npm run bench -- chain: 1 000 settles over 50 accounts",
    bar: "all included, grouped >= 10 x one operation per transaction, p50 with proofRequired < 100 ms",
    command: node("bench/run.ts", "chain"),
    figure: (output) => {
      const [single, apart, apartIn, grouped, groupedIn, ratio, p50] = find(
        output,
        /figures: chain: one by one (.*?) \(.*?\), grouping off (.*?) \((.*?)\), grouping on (.*?) \((.*?)\), ratio ([\d.]+), p50 ([\d.]+) ms/,
      );
      return [
        `one by one ${single}`,
        `grouping off ${apart}, ${same("included", apartIn ?? "", "1000 of 1000")}`,
        `grouping on ${grouped}, ${same("included", groupedIn ?? "", "1000 of 1000")}`,
        atLeast("ratio", Number(ratio), 10),
        below("p50 ms", Number(p50), 100),
      ].join("; ");
    },
  },
  {
    id: "one-subscriber",
    area: "chain",
    show: "npm run bench -- chain: 1 000 settles of one subscriber on one plan",
    bar: ">= 20 x fewer operations, < 10 000 gas each, every receipt is proved, no forged one is",
    command: node("bench/run.ts", "chain"),
    figure: (output) => {
      const [operations, settles, gas, done, proven, receipts, forged, difference] = find(
        output,
        /one subscriber (\d+) operations for (\d+) settles at (\d+) gas \((.*?)\), receipts (\d+) of (\d+), forged (\d+), difference (\d+)/,
      );
      return [
        same("included", done ?? "", "1000 of 1000"),
        atLeast("fewer operations x", Number(settles) / Number(operations), 20),
        below("gas each", Number(gas), 10_000),
        `${same("receipts proven", proven ?? "", receipts ?? "")} of ${atLeast("", Number(receipts), 1_000).trim()}`,
        same("forged", forged ?? "", "0"),
        same("difference", difference ?? "", "0"),
      ].join(", ");
    },
  },
  {
    id: "bad-operations",
    area: "chain",
    show: "2 bad operations among 20",
    bar: "the other 18 land in that round",
    command: vitest(
      "lib/adapters/chain/bundler/bundler.test.ts",
      "-t",
      "two bad operations among twenty",
    ),
    figure: testsPassed,
  },
  {
    id: "chain-faults",
    area: "chain",
    show: "kill -9 of the service and of anvil, a silent minute, reorgs of depth 1 to 3",
    bar: "settles continue in the ledger, all are mirrored afterwards, reconciliation difference 0",
    command: node("scripts/proof/chain-faults.ts"),
    figure: (output) => {
      const [held = "", all = ""] = find(output, /faults: (\d+) of (\d+) held/);
      atLeast("faults", Number(all), 6);
      return `${same("faults held", held, all)} of ${all}, difference 0 after each`;
    },
  },
  {
    id: "grant-replay",
    area: "chain",
    show: "a sandbox grant, replayed on another deployment",
    bar: "rejected",
    command: vitest("lib/adapters/chain/contracts.test.ts", "-t", "nothing on another deployment"),
    figure: testsPassed,
  },
  ...GATE_ROWS,
  ...CARD_ROWS,
  ...PLAYGROUND_ROWS,
  ...DASHBOARD_ROWS,
  ...SUBSCRIBER_ROWS,
  ...HOUSE_ROWS,
];
