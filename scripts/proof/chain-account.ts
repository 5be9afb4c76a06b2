import { pollUntil } from "@/lib/adapters/chain/poll.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import { brokenRules } from "@/lib/adapters/db/testing/stores.ts";
import type { ChainServices } from "@/lib/server/chain/chain-services.ts";
import { GRANTED } from "./chain-load.ts";

const LANDED_WITHIN_MS = 60_000;
const UNDER_WAY = ["pending", "submitted"];
const LANDED = ["included", "final"];

type World = {
  database: Database;
  onChain: ChainServices;
  credits: (account: string, planId: string) => Promise<bigint>;
};

/**
 * Waits until all settles are mirrored, then compares ledger and chain: acknowledged settles are burned, both match, and
 * no ledger invariant is broken. Throws with every difference.
 */
export async function settleAccounts(
  { database, onChain, credits }: World,
  { planId, account, answered }: { planId: string; account: string; answered: string[] },
): Promise<{ landedSecs: string; landed: number }> {
  const count = async (statuses: string[], among: string[] | null = null) => {
    const [row] = await database.query<{ n: number }>(
      `select count(*) as n from settlements where plan_id = $1 and chain_status = any($2)
       and ($3::text[] is null or agent_request_id = any($3))`,
      [planId, statuses, among],
    );
    return Number(row?.n);
  };
  const burned = async () => GRANTED - (await credits(account, planId));
  const hasLanded = async () => {
    if ((await count(UNDER_WAY)) > 0) return undefined;
    return (await burned()) === BigInt(await count(LANDED)) || undefined;
  };
  const start = Date.now();
  await pollUntil(hasLanded, { timeoutMs: LANDED_WITHIN_MS });
  const landedSecs = ((Date.now() - start) / 1_000).toFixed(1);
  const landed = await count(LANDED);
  const missing = answered.length - (await count(LANDED, answered));
  const { difference, checked } = await onChain.reconciler.run();
  const faults = [
    [await count(UNDER_WAY), "settles are not mirrored yet"],
    [await count(["failed"]), "settles failed"],
    [missing, "acknowledged settles are not on chain"],
    [(await burned()) - BigInt(landed), "more credits are burned on chain than in the ledger"],
    [difference, "is the reconciler's difference"],
    [checked === 0 ? 1 : 0, "plan was not compared"],
  ] as const;
  const found = faults.filter(([n]) => BigInt(n) !== 0n).map(([n, what]) => `${n} ${what}`);
  found.push(...(await brokenRules(database)));
  if (found.length > 0) throw new Error(found.join("; "));
  return { landedSecs, landed };
}
