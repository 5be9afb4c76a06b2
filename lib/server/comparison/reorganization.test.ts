import {
  buildPaymentRequired,
  getCryptoPriceConfig,
  getFixedCreditsConfig,
} from "@turnpike/payments/protocol";
import { encodeFunctionData, keccak256, stringToHex } from "viem";
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
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules, openTestPglite } from "@/lib/adapters/db/testing/stores.ts";
import { type ChainTestService, startChainTestService } from "../testing/chain-service.ts";
import { createMarket } from "../testing/test-service.ts";

const PRICE = 1_000_000n;
const PAYEE = "0x00000000000000000000000000000000000000Ad";

let database: Database;
let service: ChainTestService;

beforeAll(async () => {
  database = await openTestPglite();
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

test("an order of a holder's own that the chain moves within its block is noted once", async () => {
  const { subscriber, planId } = await openMarket();
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
  const unsigned = createOwnerOperation({ account: account.address, calls, nonceKey: 7n, callGas });
  const typedData = userOperationTypedData(deployment, unsigned, "HybridDeleGator");
  // Someone else than the service sends it.
  const settler = privateKeyToAccount(keccak256(stringToHex("another bundler")));
  const stranger = privateKeyToAccount(keccak256(stringToHex("a stranger")));
  for (const { address } of [settler, stranger]) await service.chain.fund(address, 10n ** 18n);
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
    database.query("select kind, state, credits from chain_findings where account = $1", [
      subscriber.address,
    ]);
  expect(await noted()).toEqual([{ kind: "order", state: "noted", credits: 100n }]);
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
  const depth = 1 + Number((await client.getBlockNumber()) - (await lastBlockOf(forms)));
  const pairs = [first, forms.at(-1)?.raw].map((raw) => [raw, 0]);
  await client.request({ method: "anvil_reorg", params: [depth, pairs] } as never);
  await service.onChain.watch();
  expect(await noted()).toEqual([{ kind: "order", state: "noted", credits: 100n }]);
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
});

async function lastBlockOf(forms: SignedTransaction[]): Promise<bigint> {
  const { client } = service.onChain.operator;
  const hash = forms.at(-1)?.hash ?? "0x";
  return (await client.getTransactionReceipt({ hash })).blockNumber;
}

test("a burn that the chain moves to a later block stops no sales", async () => {
  const { builder, subscriber, token, planId, agentId, endpoint } = await openMarket();
  const settlement = await builder.payments.facilitator.settlePermissions({
    paymentRequired: buildPaymentRequired({ planId, agentId, endpoint, httpVerb: "POST" }),
    x402AccessToken: token,
  });
  expect(settlement).toMatchObject({ success: true });
  await service.untilMirrored();
  const [bundle] = await database.query<{ raw: string; block: bigint }>(
    "select transactions->-1->>'raw' as raw, block::numeric as block from chain_bundles order by seq desc limit 1",
    [],
  );
  const { client } = service.onChain.operator;
  const depth = Number((await client.getBlockNumber()) - (bundle?.block ?? 0n)) + 2;
  await client.request({ method: "anvil_mine", params: ["0x1"] } as never);
  await client.request({ method: "anvil_reorg", params: [depth, [[bundle?.raw, 1]]] } as never);
  await service.onChain.watch();
  expect(await service.onChain.findings.listOpen()).toEqual([]);
  expect(await service.onChain.reconciler.run()).toMatchObject({ difference: 0n });
  expect(service.onChain.salesStop()).toBeNull();
  expect(await service.credits(subscriber.address, planId)).toBe(99n);
});
