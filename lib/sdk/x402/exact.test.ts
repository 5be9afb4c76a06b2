import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { wrapAxiosWithPayment } from "@x402/axios";
import { isPaymentRequired, PaymentRequiredV2Schema } from "@x402/core/schemas";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import axios from "axios";
import { type Address, keccak256, serializeErc6492Signature, stringToHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { tokenAbi } from "@/lib/adapters/chain/abis.ts";
import { createExactChain } from "@/lib/adapters/chain/exact/exact-chain.ts";
import { authorizationTypedData } from "@/lib/adapters/chain/exact/transfer-calls.ts";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import { smartAccount, smartAccountCreation } from "@/lib/adapters/chain/smart-account.ts";
import { createRecover } from "@/lib/adapters/crypto/signatures.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import { getPricedPlan } from "@/lib/domain/exact/priced-plan.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { pretendExact } from "@/lib/server/testing/pretend-rail.ts";
import { createMarket, type TestParty } from "@/lib/server/testing/test-service.ts";
import { createGate } from "../gate/gate.ts";
import { createMemoryQueue } from "../gate/queue/memory-queue.ts";
import { callPaidTool } from "../mcp/call-paid-tool.ts";
import type { RefusedToolResult, ToolResult } from "../mcp/tool-result.ts";
import { type ToolExtra, withPayment } from "../mcp/with-payment.ts";
import {
  decodePaymentRequired,
  readPaymentRequired,
  type X402PaymentRequired,
} from "../protocol/payment-required.ts";
import { getFixedCreditsConfig } from "../protocol/plans/credits-builders.ts";
import { getCryptoPriceConfig, getFiatPriceConfig } from "../protocol/plans/price-builders.ts";
import { decodeHeader, encodeHeader } from "../protocol/x402-headers.ts";

const PRICE = 10_000n;
const NETWORK = "eip155:84532";
/** A stock client's payment. */
type Sent = {
  accepted: object;
  payload: { signature: string; authorization: Record<string, string> };
};
const URL_OF_ROUTE = "https://agent.test/ask";

describe.each(ruleStores())("payments by exact on $name", ({ open }) => {
  let database: Database;
  let service: ChainTestService;
  let builder: TestParty;
  let wallets = 0;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
    builder = await service.party({ isFunded: false });
  });
  afterAll(async () => {
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const work = vi.fn(async () => Response.json({ words: 3 }));
  beforeEach(() => {
    work.mockClear();
  });
  const gate = (
    config: object = { price: "$0.01" },
    payments = builder.payments,
    report = false,
  ) => {
    const run = createGate(
      payments,
      { "POST /ask": config },
      { queue: createMemoryQueue(), report, logger: { error: () => {} } as never },
    );
    return (input: RequestInfo | URL, init?: RequestInit) => run(new Request(input, init), work);
  };
  /** A wallet that has no account, with test dollars. */
  async function wallet(amount = 1_000_000n): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(keccak256(stringToHex(`exact wallet ${wallets++}`)));
    await giveTestDollars(service.onChain.operator, { account: account.address, amount });
    return account;
  }
  const stock = (account: PrivateKeyAccount) =>
    new x402Client().register("eip155:84532", new ExactEvmScheme(account));
  const ask = { method: "POST", body: JSON.stringify({ question: "one two three" }) };
  /** The header a stock client would send for the gate's offer, with changes to what it signs and says. */
  async function sign(
    account: PrivateKeyAccount,
    agent = gate(),
    change: (payment: Sent) => object = (payment) => payment,
  ): Promise<string> {
    const refused = await agent(URL_OF_ROUTE, ask);
    const required = decodeHeader(refused.headers.get("payment-required") ?? "");
    const payment = await stock(account).createPaymentPayload(required as never);
    return encodeHeader(change(payment as unknown as Sent));
  }
  const send = (agent: ReturnType<typeof gate>, header: string) =>
    agent(URL_OF_ROUTE, { ...ask, headers: { "payment-signature": header } });

  test("an unmodified wallet pays a priced route: exactly the price, once", async () => {
    const account = await wallet();
    const had = await service.money(builder.address);
    const response = await wrapFetchWithPayment(gate() as typeof fetch, stock(account))(
      URL_OF_ROUTE,
      ask,
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ words: 3 });
    const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
    expect(receipt).toMatchObject({ success: true, payer: account.address });
    expect(receipt.transaction).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await service.money(builder.address)) - had).toBe(PRICE);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
    const { items } = await builder.payments.requests.listRequests({});
    const paid = { amount: PRICE.toString(), currency: "usdc" };
    expect(items[0]).toMatchObject({ moneyStatus: "settled", payer: account.address, paid });
  });

  test("a refused payment is an attempt of its wallet, which the builder reads with its cause", async () => {
    const account = await wallet(PRICE / 2n);
    const { agentId } = await builder.payments.agents.registerAgent({ name: "Priced" }, {});
    const agent = gate({ price: "$0.01", agentId });
    expect((await send(agent, await sign(account, agent))).status).toBe(402);
    await service.ports.refusals.flush();
    const attempts = async () => {
      const { items } = await builder.payments.requests.listRequests({ limit: 100 });
      return items.filter(({ payer }) => payer === account.address);
    };
    const refused = { moneyStatus: "refused", cause: "wallet_funds", agentId };
    expect(await attempts()).toMatchObject([refused]);
    await giveTestDollars(service.onChain.operator, { account: account.address, amount: PRICE });
    expect((await send(agent, await sign(account, agent))).status).toBe(200);
    expect(await attempts()).toMatchObject([{ moneyStatus: "settled", agentId }, refused]);
  });

  test("the builder sees who only asked for the price of a route without plans", async () => {
    const asked = await gate({ price: "$0.02" }, builder.payments, true)(URL_OF_ROUTE, ask);
    const required = decodePaymentRequired(asked.headers.get("payment-required") ?? "");
    const planId = required?.accepts[0]?.planId ?? "";
    const list = () => builder.payments.requests.listRequests({ planId });
    await expect.poll(async () => (await list()).items, { timeout: 10_000 }).toHaveLength(1);
    expect((await list()).items).toMatchObject([{ moneyStatus: "challenged", planId }]);
  });

  test("the 402 passes the stock schema, and offers of other networks travel beside it", async () => {
    const { planId } = await createMarket(service);
    const refused = await gate({ planId, price: "$0.01" })(URL_OF_ROUTE, ask);
    const header = refused.headers.get("payment-required") ?? "";
    expect(PaymentRequiredV2Schema.safeParse(decodeHeader(header)).error).toBeUndefined();
    expect(decodePaymentRequired(header)?.accepts.map(({ scheme }) => scheme)).toEqual([
      "svc:erc4337",
      "exact",
    ]);
  });

  test("a paid tool's result is a requirement that stock MCP clients read, and their payment pays it", async () => {
    const account = await wallet();
    const { planId } = await createMarket(service);
    const { planId: byCard } = await builder.payments.plans.registerCreditsPlan(
      { name: "By card" },
      getFiatPriceConfig(5_000_000n, builder.address),
      getFixedCreditsConfig(10n),
    );
    const tool = withPayment<[object, ToolExtra], ToolResult>(
      builder.payments,
      { server: "reader", tool: "count", planId: [planId, byCard], price: "$0.01" },
      async (_arguments: unknown, _extra: ToolExtra) => ({
        content: [{ type: "text", text: "3" }],
      }),
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} } as never },
    );
    const refused = await tool({}, {});
    const { structuredContent: required } = refused as RefusedToolResult;
    expect(isPaymentRequired(required)).toBe(true);
    expect(readPaymentRequired(required)?.accepts).toHaveLength(3);
    const payment = await stock(account).createPaymentPayload(required as never);
    const paid = await tool({}, { _meta: { "x402/payment": payment } });
    expect(paid).toMatchObject({
      content: [{ text: "3" }],
      _meta: { "x402/payment-response": { success: true } },
    });
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  test("callPaidTool pays a tool that has only a price by the caller's own wallet", async () => {
    const account = await wallet();
    const tool = withPayment<[object, ToolExtra], ToolResult>(
      builder.payments,
      { server: "reader", tool: "count", price: "$0.01" },
      async () => ({ content: [{ type: "text", text: "3" }] }),
      { queue: createMemoryQueue(), report: false, logger: { error: () => {} } as never },
    );
    const client = {
      callTool: ({ _meta }: { _meta?: object }) =>
        tool({}, { ...(_meta && { _meta }) } as ToolExtra),
    };
    const { signTypedData, address } = account;
    const signer = { address, signTypedData: signTypedData as never };
    const { result, payment, declined } = await callPaidTool(
      builder.payments,
      client,
      { name: "count" },
      { signer, maxSpend: 1n },
    );
    expect([result.isError, declined]).toEqual([undefined, undefined]);
    expect(payment?.amount).toBe(PRICE.toString());
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  test.each([[{ "idempotency-key": "idem_0123456789abcdef" }], [{}]])(
    "one authorization sent 300 times at once is one request, and one transfer: %j",
    async (named) => {
      const account = await wallet();
      const agent = gate();
      const headers = {
        "payment-signature": await sign(account, agent),
        "content-length": String(ask.body.length),
        ...named,
      };
      const sending = Array.from({ length: 300 }, () => agent(URL_OF_ROUTE, { ...ask, headers }));
      const statuses = (await Promise.all(sending)).map(({ status }) => status);
      expect(work).toHaveBeenCalledTimes(1);
      expect(statuses.filter((status) => status === 200)).toHaveLength(300);
      expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
    },
  );

  test("what the chain shows of a payment gets no answer", async () => {
    const account = await wallet();
    const agent = gate();
    const header = await sign(account, agent);
    const headers = { "payment-signature": header, "idempotency-key": "idem_0123456789abcdef" };
    expect((await agent(URL_OF_ROUTE, { ...ask, headers })).status).toBe(200);
    const { payload } = decodeHeader(header) as Sent;
    const stolen = await sign(account, agent, (own) => ({ ...own, payload }));
    expect((await send(agent, stolen)).status).toBe(409);
    const again = await agent(URL_OF_ROUTE, { ...ask, headers });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(work).toHaveBeenCalledTimes(1);
  });

  test.each(["idem_0123456789abcdef", "order-1", undefined])(
    "payments.fetch pays a route that has only a price, and a lost answer once: %s",
    async (key) => {
      const account = await wallet();
      const { signTypedData } = account;
      const signer = { address: account.address, signTypedData: signTypedData as never };
      const agent = gate();
      let isLost = false;
      const reach = async (request: Request) => {
        const answer = await agent(request);
        if (isLost || answer.status === 402) return answer;
        isLost = true;
        throw new TypeError("The connection broke off.");
      };
      const init = { ...ask, ...(key && { headers: { "idempotency-key": key } }) };
      const options = { signer, maxSpend: 100n, fetch: reach };
      const paid = await builder.payments.fetch(URL_OF_ROUTE, init, options);
      expect([paid.response.status, paid.declined]).toEqual([200, undefined]);
      expect(paid.response.headers.get("idempotency-replayed")).toBe("true");
      expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
    },
  );

  test("replicas and a restarted gate refuse what was paid before", async () => {
    const account = await wallet();
    const header = await sign(account);
    const [one, two] = await Promise.all([send(gate(), header), send(gate(), header)]);
    expect([one.status, two.status].sort()).toEqual([200, 409]);
    expect((await send(gate(), header)).status).toBe(409);
    await service.restart();
    expect((await send(gate(), header)).status).toBe(409);
    expect(work).toHaveBeenCalledTimes(1);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  const signs = (changes: object) => (sent: Sent) => ({
    ...sent,
    payload: { ...sent.payload, authorization: { ...sent.payload.authorization, ...changes } },
  });
  test.each<[string, (sent: Sent) => object, number]>([
    ["another amount", signs({ value: "1" }), 402],
    ["another recipient", signs({ to: `0x${"12".repeat(20)}` }), 402],
    ["an expired window", signs({ validBefore: "1" }), 402],
    ["a future window", signs({ validAfter: "4000000000" }), 402],
    [
      "a tampered signature",
      (sent) => ({ ...sent, payload: { ...sent.payload, signature: `0x${"1b".repeat(65)}` } }),
      402,
    ],
    [
      "another plan",
      (sent) => ({
        ...sent,
        accepted: { ...sent.accepted, planId: "7", extra: { planId: "7" } },
      }),
      402,
    ],
    // What the client claims about the offer decides nothing.
    ["a cheaper offer", (sent) => ({ ...sent, accepted: { ...sent.accepted, amount: "1" } }), 200],
    [
      "another network",
      (sent) => ({ ...sent, accepted: { ...sent.accepted, network: "x:1" } }),
      200,
    ],
  ])("%s: nothing but the price moves, and only for an answer", async (_, change, status) => {
    const account = await wallet();
    const header = await sign(account, gate(), change);
    expect((await send(gate(), header)).status).toBe(status);
    const paid = status === 200 ? PRICE : 0n;
    expect(await service.money(account.address)).toBe(1_000_000n - paid);
  });

  test("a wallet cannot promise more at once than it has", async () => {
    const account = await wallet(PRICE * 2n);
    const agent = gate();
    const headers = await Promise.all(Array.from({ length: 6 }, () => sign(account, agent)));
    const answers = await Promise.all(headers.map((header) => send(agent, header)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(work).toHaveBeenCalledTimes(2);
    expect(await service.money(account.address)).toBe(0n);
  });

  test("money that is gone after verify: the answer is withheld, and nothing is charged", async () => {
    const account = await wallet(PRICE);
    const had = await service.money(builder.address);
    const header = await sign(account);
    work.mockImplementationOnce(async () => {
      await empty(account);
      return Response.json({ words: 3 });
    });
    const answer = await send(gate(), header);
    expect(answer.status).toBe(402);
    expect(await answer.text()).not.toContain("words");
    expect(await service.money(builder.address)).toBe(had);
  });

  test("work that fails costs nothing, and the authorization can be sent again", async () => {
    const account = await wallet();
    const agent = gate();
    const header = await sign(account, agent);
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await send(agent, header)).status).toBe(500);
    expect(await service.money(account.address)).toBe(1_000_000n);
    expect((await send(agent, header)).status).toBe(200);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  test("an authorization that someone else sends to the chain meanwhile pays for its request", async () => {
    const account = await wallet();
    const header = await sign(account, gate(), (payment) => {
      const { signature, authorization } = payment.payload;
      const { from: payer = "", to: payTo = "", nonce = "", ...amounts } = authorization;
      const { value = 0, validAfter = 0, validBefore = 0 } = amounts;
      work.mockImplementationOnce(async () => {
        await service.onChain.exact.capture({
          id: "another path",
          payer,
          asset: service.usdc,
          payTo,
          value: BigInt(value),
          validAfter: BigInt(validAfter),
          validBefore: BigInt(validBefore),
          nonce,
          signature,
          sinceBlock: 0n,
          builder: "",
        });
        return Response.json({ words: 3 });
      });
      return payment;
    });
    expect((await send(gate(), header)).status).toBe(200);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  test("a settle whose answer is lost, and a service that restarts before it, pay once", async () => {
    const account = await wallet();
    const paymentRequired = decodePaymentRequired(
      (await gate()(URL_OF_ROUTE, ask)).headers.get("payment-required") ?? "",
    ) as X402PaymentRequired;
    const asked = { paymentRequired, x402AccessToken: await sign(account) };
    const { facilitator } = builder.payments;
    const verified = await facilitator.verifyPermissions({ ...asked, reserve: true });
    const { agentRequestId } = verified as { agentRequestId: string };
    await service.restart();
    const settle = () => facilitator.settlePermissions({ ...asked, agentRequestId });
    const [one, two] = await Promise.all([settle(), settle()]);
    await service.restart();
    const three = await settle();
    expect(one).toMatchObject({ success: true });
    const { transaction } = one;
    expect([two.transaction, three.transaction]).toEqual([transaction, transaction]);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  test("the same authorization pays for no second request", async () => {
    const account = await wallet();
    const paymentRequired = decodePaymentRequired(
      (await gate()(URL_OF_ROUTE, ask)).headers.get("payment-required") ?? "",
    ) as X402PaymentRequired;
    const asked = { paymentRequired, x402AccessToken: await sign(account), reserve: true };
    const { facilitator } = builder.payments;
    const all = Array.from({ length: 20 }, (_, index) =>
      facilitator.verifyPermissions({ ...asked, agentRequestId: `another_request_${index}` }),
    );
    const valid = (await Promise.all(all)).filter(({ isValid }) => isValid);
    expect(valid).toHaveLength(1);
  });

  test("a smart account that does not exist yet pays by ERC-6492", async () => {
    const owner = privateKeyToAccount(keccak256(stringToHex("owner of a smart wallet")));
    const { deployment, onChain } = service;
    const salt = keccak256(stringToHex("its own"));
    const account = smartAccount({ deployment, owner: owner.address, salt });
    const { address } = account;
    await giveTestDollars(onChain.operator, { account: address, amount: PRICE });
    const { to, data } = smartAccountCreation({ deployment, account });
    const signer = {
      address,
      signTypedData: async (typed: never) =>
        serializeErc6492Signature({
          address: to,
          data,
          signature: await owner.signTypedData(typed),
        }),
    };
    const header = await sign(signer as never);
    expect((await send(gate(), header)).status).toBe(200);
    expect(await service.money(address)).toBe(0n);
  });

  test("a smart account that exists pays by ERC-1271, also with a signature from before it did", async () => {
    const owner = privateKeyToAccount(keccak256(stringToHex("owner of another wallet")));
    const { deployment, onChain } = service;
    const account = smartAccount({ deployment, owner: owner.address });
    const { to, data } = smartAccountCreation({ deployment, account });
    const { address } = account;
    await giveTestDollars(onChain.operator, { account: address, amount: PRICE * 2n });
    await onChain.operator.sender.send({ to, data, gas: 1_500_000n });
    const plain = (typed: never) => owner.signTypedData(typed);
    const early = async (typed: never) =>
      serializeErc6492Signature({ address: to, data, signature: await plain(typed) });
    for (const signTypedData of [plain, early]) {
      const header = await sign({ address, signTypedData } as never);
      expect((await send(gate(), header)).status).toBe(200);
    }
    expect(await service.money(address)).toBe(0n);
    const stranger = async (typed: never) =>
      privateKeyToAccount(keccak256("0x01")).signTypedData(typed);
    const forged = await sign({ address, signTypedData: stranger } as never);
    expect((await send(gate(), forged)).status).toBe(402);
  });

  test("an authorization whose request is released is never captured", async () => {
    const account = await wallet(PRICE);
    const paymentRequired = decodePaymentRequired(
      (await gate()(URL_OF_ROUTE, ask)).headers.get("payment-required") ?? "",
    ) as X402PaymentRequired;
    const asked = { paymentRequired, x402AccessToken: await sign(account) };
    const { facilitator } = builder.payments;
    const verified = await facilitator.verifyPermissions({ ...asked, reserve: true });
    const { agentRequestId } = verified as { agentRequestId: string };
    await facilitator.releasePermissions({ agentRequestId });
    await expect(facilitator.settlePermissions({ ...asked, agentRequestId })).rejects.toThrow();
    expect(await service.money(account.address)).toBe(PRICE);
    // What it reserved is free again.
    expect((await send(gate(), await sign(account))).status).toBe(200);
  });

  test("a price that is changed during the work changes nothing for the request", async () => {
    const priceOf = (amount: bigint) => ({
      ...getCryptoPriceConfig(amount, builder.address, service.usdc),
      currency: "USDC",
    });
    const { plans, facilitator } = builder.payments;
    const credits = getFixedCreditsConfig(1n, 1n);
    const { planId } = await plans.registerCreditsPlan(
      { name: "Repriced" },
      priceOf(PRICE),
      credits,
    );
    const account = await wallet();
    const agent = gate({ planId, exact: true });
    const paymentRequired = decodePaymentRequired(
      (await agent(URL_OF_ROUTE, ask)).headers.get("payment-required") ?? "",
    ) as X402PaymentRequired;
    const asked = { paymentRequired, x402AccessToken: await sign(account, agent) };
    const verified = await facilitator.verifyPermissions({ ...asked, reserve: true });
    const { agentRequestId } = verified as { agentRequestId: string };
    const late = { paymentRequired, x402AccessToken: await sign(account, agent) };
    await plans.updatePlan(planId, { priceConfig: priceOf(2n * PRICE), creditsConfig: credits });
    const first = await facilitator.settlePermissions({ ...asked, agentRequestId });
    expect(first).toMatchObject({ success: true, amount: PRICE.toString() });
    // Its answer was lost.
    const again = await facilitator.settlePermissions({ ...asked, agentRequestId });
    expect(again).toMatchObject({ success: true, transaction: first.transaction });
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
    // What was signed for another request at the old price pays for none.
    expect(await facilitator.verifyPermissions({ ...late, reserve: true })).toMatchObject({
      isValid: false,
    });
  });

  test("time, amount and expiry are judged by the clock and the price of gas", async () => {
    const account = await wallet();
    const hour = 3_600_000;
    const later = BigInt(Math.floor((Date.now() + hour) / 1000));
    const terms = { network: NETWORK, asset: service.usdc, recover: createRecover().recover };
    const { operator } = service.onChain;
    const captures = service.deployment.captures;
    // The newest block of an idle chain is an hour old.
    const now = async () => new Date(Date.now() + hour);
    const idle = createExactChain(operator, {
      ...terms,
      captures,
      floorCents: 1n,
      mostGas: 0,
      now,
    });
    const check = async (value: bigint, validAfter = later - 600n, validBefore = later + 300n) => {
      const message = {
        from: account.address,
        to: `0x${"78".repeat(20)}`,
        value,
        validAfter,
        validBefore,
        nonce: keccak256(stringToHex(`checked ${wallets++}`)),
      } as const;
      const { from: payer, to: payTo, ...rest } = message;
      const payment = { id: message.nonce, payer, payTo, asset: service.usdc, ...rest };
      const signature = await account.signTypedData(
        authorizationTypedData(
          { ...payment, signature: "0x" },
          { name: "USDC", version: "2", chainId: 84532 },
        ),
      );
      return { ...payment, signature };
    };
    expect((await idle.check(await check(1_000n))).fault).toBeNull();
    expect((await idle.check(await check(999n))).fault).toBe("amount_too_small");
    expect((await idle.check(await check(1_000n, later + 60n))).fault).toBe("authorization_early");
    expect((await idle.check(await check(1_000n, 0n, later - 60n))).fault).toBe(
      "authorization_expired",
    );
    const expired = { ...(await check(1_000n, 0n, 1n)), sinceBlock: 0n, builder: "" };
    expect(await idle.capture(expired)).toMatchObject({
      status: "refused",
      code: "authorization_expired",
    });
    expect(await service.money(account.address)).toBe(1_000_000n);
    const ports = { ...service.ports, exact: { ...pretendExact(), ...idle } };
    const asked = getPricedPlan({ ...builder.context, ports }, { price: "$0.0009" });
    await expect(asked).rejects.toThrow("A request must cost at least $0.001000");
  });

  test("a plan is bought by its first request: the rest of the credits stay with the wallet", async () => {
    const receiver = builder.address;
    const { planId } = await builder.payments.plans.registerCreditsPlan(
      { name: "Pack" },
      // The address of USDC suffices.
      getCryptoPriceConfig(1_000_000n, receiver, service.usdc),
      getFixedCreditsConfig(100n, 1n),
    );
    const api = { endpoints: [{ POST: URL_OF_ROUTE }], agentDefinitionUrl: URL_OF_ROUTE };
    // Its receipt is signed.
    const { agentId } = await builder.payments.agents.registerAgent({ name: "Packed" }, api, [
      planId,
    ]);
    const account = await wallet(1_000_000n);
    const agent = gate({ planId, agentId, exact: true });
    const pay = wrapFetchWithPayment(agent as typeof fetch, stock(account));
    const response = await pay(URL_OF_ROUTE, ask);
    expect(response.status).toBe(200);
    const header = response.headers.get("payment-response") ?? "";
    // nginx takes 4 KB of headers by default.
    expect(header.length).toBeLessThanOrEqual(3_072);
    const settlement = decodeHeader(header) as {
      remainingBalance: string;
      extensions?: { credits: { info: { accessToken: string } } };
    };
    expect(settlement.remainingBalance).toBe("99");
    expect(await service.money(account.address)).toBe(0n);
    const accessToken = settlement.extensions?.credits.info.accessToken ?? "";
    expect((await send(agent, accessToken)).status).toBe(200);
    const balance = await builder.payments.plans.getPlanBalance(planId, account.address);
    expect(balance.balance).toBe(98n);
    const { difference } = await service.onChain.reconciler.run();
    expect(difference).toBe(0n);
  });

  test("unmodified axios pays a priced route", async () => {
    const account = await wallet();
    const door = serve({ fetch: gate() as never, port: 0 });
    const { port } = door.address() as AddressInfo;
    const pay = wrapAxiosWithPayment(axios.create(), stock(account) as never);
    const { data } = await pay.post(`http://127.0.0.1:${port}/ask`, { question: "one two" });
    expect(data).toEqual({ words: 3 });
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
    door.close();
  });

  test("what a wallet signed again after its work failed is captured, also once its first signature has expired", async () => {
    const account = await wallet();
    const agent = gate();
    const sent = decodeHeader(await sign(account, agent)) as Sent;
    const { from: payer = "", to: payTo = "", nonce = "", ...amounts } = sent.payload.authorization;
    const { value = "", validAfter = "" } = amounts;
    const { timestamp } = await service.onChain.operator.client.getBlock();
    const start = Math.max(Math.floor(Date.now() / 1000), Number(timestamp));
    const signUntil = async (validBefore: number) => {
      const unsigned = { id: "", signature: "0x", payer, payTo, nonce, asset: service.usdc };
      const numbers = { value: BigInt(value), validAfter: BigInt(validAfter) };
      const domain = { name: "USDC", version: "2", chainId: 84532 };
      const payment = { ...unsigned, ...numbers, validBefore: BigInt(validBefore) };
      const signature = await account.signTypedData(authorizationTypedData(payment, domain));
      const authorization = { ...sent.payload.authorization, validBefore: `${validBefore}` };
      return encodeHeader({ ...sent, payload: { signature, authorization } });
    };
    work.mockImplementationOnce(async () => new Response("no", { status: 500 }));
    expect((await send(agent, await signUntil(start + 60))).status).toBe(500);
    await service.advanceChain(61);
    expect((await send(agent, await signUntil(start + 600))).status).toBe(200);
    expect(await service.money(account.address)).toBe(1_000_000n - PRICE);
  });

  /** Moves all of a wallet's test dollars away, by the wallet's own transaction. */
  async function empty(account: PrivateKeyAccount): Promise<void> {
    const { createWalletClient, http } = await import("viem");
    await service.chain.fund(account.address, 10n ** 18n);
    const client = createWalletClient({ account, transport: http(service.chain.rpcUrl) });
    const hash = await client.writeContract({
      chain: null,
      address: service.usdc,
      abi: tokenAbi,
      functionName: "transfer",
      args: [`0x${"34".repeat(20)}` as Address, await service.money(account.address)],
    });
    await vi.waitFor(() => service.onChain.operator.client.getTransactionReceipt({ hash }), {
      timeout: 10_000,
    });
  }
});
