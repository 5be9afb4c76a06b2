import "server-only";
import type { TransactionSender } from "@/lib/adapters/chain/bundler/transaction-sender.ts";
import { meterGas } from "@/lib/adapters/chain/order-budget.ts";
import { addSponsoredGas } from "@/lib/adapters/db/chain/sponsored-gas.ts";
import type { Database } from "@/lib/adapters/db/client.ts";
import type { Log } from "@/lib/domain/ports.ts";

/** From this part of the expected gas on, health says so. */
const NEAR = 0.8;

/** The gas that the service pays for in 24 hours, over all accounts and plans. Burns have a budget of their own. */
export type GasOfDay = ReturnType<typeof createGasOfDay>;

/** @param expected gas in 24 hours, more of which refuses nothing; 0 counts nothing. */
export function createGasOfDay(database: Database, expected: number, log: Log) {
  let used = 0;
  const add = async (gas: bigint) => {
    try {
      used = await addSponsoredGas(database, gas);
    } catch (cause) {
      log.warn({ cause: String(cause) }, "sponsored gas was not counted");
    }
  };
  return {
    meter: (sender: TransactionSender) => (expected > 0 ? meterGas(sender, add) : sender),
    /** Reads what other replicas have sent. */
    read: async () => {
      if (expected > 0) await add(0n);
    },
    findFault: () =>
      expected > 0 && used >= expected * NEAR
        ? `the service has paid for ${used} gas in 24 hours, of EXPECTED_GAS_PER_DAY ${expected}; find who uses it, and see that the settler's balance lasts, or raise the setting`
        : null,
  };
}
