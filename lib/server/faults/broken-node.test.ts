import { getCryptoPriceConfig, getFixedCreditsConfig } from "@turnpike/payments/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNodeInFront } from "@/lib/adapters/chain/testing/node-in-front.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { testStores } from "@/lib/adapters/db/testing/stores.ts";
import { resolveOrders } from "@/lib/domain/orders/resolve-orders.ts";
import { inFull } from "@/lib/testing/in-full.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket } from "../testing/test-service.ts";

const PRICE = 1_000_000n;
/** Whatever a broken node, or a proxy in front of one, says to a question it does not understand. */
const NONSENSE: [string, object | string][] = [
  ["null", { result: null }],
  ["an empty string", { result: "" }],
  ["empty data", { result: "0x" }],
  ["zeroes", { result: `0x${"0".repeat(640)}` }],
  ["an object", { result: {} }],
  ["a list", { result: [] }],
  ["a page", "<html>Bad gateway</html>"],
  ["an error with empty data", { error: { code: -32603, message: "internal error", data: "0x" } }],
  ["an error without data", { error: { code: -32000, message: "header not found" } }],
];
const READS = ["eth_getCode", "eth_call", "eth_getBalance", "eth_simulateV1", "eth_getLogs"];

let database: Database;
let service: ChainTestService;
let node: Awaited<ReturnType<typeof startNodeInFront>>;
/** What the node says instead of the chain's answer, and to which methods. */
let nonsense: { answer: object | string; methods: readonly string[] } | null = null;
let rpcUrl = "";

beforeAll(async () => {
  const [store] = testStores();
  if (!store) throw new Error("There is no store.");
  database = await store.open();
  node = await startNodeInFront(
    () => rpcUrl,
    ({ method }) => (nonsense?.methods.includes(method) ? nonsense.answer : undefined),
  );
  service = await startChainTestService(database, undefined, (chainUrl) => {
    rpcUrl = chainUrl;
    return node.rpcUrl;
  });
}, 90_000);
afterAll(async () => {
  await service.stop();
  await database.close();
  node.close();
});

test("a node that answers nonsense refuses no token of a plan", async () => {
  const { address, payments } = await service.party({ isFunded: false });
  const price = getCryptoPriceConfig(PRICE, address, `0x${"12".repeat(20)}`);
  const register = () =>
    payments.plans.registerCreditsPlan({ name: "P" }, price, getFixedCreditsConfig(10n));
  for (const [, answer] of NONSENSE) {
    nonsense = { answer, methods: READS };
    expect(await register()).toHaveProperty("planId");
  }
  nonsense = null;
  await expect(register()).rejects.toMatchObject({
    details: [{ path: "priceConfig.tokenAddress" }],
  });
});

test("a node that answers nonsense never declines an order: it stays open, and is paid once the node is well", async () => {
  const receiver = await service.party({ isFunded: false });
  const market = await createMarket(service, {
    price: getCryptoPriceConfig(PRICE, receiver.address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
    order: false,
  });
  const declined: string[] = [];
  const open: string[] = [];
  const cases = READS.flatMap((method) => NONSENSE.map(([name, says]) => ({ method, name, says })));
  const chosen = cases.filter((_, index) => inFull(true, index % 9 === 0));
  for (const { method, name, says } of chosen) {
    const buyer = await service.party();
    nonsense = { answer: says, methods: [method] };
    const order = await buyer.payments.plans.orderPlan(market.planId).catch((cause) => cause);
    nonsense = null;
    if (order.code === "payment_refused") declined.push(`${method}: ${name}`);
    else open.push(buyer.address);
  }
  console.log(`faults-20: ${chosen.length} orders at a broken node, ${declined.length} declined`);
  expect(declined).toEqual([]);
  const readOpen = () =>
    database.query<{ status: string; failure_code: string | null }>(
      "select status, failure_code from orders where status <> 'minted'",
      [],
    );
  await expect
    .poll(
      async () => {
        await database.query("update orders set due_at = app_now() where status <> 'minted'", []);
        await resolveOrders(service.ports);
        return readOpen();
      },
      { timeout: 60_000 },
    )
    .toEqual([]);
  expect(open).toHaveLength(chosen.length);
}, 180_000);
