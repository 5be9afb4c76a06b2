import { type Hex, parseEventLogs } from "viem";
import { creditsAbi } from "@/lib/adapters/chain/abis.ts";
import { createBundler } from "@/lib/adapters/chain/bundler/bundler.ts";
import type { BundlerOptions } from "@/lib/adapters/chain/bundler/bundler-options.ts";
import { verifyReceipt } from "@/lib/adapters/chain/bundler/burn-groups.ts";
import {
  createDescribeBurns,
  createLedgerBundlerStore,
} from "@/lib/adapters/chain/bundler/describe-burns.ts";
import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import { createMirrorLedger } from "@/lib/adapters/db/chain/mirror-ledger.ts";
import { openDatabase } from "@/lib/adapters/db/client.ts";
import { createDelegations } from "@/lib/adapters/db/delegations.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { quantile } from "../scripts/proof/measure.ts";
import { type ChainMarket, openChainMarket, settleOnce } from "./chain-market.ts";
import type { BenchOptions, Measured } from "./ratios.ts";

const BURST = 1_000;
const ACCOUNTS = 50;
const ONE_BY_ONE = 60;
const SINGLES = 60;
/** Operations per transaction; without grouping, a bundler discards what it reads beyond that. */
const BUNDLE = 70;

/** Settles through the real service onto the embedded chain: many accounts, one at a time, and one account. */
export async function run({ say }: BenchOptions): Promise<Measured> {
  const database = await openDatabase({});
  const service = await startChainTestService(database);
  const report = reportTo(say);
  try {
    say(`\nPGlite and the embedded chain, service and load in one process\n`);
    const many = await openChainMarket(service, { subscribers: ACCOUNTS });
    // Warm up the compiler first.
    await burst(service, many, 200);
    const single = await withBundler(
      service,
      { isGrouped: false, maxOperations: 1, maxSettlements: 1 },
      () => burst(service, many, ONE_BY_ONE),
    );
    report(`${ACCOUNTS} accounts, one operation per transaction`, single);
    const apart = await withBundler(service, { isGrouped: false, maxSettlements: BUNDLE }, () =>
      burst(service, many, BURST),
    );
    report(`${ACCOUNTS} accounts, grouping off`, apart);
    const grouped = await burst(service, many, BURST);
    report(`${ACCOUNTS} accounts, grouping on`, grouped);
    const ratio = (grouped.perSecond / single.perSecond).toFixed(1);
    say(`  grouping settles ${ratio} times as many as one operation per transaction`);

    const p50 = await medianOfSingles(service);
    say(`  one settle at a time, proof required, p50 ${p50.toFixed(1)} ms until in a block`);

    const one = await openChainMarket(service);
    const busy = await burst(service, one, BURST);
    report("one subscriber, grouping on", busy);
    const { receipts, proven, forged } = await proveReceipts(service, one);
    const fewer = (busy.settles / busy.operations).toFixed(1);
    say(
      `  ${fewer} times fewer operations; ${proven} of ${receipts} receipts are proved, ${forged} forged ones are`,
    );
    const { difference } = await service.onChain.reconciler.run();
    say(
      `figures: chain: one by one ${rate(single)}, grouping off ${rate(apart)}, grouping on ${rate(grouped)}, ratio ${ratio}, p50 ${p50.toFixed(1)} ms, one subscriber ${busy.operations} operations for ${busy.settles} settles at ${busy.gasEach} gas (${included(busy)}), receipts ${proven} of ${receipts}, forged ${forged}, difference ${difference}`,
    );
    return { figures: { single, apart, grouped, oneSubscriber: busy, p50 }, ratios: {} };
  } finally {
    await service.stop();
    await database.close();
  }
}

const included = ({ included: done, settles }: Burst) => `${done} of ${settles}`;
const rate = (result: Burst) =>
  `${Math.round(result.perSecond)}/s at ${result.gasEach} gas (${included(result)})`;

