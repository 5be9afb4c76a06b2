import { expect, test, vi } from "vitest";
import type { Payments } from "../client/payments.ts";
import { ZERO_ADDRESS } from "../protocol/address.ts";
import { encodeHeader } from "../protocol/x402-headers.ts";
import { runCommand } from "./command-line.ts";
import { answerMcp } from "./mcp-server.ts";
import type { VerbContext } from "./verb.ts";

const context: VerbContext = {
  payments: () => {
    throw new Error("not used");
  },
  read: async () => ({}),
  reach: async () => new Response(),
  isKept: true,
};

/** What a command prints, and how it ends. */
async function command(args: string[], own: VerbContext) {
  let printed = "";
  const print = (text: string) => {
    printed += text;
  };
  const full = { ...own, readFile: async () => "", serveMcp: async () => {} };
  const code = await runCommand(args, full, { out: print, error: print });
  return { printed, code };
}

test("balance lists every plan, also beyond the first page", async () => {
  const plans = Array.from({ length: 250 }, (_, index) => ({
    planId: `${index}`,
    planName: `Plan ${index}`,
    available: 1n,
  }));
  const listSubscriptions = async ({ limit, cursor = "0" }: { limit: number; cursor?: string }) => {
    const end = Number(cursor) + limit;
    const items = plans.slice(Number(cursor), end);
    return { items, ...(end < plans.length && { nextCursor: `${end}` }) };
  };
  const payments = { holdings: { listSubscriptions } } as unknown as Payments;
  const { printed } = await command(["balance"], { ...context, payments: () => payments });
  expect(printed.split("\n")).toHaveLength(250);
  expect(printed).toContain("1 credit of Plan 249 (plan 249)");
});

test("a failure that was not foreseen is reported aside, and its message is not shown", async () => {
  const fault = new Error("EACCES: /home/agent/secret");
  const onFault = vi.fn();
  const failing = { ...context, onFault, read: () => Promise.reject(fault) };
  const params = { name: "search", arguments: {} };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const told = JSON.stringify(await answerMcp(message, failing));
  const { printed, code } = await command(["search", "--json"], failing);
  expect(told + printed).not.toContain("secret");
  expect([told, printed, code]).toEqual([
    expect.stringContaining("failed unexpectedly"),
    expect.stringContaining("failed unexpectedly"),
    1,
  ]);
  expect(onFault.mock.calls).toEqual([[fault], [fault]]);
});

test("a batch is answered as one, each message by its id, and notifications and answers not at all", async () => {
  const ping = { jsonrpc: "2.0", method: "ping" };
  const silent = [
    ping,
    { jsonrpc: "2.0", id: 9, result: {} },
    { jsonrpc: "2.0", id: 9, error: {} },
  ];
  expect(
    await answerMcp([{ ...ping, id: 1 }, ...silent, { ...ping, id: "b" }, 7], context),
  ).toEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: "b", result: {} },
    { jsonrpc: "2.0", id: null, error: { code: -32600, message: expect.any(String) } },
  ]);
  expect(await answerMcp(silent, context)).toBeNull();
  for (const message of silent) expect(await answerMcp(message, context)).toBeNull();
  expect(await answerMcp([], context)).toMatchObject({ error: { code: -32600 } });
});

test("T20: a batch of more than twenty messages is refused whole, so that its answer stays small", async () => {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect(await answerMcp(Array(20).fill(list), context)).toHaveLength(20);
  expect(await answerMcp(Array(21).fill(list), context)).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "A batch has at most 20 messages. Nothing was done." },
  });
});

test.each([
  ["the chain’s own coin", ZERO_ADDRESS, undefined, "0.001234567890123456 ETH"],
  ["a token its builder calls USDC", `0x${"a".repeat(40)}`, "USDC", "of the smallest unit of 0xaa"],
])("a plan’s price in %s is no amount of millionths", async (_, tokenAddress, currency, cost) => {
  const amounts = ["1234567890123456"];
  expect(await priceOfPlan({ amounts, tokenAddress, currency, isCrypto: true })).toContain(cost);
});

