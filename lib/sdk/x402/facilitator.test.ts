import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { HTTPFacilitatorClient } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactServerScheme } from "@x402/evm/exact/server";
import {
  x402ResourceServer as ExpressResourceServer,
  paymentMiddleware as expressMiddleware,
} from "@x402/express";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import express from "express";
import { Hono } from "hono";
import { NextRequest, NextResponse } from "next/server.js";
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  stringToHex,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { capturesAbi } from "@/lib/adapters/chain/abis.ts";
import { transferCalls } from "@/lib/adapters/chain/exact/transfer-calls.ts";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, ruleStores } from "@/lib/adapters/db/testing/stores.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import type { TestParty } from "@/lib/server/testing/test-service.ts";
import { listen } from "../test-support/agents/agent.ts";

// Its ES modules resolve `next/server` in a Next build only.
const { withX402, x402ResourceServer: NextResourceServer } = createRequire(import.meta.url)(
  "@x402/next",
) as typeof import("@x402/next");

const NETWORK = "eip155:84532";
const CENT = 10_000n;
const DOLLAR = 1_000_000n;
const ask = { method: "POST", body: JSON.stringify({ question: "one two three" }) };

type Facilitator = HTTPFacilitatorClient;
type Payload = Parameters<Facilitator["settle"]>[0];
type Requirements = Parameters<Facilitator["settle"]>[1];

/** What sells: a stock server, reached as a function. */
type Seller = (input: Request) => Promise<Response>;

