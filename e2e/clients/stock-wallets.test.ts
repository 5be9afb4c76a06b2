import { join } from "node:path";
import { decodeHeader, decodePaymentRequired } from "@turnpike/payments/protocol";
import { wrapAxiosWithPayment } from "@x402/axios";
import { isPaymentRequired, PaymentRequiredV2Schema } from "@x402/core/schemas";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import axios from "axios";
import { createPublicClient, type Hex, http, parseAbi, parseEventLogs } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, describe, expect, test } from "vitest";
import { readSandboxFile, type SandboxFile } from "../../lib/sandbox/sandbox-file.ts";
import { serviceDataDir } from "../support/service-url.ts";

const NETWORK = "eip155:84532";
const CENT = 10_000n;
const DOLLAR = 1_000_000n;
const usdcAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function faucet(address to, uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
const ask = {
  method: "POST",
  body: JSON.stringify({ question: "one two three" }),
  headers: { "content-type": "application/json" },
};

/** Unmodified clients, without any configuration for this service, against the running sandbox. */
describe("a stock x402 wallet", () => {
  let sandbox: Required<SandboxFile>;
  let money: (account: string) => Promise<bigint>;
  /** What went from the wallet to the seller in one transaction; others earn the seller money meanwhile. */
  let sentIn: (transaction: string) => Promise<bigint[]>;
  let wallet: ReturnType<typeof privateKeyToAccount>;
  const routes = () => {
    const { url, exactUrl = "", packUrl = "" } = sandbox.agent;
    return { url, exactUrl, packUrl };
  };
  const stock = () => new x402Client().register(NETWORK, new ExactEvmScheme(wallet));

  beforeAll(async () => {
    const path = join(serviceDataDir() ?? ".turnpike", "sandbox.json");
    sandbox = (await readSandboxFile(path)) as Required<SandboxFile>;
    const client = createPublicClient({ transport: http(sandbox.chain.rpcUrl) });
    const address = sandbox.chain.contracts.usdc as Hex;
    money = (account) =>
      client.readContract({
        address,
        abi: usdcAbi,
        functionName: "balanceOf",
        args: [account as Hex],
      });
    wallet = privateKeyToAccount(sandbox.wallet.privateKey as Hex);
    sentIn = async (transaction) => {
      const { logs } = await client.getTransactionReceipt({ hash: transaction as Hex });
      const args = { from: wallet.address, to: sandbox.builder.address as Hex };
      const sent = parseEventLogs({ abi: usdcAbi, eventName: "Transfer", logs, args });
      return sent.map((transfer) => transfer.args.value);
    };
  });

  test.each([
    ["exactUrl", CENT],
    ["packUrl", DOLLAR],
    ["url", CENT],
  ] as const)(
    "pays agent.%s with @x402/fetch and @x402/axios: the price moves once",
    async (name, price) => {
      const url = routes()[name];
      const had = await money(wallet.address);
      const response = await wrapFetchWithPayment(fetch, stock())(url, ask);
      expect(response.status).toBe(200);
      const receipt = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
      expect(receipt).toMatchObject({ success: true, payer: wallet.address, network: NETWORK });
      const paid = async () => had - (await money(wallet.address));
      expect(await paid()).toBe(price);
      expect(await sentIn(receipt.transaction)).toEqual([price]);
      const { data, headers } = await wrapAxiosWithPayment(axios.create(), stock() as never).post(
        url,
        {
          question: "one two",
        },
      );
      expect(data).toMatchObject({ words: 2 });
      expect(await paid()).toBe(price * 2n);
      const second = decodePaymentResponseHeader(String(headers["payment-response"]));
      expect(await sentIn(second.transaction)).toEqual([price]);
    },
  );

  test("without money is told so, and gets nothing", async () => {
    const poor = privateKeyToAccount(generatePrivateKey());
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(poor));
    const response = await wrapFetchWithPayment(fetch, client)(routes().exactUrl, ask);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ cause: "wallet_funds" });
  });

  test("every 402 of the demo agent passes the stock schema, and its body has every offer", async () => {
    for (const url of Object.values(routes())) {
      const refused = await fetch(url, ask);
      expect(refused.status).toBe(402);
      const header = refused.headers.get("payment-required") ?? "";
      const required = decodeHeader(header);
      expect(PaymentRequiredV2Schema.safeParse(required).error, url).toBeUndefined();
      expect(isPaymentRequired(required), url).toBe(true);
      const { paymentRequired } = (await refused.json()) as {
        paymentRequired: { accepts: object[] };
      };
      expect(decodePaymentRequired(header)?.accepts).toHaveLength(paymentRequired.accepts.length);
    }
  });
});