async function priceOfPlan(price: object) {
  const plan = {
    metadata: { main: { name: "Calls" }, plan: {} },
    registry: { price, credits: { amount: "10" } },
  };
  const accepts = [
    { scheme: "svc:erc4337", network: "eip155:8453", amount: "1", extra: { planId: "7" } },
  ];
  const header = encodeHeader({ x402Version: 2, accepts } as never);
  const reach = async () =>
    new Response("{}", { status: 402, headers: { "payment-required": header } });
  const { printed } = await command(["price", "https://agent.example"], {
    ...context,
    reach,
    read: async () => plan,
  });
  return printed;
}

test.each([
  ["CHF", "10.00 CHF"],
  ["JPY", "10.00 JPY"],
  ["usd", "10.00 USD"],
])("a card plan’s price in %s is in millionths, as in every currency", async (currency, cost) => {
  expect(
    await priceOfPlan({ amounts: ["10000000"], tokenAddress: ZERO_ADDRESS, currency }),
  ).toContain(`: ${cost} for`);
});

test.each([
  ["3600", "1 hour of access"],
  ["129600", "36 hours of access"],
  ["2592000", "30 days of access"],
  ["90", "90 seconds of access"],
  ["0", "access without an end"],
])("the price of a time plan of %s s is for %s, not for credits", async (durationSecs, what) => {
  const price = { amounts: ["1000000"], tokenAddress: ZERO_ADDRESS, currency: "usd" };
  const plan = {
    metadata: { main: { name: "Hour" }, plan: { accessLimit: "time", orderCost: {} } },
    registry: { price: { ...price, isCrypto: false }, credits: { amount: "1", durationSecs } },
  };
  const accepts = [{ scheme: "svc:erc4337", network: "eip155:8453", amount: "1", planId: "7" }];
  const headers = { "payment-required": encodeHeader({ x402Version: 2, accepts } as never) };
  const priceOf = (...flags: string[]) =>
    command(["price", "https://agent.example", ...flags], {
      ...context,
      reach: async () => new Response("{}", { status: 402, headers }),
      read: async () => plan,
    });
  expect((await priceOf()).printed).toBe(`Hour (plan 7): 1.00 USD for ${what}`);
  const [offer] = JSON.parse((await priceOf("--json")).printed).accepts;
  expect(offer.plan).toMatchObject({ accessLimit: "time", durationSecs: Number(durationSecs) });
  expect(offer.plan).not.toHaveProperty("credits");
});

const END = "2030-01-02T03:04:05.678Z";
const GONE = "2020-01-02T03:04:05.678Z";

test.each([
  ["time", "1", true, END, "Access with Hour (plan 7) until 2030-01-02 03:04 UTC"],
  ["time", "1", true, undefined, "Access with Hour (plan 7) without an end"],
  ["time", "0", false, GONE, "No access with Hour (plan 7): it expired 2020-01-02 03:04 UTC"],
  ["time", "0", false, undefined, "No access with Hour (plan 7)"],
  ["credits", "9", true, END, "9 credits of Hour (plan 7) until 2030-01-02 03:04 UTC"],
  ["credits", "0", false, GONE, "0 credits of Hour (plan 7): they expired 2020-01-02 03:04 UTC"],
  ["credits", "1", true, undefined, "1 credit of Hour (plan 7)"],
])("balance words a %s plan with %s credits by what it gives", async (...row) => {
  const [accessLimit, available, isLive, end, text] = row;
  const plan = { planId: "7", planName: "Hour" };
  const one = { ...plan, planType: accessLimit, balance: BigInt(available) + 2n, held: 2n };
  const listed = { ...plan, accessLimit, available, isActive: isLive, endsAt: end };
  const payments = {
    plans: { getPlanBalance: async () => ({ ...one, isSubscriber: isLive, expiresAt: end }) },
    holdings: { listSubscriptions: async () => ({ items: [listed] }) },
  } as unknown as Payments;
  const own = { ...context, payments: () => payments };
  expect((await command(["balance", "7"], own)).printed).toBe(text);
  expect((await command(["balance"], own)).printed).toBe(text);
});
