import { randomBytes } from "node:crypto";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitatorScheme } from "@x402/evm/exact/facilitator";
import { type Address, createWalletClient, type Hex, http, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { giveTestDollars } from "@/lib/adapters/chain/operator.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { startPostgres } from "@/lib/adapters/db/testing/postgres-cluster.ts";
import { EMBEDDED_CHAIN_ID } from "@/lib/sandbox/chain/anvil-process.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import type { TestParty } from "@/lib/server/testing/test-service.ts";
import type { BenchOptions, Measured } from "./ratios.ts";

const NETWORK = "eip155:84532";
const PAYERS = 50;
const PRICE = 10_000n;
/** Settled one by one by the stock facilitator, and at once by ours. */
const COUNT = { stock: 100, ours: 1_000 };

type Payload = Parameters<x402Facilitator["settle"]>[0];
type Requirements = Parameters<x402Facilitator["settle"]>[1];
type Run = { settled: number; secs: number; transactions: Set<string> };

/** Compares the gas and the rate of payments by `exact` with a stock facilitator's, on one chain, in one run. */
export async function run({ say }: BenchOptions): Promise<Measured> {
  const cluster = await startPostgres();
  const database = await openDatabase(cluster ? { url: cluster.url } : {});
  const service = await startChainTestService(database);
  try {
    const builder = await service.party({ isFunded: false });
    const required = requirementOf(service);
    const payments = await signPayments(service, required, COUNT.stock * 2 + COUNT.ours);
    const stock = await openStock(service);
    const rounds = [payments.splice(0, COUNT.stock), payments.splice(0, COUNT.stock)] as const;
    const one = await settleEach(rounds[0], 1, (payload) => stock.settle(payload, required));
    // Its best: as many at once as its key's nonces allow.
    const many = await settleEach(rounds[1], 25, (payload) => stock.settle(payload, required));
    const ours = await settleEach(
      payments,
      payments.length,
      settleOurs(service, builder, required),
    );
    const gas = { one: await gasOf(service, one), ours: await gasOf(service, ours) };
    const rate = (of: Run) => of.settled / of.secs;
    const text = (name: string, of: Run, each: number) =>
      say(
        `exact: ${name}: ${of.settled} settled in ${of.secs.toFixed(1)} s, ${rate(of).toFixed(0)}/s, ${of.transactions.size} transactions, ${each.toFixed(0)} gas each`,
      );
    text("stock, one by one", one, gas.one);
    text("stock, 25 at once", many, await gasOf(service, many));
    text("ours", ours, gas.ours);
    say(
      `exact against stock: gas ${(gas.ours / gas.one).toFixed(2)} x, rate ${(rate(ours) / rate(one)).toFixed(1)} x one by one, ${(rate(ours) / rate(many)).toFixed(1)} x its best`,
    );
    return {
      figures: { gas, perSecond: { one: rate(one), many: rate(many), ours: rate(ours) } },
      ratios: {},
    };
  } finally {
    await service.stop();
    await database.close();
    await cluster?.stop();
  }
}

const requirementOf = ({ usdc }: ChainTestService): Requirements => ({
  scheme: "exact",
  network: NETWORK,
  amount: String(PRICE),
  asset: usdc,
  payTo: "0x000000000000000000000000000000000000dEaD",
  maxTimeoutSeconds: 3_600,
  extra: { name: "USDC", version: "2" },
});

async function signPayments(
  { onChain }: ChainTestService,
  required: Requirements,
  count: number,
): Promise<Payload[]> {
  const amount = PRICE * BigInt(count);
  const payers = Array.from({ length: PAYERS }, () => privateKeyToAccount(generatePrivateKey()));
  await giveTestDollars(onChain.operator, { account: required.payTo as Address, amount: 1n });
  for (const { address: account } of payers)
    await giveTestDollars(onChain.operator, { account, amount });
  const schemes = payers.map((payer) => new ExactEvmScheme(payer));
  const payments: Payload[] = [];
  for (let index = 0; index < count; index++) {
    const scheme = schemes[index % PAYERS] as ExactEvmScheme;
    const signed = await scheme.createPaymentPayload(2, required);
    payments.push({ ...signed, accepted: required } as Payload);
  }
  return payments;
}

/** The stock facilitator, as its documentation sets it up, with its own key. */
async function openStock({ chain }: ChainTestService): Promise<x402Facilitator> {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString("hex")}` as Hex);
  await chain.fund(account.address, 10n ** 22n);
  const rpcUrl = chain.rpcUrl;
  const base = {
    id: EMBEDDED_CHAIN_ID,
    name: "embedded",
    rpcUrls: { default: { http: [rpcUrl] } },
  };
  const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
  const client = createWalletClient({
    account,
    chain: { ...base, nativeCurrency },
    transport: http(rpcUrl),
    // Its default of four seconds would count as its time.
    pollingInterval: 20,
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as never);
  return new x402Facilitator().register(NETWORK, new ExactFacilitatorScheme(signer));
}

const settleOurs =
  (service: ChainTestService, builder: TestParty, paymentRequirements: Requirements) =>
  async (paymentPayload: Payload) => {
    const body = { x402Version: 2, paymentPayload, paymentRequirements };
    const answer = await service.call(builder, "POST", "/x402/settle", body);
    return (await answer.json()) as { success: boolean; transaction: string };
  };

/** Settles all, at most so many at once. */
async function settleEach(
  payments: readonly Payload[],
  parallel: number,
  settle: (payload: Payload) => Promise<{ success: boolean; transaction: string }>,
): Promise<Run> {
  const start = performance.now();
  const waiting = [...payments];
  const transactions = new Set<string>();
  let settled = 0;
  const worker = async () => {
    for (let payload = waiting.pop(); payload; payload = waiting.pop()) {
      const answer = await settle(payload).catch(() => null);
      if (!answer?.success) continue;
      settled += 1;
      transactions.add(answer.transaction);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return { settled, secs: (performance.now() - start) / 1_000, transactions };
}

async function gasOf(
  { onChain }: ChainTestService,
  { transactions, settled }: Run,
): Promise<number> {
  let gas = 0n;
  for (const hash of transactions)
    gas += (await onChain.operator.client.getTransactionReceipt({ hash: hash as Hex })).gasUsed;
  return Number(gas) / settled;
}
