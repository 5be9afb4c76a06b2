import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { encodeFunctionData, getAddress, type Hex, keccak256, stringToHex } from "viem";
import { privateKeyToAccount, signTypedData } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenAbi } from "@/lib/adapters/chain/abis.ts";
import {
  createTransactionSender,
  type SignedTransaction,
} from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { userOperationTypedData } from "@/lib/adapters/chain/bundler/user-operation.ts";
import {
  createOwnerOperation,
  sendOwnerOperation,
} from "@/lib/adapters/chain/grants/owner-operation.ts";
import { orderCalls } from "@/lib/adapters/chain/order-calls.ts";
import { mintCreditsOnChain } from "@/lib/adapters/chain/testing/mint-credits.ts";
import { createMirrorLedger } from "@/lib/adapters/db/chain/mirror-ledger.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openRuleStore } from "@/lib/adapters/db/testing/stores.ts";
import { longTest } from "@/lib/testing/in-full.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket } from "../testing/test-service.ts";

const PRICE = 1_000_000n;
const ORDER = { kind: "order", state: "noted", credits: 100n };
const PAYEE = "0x00000000000000000000000000000000000000Ad";

let database: Database;
let service: ChainTestService;

beforeAll(async () => {
  database = await openRuleStore();
  // The test looks at the chain when it wants to.
  service = await startChainTestService(database, undefined, undefined, () => []);
});
afterAll(async () => {
  await service.stop();
  expect(await brokenRules(database)).toEqual([]);
  await database.close();
});

async function openMarket() {
  const receiver = await service.party({ isFunded: false });
  return createMarket(service, {
    price: getCryptoPriceConfig(PRICE, receiver.address, service.usdc),
    credits: getFixedCreditsConfig(100n, 1n),
  });
}

type Market = Awaited<ReturnType<typeof openMarket>>;

/** A holder orders a plan on chain themselves, which is noted. */
async function orderOnChain({ subscriber, planId }: Market, nonceKey: bigint) {
  const { grants, operator } = service.onChain;
  const { client, deployment } = operator;
  const [privateKey, account] = await Promise.all([
    grants.ownerKey(subscriber.address),
    grants.smartAccount(subscriber.address),
  ]);
  const calls = orderCalls(deployment, {
    planId: BigInt(planId),
    token: service.usdc,
    total: PRICE,
  });
  const callGas = 600_000n;
  const unsigned = createOwnerOperation({ account: account.address, calls, nonceKey, callGas });
  const typedData = userOperationTypedData(deployment, unsigned, "HybridDeleGator");
  // Someone else than the service sends it.
  const settler = privateKeyToAccount(keccak256(stringToHex("another bundler")));
  await service.chain.fund(settler.address, 10n ** 18n);
  const forms: SignedTransaction[] = [];
  const reason = await sendOwnerOperation(
    { ...operator, sender: createTransactionSender({ client, settler }) },
    {
      account,
      unsigned,
      signature: await signTypedData({ ...typedData, privateKey }),
      callGas,
      beforeSend: (form) => void forms.push(form),
    },
  );
  expect(reason).toBeNull();
  await service.onChain.watch();
  const noted = () =>
    database.query(
      "select kind, state, credits from chain_findings where account = $1 order by block",
      [subscriber.address],
    );
  const raw = forms.at(-1)?.raw ?? "0x";
  /** Replaces its block and those after it. */
  const replaceBlock = async (transactions: (string | undefined)[]) =>
    reorganize(
      1 + Number((await client.getBlockNumber()) - (await lastBlockOf(forms))),
      transactions,
    );
  return { noted, raw, replaceBlock };
}

/** Replaces the latest blocks by empty ones and by these transactions, each in the first of them. */
const reorganize = (depth: number, transactions: (string | undefined)[]) =>
  service.onChain.operator.client.request({
    method: "anvil_reorg",
    params: [depth, transactions.map((raw) => [raw, 0])],
  } as never);
const mine = (blocks: number) =>
  service.onChain.operator.client.request({
    method: "anvil_mine",
    params: [`0x${blocks.toString(16)}`],
  } as never);

longTest(
  "an order of a holder's own that the chain moves within its block is noted once",
  async () => {
    const { deployment } = service.onChain.operator;
    const { noted, raw, replaceBlock } = await orderOnChain(await openMarket(), 7n);
    expect(await noted()).toEqual([ORDER]);
    const stranger = privateKeyToAccount(keccak256(stringToHex("a stranger")));
    await service.chain.fund(stranger.address, 10n ** 18n);
    // Another transaction with an event comes before it in its block.
    const first = await stranger.signTransaction({
      type: "eip1559",
      chainId: deployment.chainId,
      nonce: 0,
      to: service.usdc,
      data: encodeFunctionData({ abi: tokenAbi, functionName: "approve", args: [PAYEE, 1n] }),
      gas: 100_000n,
      maxFeePerGas: 10n ** 10n,
    });
    await replaceBlock([first, raw]);
    await service.onChain.watch();
    expect(await noted()).toEqual([ORDER]);
    expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  },
);

