import "server-only";
import type { Operator } from "@/lib/adapters/chain/operator.ts";
import {
  ENOUGH_ORDERS,
  readSettlerGas,
  type SettlerGas,
} from "@/lib/adapters/chain/settler-gas.ts";

/** Watches what the settler can pay for: without gas, orders end unpaid and burns wait. */
export type GasWatch = {
  readGas: () => Promise<void>;
  /** That the settler has little gas left, as last read; null while it has enough, and before it was read. */
  findLowGas: () => string | null;
  /** How many orders the settler can pay for; NaN before it was read. */
  settlerOrdersLeft: () => number;
  facts: () => Facts;
};

type Facts = Record<string, string | number>;

/** Adds a {@link GasWatch} to what else is watched of the chain. */
export function withGasWatch<Watched extends { facts: () => Facts }>(
  operator: Operator,
  watched: Watched,
): Watched & GasWatch {
  const gas = createGasWatch(operator);
  return { ...watched, ...gas, facts: () => ({ ...watched.facts(), ...gas.facts() }) };
}

export function createGasWatch({ client, sender }: Operator): GasWatch {
  let last: SettlerGas | null = null;
  const ordersLeft = () => (last ? Number(last.orders) : Number.NaN);
  return {
    async readGas() {
      last = await readSettlerGas(client, sender.address);
    },
    findLowGas: () =>
      last && last.orders < ENOUGH_ORDERS
        ? `the settler has gas for ${last.orders} orders: it holds ${last.balance}, and ${ENOUGH_ORDERS} take ${last.needed}`
        : null,
    settlerOrdersLeft: ordersLeft,
    facts: (): Facts =>
      last ? { settlerBalance: last.balance, settlerOrdersLeft: ordersLeft() } : {},
  };
}
