import type { Ports } from "../ports.ts";
import { BUILT_IN_RULES } from "./built-in-rules.ts";

const ACCOUNTS_A_ROUND = 20;

/** Opens and closes the alerts of accounts that are due; more than zero when there may be more. */
export async function runAlerts({ alerts }: Pick<Ports, "alerts">): Promise<number> {
  const looked = await alerts.run(ACCOUNTS_A_ROUND, BUILT_IN_RULES);
  return looked === ACCOUNTS_A_ROUND ? looked : 0;
}