async function lastBlockOf(forms: SignedTransaction[]): Promise<bigint> {
  const { client } = service.onChain.operator;
  const hash = forms.at(-1)?.hash ?? "0x";
  return (await client.getTransactionReceipt({ hash })).blockNumber;
}

test("an order of a holder's own that the chain drops counts no more once that is final, and again when it returns", async () => {
  const market = await openMarket();
  await orderOnChain(market, 8n);
  const { noted, raw, replaceBlock } = await orderOnChain(market, 9n);
  const compare = async () => {
    await service.onChain.watch();
    await service.onChain.reconcile();
    return service.onChain.salesStop();
  };
  expect(await compare()).toBeNull();
  await replaceBlock([]);
  // The chain may still take it up again.
  expect(await compare()).toContain("differ by 100");
  expect(await noted()).toEqual([ORDER, ORDER]);
  await mine(13);
  expect(await compare()).toBeNull();
  expect(await noted()).toEqual([ORDER, { ...ORDER, state: "explained", credits: 0n }]);
  const notes = await database.query("select note from chain_findings where credits = 0", []);
  expect(notes).toEqual([{ note: "No longer on chain." }]);

  const { client } = service.onChain.operator;
  await client.sendRawTransaction({ serializedTransaction: raw });
  await mine(1);
  expect(await compare()).toBeNull();
  expect(await noted()).toEqual([ORDER, ORDER]);
});

test("a change by a key of the administrators that the chain drops still waits for a person, and counts no more", async () => {
  const { subscriber, planId } = await openMarket();
  const { operator, findings } = service.onChain;
  const account = getAddress(subscriber.address);
  const mint = { planId: BigInt(planId), account, amount: 5n, orderId: "a drill" };
  expect(await mintCreditsOnChain(operator, mint)).toMatchObject({ status: "done" });
  await service.onChain.watch();
  await reorganize(1, []);
  await mine(13);
  await service.onChain.watch();
  const [found, ...others] = await findings.listOpen();
  expect([found?.kind, others]).toEqual(["mint", []]);
  await findings.explain(found?.findingId ?? "", "A drill.");
  await service.onChain.watch();
  await service.onChain.reconcile();
  expect(service.onChain.salesStop()).toBeNull();
  const [row] = await database.query("select note from chain_findings where kind = 'mint'", []);
  expect(row).toEqual({ note: "No longer on chain. A drill." });
});

/** A call that is settled and burned on chain, with the bundle that has it. */
async function burnCall({ builder, token, planId, agentId, endpoint }: Market) {
  const settlement = await builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
    x402AccessToken: token,
  });
  expect(settlement).toMatchObject({ success: true });
  await service.untilMirrored();
  const [bundle] = await database.query<{ id: string; raw: Hex; block: bigint; burn: string }>(
    `select bundle_id as id, transactions->-1->>'raw' as raw, block::numeric as block,
       (select settlement_id from chain_burns c where c.bundle_id = u.bundle_id) as burn
     from chain_bundles u order by seq desc limit 1`,
    [],
  );
  if (!bundle) throw new Error("Nothing was bundled.");
  const head = await service.onChain.operator.client.getBlockNumber();
  return { ...bundle, depth: Number(head - bundle.block) + 1 };
}

test("a burn that failed in one block and is included in another is charged once on chain", async () => {
  const market = await openMarket();
  const { raw, id, block, burn, depth } = await burnCall(market);
  const { bundler, reconciler, operator } = service.onChain;
  const creditsOf = () => service.credits(market.subscriber.address, market.planId);
  const statusOf = async () =>
    database.query("select chain_status as status from settlements where settlement_id = $1", [
      burn,
    ]);
  await reorganize(depth, []);
  const reason = "InsufficientCredits";
  const updates = [{ settlementId: burn, status: "failed", transaction: "", reason } as const];
  await createMirrorLedger(database).closeBundle({ bundleId: id, block, updates });
  expect(await reconciler.run()).toMatchObject({ difference: 0n, inFlight: 1n });
  expect(await creditsOf()).toBe(100n);

  await operator.client.sendRawTransaction({ serializedTransaction: raw });
  await mine(13);
  await bundler.checkFinality();
  expect(await statusOf()).toEqual([{ status: "final" }]);
  expect(await creditsOf()).toBe(99n);
  expect(await reconciler.run()).toMatchObject({ difference: 0n, inFlight: 0n });
});

test("a burn that the chain moves to a later block stops no sales", async () => {
  const market = await openMarket();
  const { subscriber, planId } = market;
  const { raw, depth } = await burnCall(market);
  const { client } = service.onChain.operator;
  await client.request({ method: "anvil_mine", params: ["0x1"] } as never);
  await client.request({ method: "anvil_reorg", params: [depth + 1, [[raw, 1]]] } as never);
  await service.onChain.watch();
  expect(await service.onChain.findings.listOpen()).toEqual([]);
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  expect(service.onChain.salesStop()).toBeNull();
  expect(await service.credits(subscriber.address, planId)).toBe(99n);
});
