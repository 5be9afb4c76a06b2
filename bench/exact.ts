import { randomBytes } from "node:crypto";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmScheme as ExactFacilitatorScheme } from "@x402/evm/exact/facilitator";
import {
  type Address,
  createWalletClient,
  type Hex,
  http,
  type NonceManager,
  nonceManager,
  publicActions,
} from "viem";
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
/** Base, which `NETWORK` is a copy of, has a block every two seconds. */
const BLOCK_SECS = 2;

type Payload = Parameters<x402Facilitator["settle"]>[0];
type Requirements = Parameters<x402Facilitator["settle"]>[1];
type Settle = (payload: Payload) => Promise<{ success: boolean; transaction: string }>;
type Run = { settled: number; secs: number; cpuMs: number; transactions: Set<string>; gas: number };

/**
 * Compares the gas and the rate of payments by `exact` with a stock facilitator's, on one chain, in one run: first with a
 * block for each transaction, which no real chain has and which favors the stock one, then with a block every two seconds.
 */
export async function run({ say }: BenchOptions): Promise<Measured> {
  const cluster = await startPostgres();
  const database = await openDatabase(cluster ? { url: cluster.url } : {});
  const service = await startChainTestService(database);
  try {
    const builder = await service.party({ isFunded: false });
    const required = requirementOf(service);
    const stock = await openStock(service);
    const counting = await openStock(service, nonceManager);
    const settleStock: Settle = (payload) => stock.settle(payload, required);
    const settleCounting: Settle = (payload) => counting.settle(payload, required);
    const settleAtOurs = settleOurs(service, builder, required);
    const payments = await signPayments(service, required, 2_560);
    const measure = async (name: string, [count, parallel]: [number, number], settle: Settle) => {
      const made = await settleEach(payments.splice(0, count), parallel, settle);
      const measured = { ...made, gas: await gasOf(service, made) };
      say(textOf(name, count, measured));
      return measured;
    };
    const one = await measure("stock, one by one", [100, 1], settleStock);
    const many = await measure("stock, 25 at once", [100, 25], settleStock);
    const best = await measure("stock with a nonce manager, 25 at once", [100, 25], settleCounting);
    const ours = await measure("ours, 250 at once", [1_000, 250], settleAtOurs);
    const against = (of: Run) => (rateOf(ours) / rateOf(of)).toFixed(1);
    say(
      `exact against stock: gas ${(ours.gas / one.gas).toFixed(2)} x, rate ${against(rateOf(one) > rateOf(many) ? one : many)} x as documented, ${against(best)} x with a nonce manager, processor time ${(ours.cpuMs / ours.settled / (one.cpuMs / one.settled)).toFixed(2)} x each`,
    );
    await mineEvery(service, BLOCK_SECS);
    const slow = await measure("2 s blocks: stock, one by one", [10, 1], settleStock);
    const slowBest = await measure(
      "2 s blocks: stock with a nonce manager, 25 at once",
      [100, 25],
      settleCounting,
    );
    const slowOurs = await measure("2 s blocks: ours, 250 at once", [1_000, 250], settleAtOurs);
    const gain = (of: Run) => (rateOf(slowOurs) / rateOf(of)).toFixed(1);
    say(
      `exact against stock, 2 s blocks: gas ${(slowOurs.gas / slow.gas).toFixed(2)} x, rate ${gain(slow)} x as documented, ${gain(slowBest)} x with a nonce manager`,
    );
    const runs = { one, many, best, ours, slow, slowBest, slowOurs };
    const figures = Object.entries(runs).map(([name, of]) => [
      name,
      { perSecond: rateOf(of), gas: of.gas },
    ]);
    return { figures: Object.fromEntries(figures), ratios: {} };
  } finally {
    await service.stop();
    await database.close();
    await cluster?.stop();
  }
}

const rateOf = ({ settled, secs }: Run) => settled / secs;

const textOf = (name: string, count: number, of: Run) =>
  `exact: ${name}: ${of.settled} of ${count} settled in ${of.secs.toFixed(1)} s, ${rateOf(of).toFixed(1)}/s, ${(of.cpuMs / of.settled).toFixed(1)} ms of processor time each, ${of.transactions.size} transactions, ${of.gas.toFixed(0)} gas each`;

async function mineEvery({ onChain }: ChainTestService, secs: number): Promise<void> {
  const request = { method: "evm_setIntervalMining", params: [secs] };
  await onChain.operator.client.request(request as never);
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

/**
 * The stock facilitator, as its documentation sets it up, with its own key. Its payments of one moment take the same nonce,
 * and most of them fail, unless its key is given viem's nonce manager, which its documentation does not do.
 */
async function openStock(
  { chain }: ChainTestService,
  nonceManager?: NonceManager,
): Promise<x402Facilitator> {
  const key = `0x${randomBytes(32).toString("hex")}` as Hex;
  const account = privateKeyToAccount(key, nonceManager && { nonceManager });
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
  (service: ChainTestService, builder: TestParty, paymentRequirements: Requirements): Settle =>
  async (paymentPayload) => {
    const body = { x402Version: 2, paymentPayload, paymentRequirements };
    const answer = await service.call(builder, "POST", "/x402/settle", body);
    return (await answer.json()) as { success: boolean; transaction: string };
  };

/** Settles all, at most so many at once. */
async function settleEach(
  payments: readonly Payload[],
  parallel: number,
  settle: Settle,
): Promise<Omit<Run, "gas">> {
  const start = performance.now();
  const before = process.cpuUsage();
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
  const { user, system } = process.cpuUsage(before);
  const secs = (performance.now() - start) / 1_000;
  return { settled, secs, cpuMs: (user + system) / 1_000, transactions };
}

async function gasOf(
  { onChain }: ChainTestService,
  { transactions, settled }: Omit<Run, "gas">,
): Promise<number> {
  let gas = 0n;
  for (const hash of transactions)
    gas += (await onChain.operator.client.getTransactionReceipt({ hash: hash as Hex })).gasUsed;
  return Number(gas) / settled;
}
