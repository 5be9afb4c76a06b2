import { openDatabase } from "@/lib/adapters/db/client.ts";
import {
  type ChainTestService,
  startChainTestService,
} from "@/lib/server/testing/chain-service.ts";
import { quantile } from "../scripts/proof/measure.ts";
import { type Burst, burst, withBundler } from "./chain-burst.ts";
import { openChainMarket, settleOnce } from "./chain-market.ts";
import { proveReceipts } from "./chain-receipts.ts";
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
