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

test.each([
  ["the chain’s own coin", ZERO_ADDRESS, undefined, "0.001234567890123456 ETH"],
  ["a token its builder calls USDC", `0x${"a".repeat(40)}`, "USDC", "of the smallest unit of 0xaa"],
])("a plan’s price in %s is no amount of millionths", async (_, tokenAddress, currency, cost) => {
  const price = { amounts: ["1234567890123456"], tokenAddress, currency, isCrypto: true };
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
  expect(printed).toContain(cost);
});