describe.each(ruleStores())("our facilitator for stock servers on $name", ({ open }) => {
  let database: Database;
  let service: ChainTestService;
  let [ours, other]: TestParty[] = [];
  let door: ReturnType<typeof serve>;
  const closers: (() => unknown)[] = [];
  let wallets = 0;

  beforeAll(async () => {
    database = await open();
    service = await startChainTestService(database);
    ours = await service.party({ isFunded: false });
    other = await service.party({ isFunded: false });
    door = serve({ fetch: (request) => service.serve(request), port: 0 });
  });
  afterAll(async () => {
    for (const close of closers) await close();
    door.close();
    await service.stop();
    expect(await brokenRules(database)).toEqual([]);
    await database.close();
  });

  const work = vi.fn(() => ({ words: 3 }));
  beforeEach(() => {
    work.mockClear();
  });

  const facilitatorOf = (party: TestParty | undefined, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${party?.apiKey}`, ...more };
    return new HTTPFacilitatorClient({
      url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/api/v1/x402`,
      createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
    });
  };
  async function wallet(amount = DOLLAR * 2n): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(keccak256(stringToHex(`stock wallet ${wallets++}`)));
    await giveTestDollars(service.onChain.operator, { account: account.address, amount });
    return account;
  }
  const stock = (account: PrivateKeyAccount) =>
    new x402Client().register(NETWORK, new ExactEvmScheme(account));
  const address = () => getAddress(keccak256(stringToHex(`seller ${wallets++}`)).slice(0, 42));

  /** A stock server's offer, and a wallet's payment for it, with changes to the offer or to what is signed. */
  async function payment({
    account,
    value = CENT,
    offer = {},
    authorization = {},
    domain = {},
  }: {
    account?: PrivateKeyAccount;
    value?: bigint;
    offer?: object;
    authorization?: object;
    domain?: object;
  } = {}): Promise<{ payload: Payload; required: Requirements; payer: PrivateKeyAccount }> {
    const payer = account ?? (await wallet());
    const required = {
      scheme: "exact",
      network: NETWORK,
      amount: String(value),
      asset: service.usdc,
      payTo: address(),
      maxTimeoutSeconds: 300,
      extra: { name: "USDC", version: "2" },
      ...offer,
    } as Requirements;
    const now = BigInt(Math.floor(Date.now() / 1000));
    const signed = {
      from: payer.address,
      to: required.payTo as Hex,
      value: BigInt(required.amount),
      validAfter: now - 60n,
      validBefore: now + 300n,
      nonce: keccak256(stringToHex(`nonce ${wallets++}`)),
      ...authorization,
    };
    const signature = await payer.signTypedData({
      domain: {
        name: "USDC",
        version: "2",
        chainId: 84532,
        verifyingContract: service.usdc,
        ...domain,
      },
      types: {
        TransferWithAuthorization: [
          { name: "from", type: "address" },
          { name: "to", type: "address" },
          { name: "value", type: "uint256" },
          { name: "validAfter", type: "uint256" },
          { name: "validBefore", type: "uint256" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "TransferWithAuthorization",
      message: signed,
    });
    const texts = Object.entries(signed).map(([name, value]) => [name, String(value)]);
    const payload = {
      x402Version: 2,
      accepted: required,
      payload: { signature, authorization: Object.fromEntries(texts) },
    } as unknown as Payload;
    return { payload, required, payer };
  }

  function asPayment({ payload: { payload }, required }: Awaited<ReturnType<typeof payment>>) {
    const { signature, authorization } = payload as unknown as {
      signature: string;
      authorization: Record<string, string>;
    };
    const {
      from = "",
      to = "",
      nonce = "",
      value = 0,
      validAfter = 0,
      validBefore = 0,
    } = authorization;
    return {
      id: nonce,
      payer: from,
      asset: required.asset,
      payTo: to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
      signature,
    };
  }

  /** A stock client throws where the facilitator refuses; the answer is what counts here. */
  const settle = (
    facilitator: Facilitator,
    { payload, required }: Awaited<ReturnType<typeof payment>>,
  ) =>
    facilitator.settle(payload, required).catch((error) => ({
      success: false,
      errorReason: String(error.errorReason ?? error),
    }));

  describe("unmodified servers settle through it", () => {
    const accepts = (payTo: string) =>
      ({ scheme: "exact", network: NETWORK, payTo, price: "$0.01" }) as const;
    const sellers: [string, (payTo: string) => Promise<Seller>][] = [
      [
        "@x402/hono",
        async (payTo) => {
          const app = new Hono();
          const server = new x402ResourceServer(facilitatorOf(ours));
          server.register(NETWORK, new ExactServerScheme());
          app.use(paymentMiddleware({ "POST /ask": { accepts: accepts(payTo) } }, server));
          app.post("/ask", (context) => context.json(work()));
          return async (request) => app.fetch(request);
        },
      ],
      [
        "@x402/express",
        async (payTo) => {
          const app = express();
          const server = new ExpressResourceServer(facilitatorOf(ours));
          server.register(NETWORK, new ExactServerScheme());
          app.use(expressMiddleware({ "POST /ask": { accepts: accepts(payTo) } }, server));
          app.post("/ask", (_request, response) => void response.json(work()));
          const { origin, close } = await listen(createServer(app));
          closers.push(close);
          return async (request) => fetch(`${origin}/ask`, { ...ask, headers: request.headers });
        },
      ],
      [
        "@x402/next",
        async (payTo) => {
          const server = new NextResourceServer(facilitatorOf(ours) as never);
          server.register(NETWORK, new ExactServerScheme() as never);
          const handler = withX402(
            async () => NextResponse.json(work()),
            { accepts: accepts(payTo) },
            server,
          );
          return async (request) =>
            handler(new NextRequest(request.url, { method: "POST", headers: request.headers }));
        },
      ],
    ];

    test.each(sellers)(
      "%s: paid once, and a payment sent ten times at once buys one answer",
      async (_, start) => {
        const payTo = address();
        const seller = await start(payTo);
        const account = await wallet();
        let sent: Request | undefined;
        const reach = async (input: Request) => {
          if (input.headers.has("payment-signature"))
            sent = new Request(input.url, { ...ask, headers: input.headers });
          return seller(input);
        };
        const pay = wrapFetchWithPayment(reach as never, stock(account));
        const response = await pay("http://seller.test/ask", ask);
        expect([response.status, await response.json()]).toEqual([200, { words: 3 }]);
        expect([await service.money(payTo), work.mock.calls.length]).toEqual([CENT, 1]);
        // What was paid with before buys nothing.
        expect((await seller(sent as Request)).status).toBe(402);

        let fresh = "";
        const keep = async (input: Request) => {
          fresh = input.headers.get("payment-signature") ?? "";
          return fresh ? new Response("kept") : seller(input);
        };
        await wrapFetchWithPayment(keep as never, stock(account))("http://seller.test/ask", ask);
        const again = () =>
          seller(
            new Request("http://seller.test/ask", {
              ...ask,
              headers: { "payment-signature": fresh },
            }),
          );
        const answers = await Promise.all(Array.from({ length: 10 }, again));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        expect(await service.money(payTo)).toBe(CENT * 2n);
        expect(await service.money(account.address)).toBe(DOLLAR * 2n - CENT * 2n);
      },
    );
  });

  describe("hostile use", () => {
    test("the same payment settled at once by several requests settles one of them", async () => {
      const given = await payment();
      const facilitator = facilitatorOf(ours);
      const all = Array.from({ length: 10 }, () => settle(facilitator, given));
      const settled = (await Promise.all(all)).filter(({ success }) => success);
      expect(settled).toHaveLength(1);
      expect((await settle(facilitator, given)).success).toBe(false);
      expect(await service.money(given.required.payTo)).toBe(CENT);
    });

    test("a settle whose answer was lost is answered again under its Idempotency-Key", async () => {
      const given = await payment();
      const facilitator = facilitatorOf(ours, {
        "idempotency-key": `settle ${given.required.payTo}`,
      });
      const [one, two] = [await settle(facilitator, given), await settle(facilitator, given)];
      // The ledger has no settlement of it, whose id an operation could read.
      const extra = { settlementId: "" };
      expect(one).toMatchObject({ success: true, amount: String(CENT), extra });
      expect(two).toEqual(one);
      expect(await service.money(given.required.payTo)).toBe(CENT);
    });

    test("a settle that its repeat overtook while the chain was asked gets the same answer", async () => {
      const given = await payment();
      const facilitator = facilitatorOf(ours, {
        "idempotency-key": `overtaken ${given.required.payTo}`,
      });
      const { exact } = service.onChain;
      let repeat: unknown;
      const check = vi.spyOn(exact, "check").mockImplementationOnce(async (asked) => {
        check.mockRestore();
        repeat = await settle(facilitator, given);
        return exact.check(asked);
      });
      expect(await settle(facilitator, given)).toEqual(repeat);
      expect(repeat).toMatchObject({ success: true });
      expect(await service.money(given.required.payTo)).toBe(CENT);
    });

    test("two payments with one nonce: the cheap one does not pay the expensive one", async () => {
      const nonce = keccak256("0x5050");
      const cheap = await payment({ authorization: { nonce } });
      const expensive = await payment({
        account: cheap.payer,
        value: DOLLAR,
        offer: { payTo: cheap.required.payTo },
        authorization: { nonce },
      });
      const facilitator = facilitatorOf(ours);
      const answers = await Promise.all([
        settle(facilitator, cheap),
        settle(facilitator, expensive),
      ]);
      const paid = await service.money(cheap.required.payTo);
      const claimed = answers.map((answer) =>
        "amount" in answer ? BigInt(answer.amount ?? 0) : 0n,
      );
      expect(answers.filter(({ success }) => success)).toHaveLength(1);
      expect(Math.max(...claimed.map(Number))).toBe(Number(paid));
    });

    test.each<[string, Parameters<typeof payment>[0]]>([
      ["the zero address as recipient", { offer: { payTo: `0x${"0".repeat(40)}` } }],
      ["another recipient", { authorization: { to: `0x${"12".repeat(20)}` } }],
      ["a smaller amount", { authorization: { value: 1n } }],
      ["a larger amount", { authorization: { value: DOLLAR } }],
      ["an expired authorization", { authorization: { validBefore: 1n } }],
      ["one that is not valid yet", { authorization: { validAfter: 4_000_000_000n } }],
      ["another chain's domain", { domain: { chainId: 1 } }],
      ["another contract's domain", { domain: { verifyingContract: `0x${"12".repeat(20)}` } }],
      ["another version's domain", { domain: { version: "1" } }],
      ["another asset", { offer: { asset: `0x${"12".repeat(20)}` } }],
      ["another network", { offer: { network: "eip155:8453" } }],
    ])("%s is refused by verify and settle, and nothing moves", async (_, changes) => {
      const given = await payment(changes);
      const facilitator = facilitatorOf(ours);
      const verified = await facilitator.verify(given.payload, given.required).catch((error) => ({
        isValid: false,
        invalidReason: error.invalidReason,
      }));
      expect(verified.isValid).toBe(false);
      expect((await settle(facilitator, given)).success).toBe(false);
      expect(await service.money(given.payer.address)).toBe(DOLLAR * 2n);
    });

    test("someone else's payment, settled by two sellers at once, pays its recipient once and one of them", async () => {
      const given = await payment();
      const thief = { ...given, required: { ...given.required, payTo: address() } };
      const answers = await Promise.all([
        settle(facilitatorOf(other), thief),
        settle(facilitatorOf(ours), given),
        settle(facilitatorOf(other), given),
      ]);
      expect(answers[0].success).toBe(false);
      expect(answers.filter(({ success }) => success)).toHaveLength(1);
      expect(await service.money(thief.required.payTo)).toBe(0n);
      expect(await service.money(given.required.payTo)).toBe(CENT);
    });

    test("a transfer of the same amount beside another use of the nonce pays for its own authorization only", async () => {
      const nonce = keccak256("0x6060");
      const mine = await payment({ authorization: { nonce } });
      const { payer: account, required } = mine;
      const to = { offer: { payTo: required.payTo } };
      const second = await payment({ account, ...to });
      const away = await payment({
        account,
        offer: { payTo: account.address },
        authorization: { nonce },
      });
      // The payer sends both uses in one transaction: the first nonce moves money to itself.
      const { exact, operator } = service.onChain;
      const calls = [away, second].flatMap((given) => transferCalls(asPayment(given)));
      const { status } = await operator.sender.send({
        to: service.deployment.captures as Address,
        data: encodeFunctionData({ abi: capturesAbi, functionName: "run", args: [calls] }),
        gas: 1_000_000n,
      });
      expect(status).toBe("success");
      const captured = [mine, second].map((given) =>
        exact.capture({ ...asPayment(given), sinceBlock: 0n, builder: "" }),
      );
      expect((await Promise.all(captured)).map((each) => each.status)).toEqual(["refused", "paid"]);
      expect(await service.money(required.payTo)).toBe(CENT);
    });

    test("more than the wallet has, in several payments at once, is paid up to what it has", async () => {
      const account = await wallet(CENT * 2n);
      const all = await Promise.all(Array.from({ length: 5 }, () => payment({ account })));
      const answers = await Promise.all(all.map((given) => settle(facilitatorOf(ours), given)));
      expect(answers.filter(({ success }) => success)).toHaveLength(2);
      expect(await service.money(account.address)).toBe(0n);
    });

    test("without an API key nothing is settled", async () => {
      const given = await payment();
      await expect(
        new HTTPFacilitatorClient({
          url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/api/v1/x402`,
        }).settle(given.payload, given.required),
      ).rejects.toThrow();
      expect(await service.money(given.required.payTo)).toBe(0n);
    });
  });
});
