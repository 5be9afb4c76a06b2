import type { Hex } from "viem";
import { createBundler } from "@/lib/adapters/chain/bundler/bundler.ts";
import type { BundlerOptions } from "@/lib/adapters/chain/bundler/bundler-options.ts";
import {
  createDescribeBurns,
  createLedgerBundlerStore,
} from "@/lib/adapters/chain/bundler/describe-burns.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { createMirrorLedger } from "@/lib/adapters/db/chain/mirror-ledger.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import type { ChainTestService } from "@/lib/server/testing/chain-service.ts";
import { type ChainMarket, settleOnce } from "./chain-market.ts";

const INCLUDED_WITHIN_MS = 120_000;

/** A burst's result, from the first call to the last included settlement. */
export type Burst = Awaited<ReturnType<typeof burst>>;

/** Settles `count` times in parallel over the market's tokens, and waits until all are on chain. */
export async function burst(service: ChainTestService, market: ChainMarket, count: number) {
  const start = performance.now();
  const secsSince = () => (performance.now() - start) / 1_000;
  const ids = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      settleOnce(market, market.tokens[index % market.tokens.length] ?? market.token),
    ),
  );
  const answeredSecs = secsSince();
  await untilOffTheWay(service);
  const secs = secsSince();
  const [sum] = await service.database.query<{ included: number; operations: bigint }>(
    `select (select count(*) from settlements where settlement_id = any($1) and chain_status in ('included', 'final')) as included,
       (select sum(jsonb_array_length(burns)) from chain_bundles
        where bundle_id in (select bundle_id from chain_burns where settlement_id = any($1))) as operations`,
    [ids],
  );
  const transactions = await transactionsOf(service, ids);
  let gas = 0n;
  for (const hash of transactions) {
    const receipt = await service.onChain.operator.client.getTransactionReceipt({ hash });
    gas += receipt.gasUsed;
  }
  return {
    settles: count,
    included: Number(sum?.included),
    operations: Number(sum?.operations),
    transactions: transactions.length,
    answeredSecs,
    secs,
    perSecond: count / secs,
    gasEach: Math.round(Number(gas) / count),
  };
}

/** Runs `work` with a differently configured bundler in place of the service's, on the same ledger and chain. */
export async function withBundler<Result>(
  service: ChainTestService,
  options: Pick<BundlerOptions, "isGrouped" | "maxOperations" | "maxSettlements">,
  work: () => Promise<Result>,
): Promise<Result> {
  const { operator, grants, bundler: own } = service.onChain;
  const { database } = service;
  const describe = createDescribeBurns({
    grants,
    findDelegation: createDelegations(database.orm).find,
  });
  const bundler = createBundler({
    ...operator,
    store: createLedgerBundlerStore(createMirrorLedger(database), describe, () => {}),
    loadSessionKey: grants.sessionKey,
    lane: `eip155:${operator.deployment.chainId}`,
    owner: "bench",
    ...options,
  });
  await own.stop();
  bundler.start();
  // The service wakes its own bundler; this one must poll.
  const waking = setInterval(bundler.wake, 5);
  try {
    return await work();
  } finally {
    clearInterval(waking);
    await bundler.stop();
    own.start();
  }
}

async function untilOffTheWay({ database }: ChainTestService): Promise<void> {
  const isDone = async () => {
    const rows = await database.query(
      "select 1 from settlements where chain_status in ('pending', 'submitted') limit 1",
      [],
    );
    return rows.length === 0 || undefined;
  };
  if (!(await pollUntil(isDone, { timeoutMs: INCLUDED_WITHIN_MS, firstMs: 10, maxMs: 20 }))) {
    throw new Error("Some settlements are not on chain yet.");
  }
}

async function transactionsOf({ database }: ChainTestService, ids: string[]): Promise<Hex[]> {
  const rows = await database.query<{ transaction: Hex }>(
    "select distinct transaction from settlements where settlement_id = any($1)",
    [ids],
  );
  return rows.map(({ transaction }) => transaction);
}