const reportTo =
  (say: BenchOptions["say"]) =>
  (label: string, result: Burst): void => {
    const { perSecond, gasEach, operations, transactions, answeredSecs, secs } = result;
    say(
      `  ${label.padEnd(44)} ${String(Math.round(perSecond)).padStart(5)}/s  ${String(gasEach).padStart(7)} gas each  ${included(result)} included, ${operations} operations in ${transactions} transactions; answered in ${answeredSecs.toFixed(2)} s, included in ${secs.toFixed(2)} s`,
    );
  };

async function medianOfSingles(service: ChainTestService): Promise<number> {
  const market = await openChainMarket(service, { proofRequired: true });
  const times: number[] = [];
  for (let index = 0; index < SINGLES; index++) {
    const start = performance.now();
    await settleOnce(market, market.token);
    times.push(performance.now() - start);
  }
  return quantile(times, 0.5);
}

type Receipt = { settlementId: string; amount: bigint; proof: Hex[]; transaction: Hex };

/** How many receipts of a plan are proved by a burn's event, and how many forged ones are. */
type ProvenReceipts = { receipts: number; proven: number; forged: number };

/**
 * Takes each settlement's leaf and proof from the ledger, and the root from the event of its burn for the same account
 * and plan. A forged leaf has one credit more, or another settlement's id.
 */
async function proveReceipts(
  service: ChainTestService,
  { planId, subscriber }: ChainMarket,
): Promise<ProvenReceipts> {
  const receipts = await service.database.query<Receipt>(
    `select s.settlement_id as "settlementId", s.amount, s.transaction, leaf->'proof' as proof
     from settlements s join chain_burns c using (settlement_id) join chain_bundles b using (bundle_id)
       cross join lateral jsonb_array_elements(b.burns) burn
       cross join lateral jsonb_array_elements(burn->'settlements') leaf
     where s.plan_id = $1 and leaf->>'settlementId' = s.settlement_id`,
    [planId],
  );
  const roots = new Map<Hex, Hex[]>();
  for (const hash of new Set(receipts.map(({ transaction }) => transaction))) {
    const { logs } = await service.onChain.operator.client.getTransactionReceipt({ hash });
    const burns = parseEventLogs({ abi: creditsAbi, eventName: "CreditsBurned", logs }).filter(
      ({ address, args }) =>
        address.toLowerCase() === service.deployment.credits.toLowerCase() &&
        args.account.toLowerCase() === subscriber.address.toLowerCase() &&
        args.planId === BigInt(planId),
    );
    roots.set(
      hash,
      burns.map(({ args }) => args.root),
    );
  }
  const counted = { receipts: receipts.length, proven: 0, forged: 0 };
  for (const { settlementId, amount, proof, transaction } of receipts) {
    const credits = amount;
    const holds = (id: string, claimed: bigint) =>
      (roots.get(transaction) ?? []).some((root) =>
        verifyReceipt({ settlementId: id, amount: claimed, proof, root }),
      );
    if (holds(settlementId, credits)) counted.proven += 1;
    if (holds(settlementId, credits + 1n) || holds(`${settlementId}-forged`, credits))
      counted.forged += 1;
  }
  return counted;
}

const INCLUDED_WITHIN_MS = 120_000;

/** A burst's result, from the first call to the last included settlement. */
type Burst = Awaited<ReturnType<typeof burst>>;

/** Settles `count` times in parallel over the market's tokens, and waits until all are on chain. */
async function burst(service: ChainTestService, market: ChainMarket, count: number) {
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
async function withBundler<Result>(
  service: ChainTestService,
  options: Pick<BundlerOptions, "isGrouped" | "maxOperations" | "maxSettlements">,
  work: () => Promise<Result>,
): Promise<Result> {
  const { operator, grants, bundler: own } = service.onChain;
  const { database } = service;
  const describe = createDescribeBurns({
    grants,
    findDelegation: createDelegations(database.orm).find,
    onOddFacts(_, cause) {
      throw cause;
    },
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
