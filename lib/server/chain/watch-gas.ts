import "server-only";
import { findMissingRole, isOperator } from "@/lib/adapters/chain/check-roles.ts";
import type { Operator } from "@/lib/adapters/chain/operator.ts";
import {
  ENOUGH_ORDERS,
  readSettlerGas,
  type SettlerGas,
} from "@/lib/adapters/chain/settler-gas.ts";
import type { GasOfDay } from "./gas-of-day.ts";

/** Watches what the settler may do and pay for: without a role or gas, orders end unpaid and burns wait. */
export type GasWatch = ReturnType<typeof createGasWatch>;

type Facts = Record<string, string | number>;

/** Adds a {@link GasWatch} to what else is watched of the chain. */
export function withGasWatch<Watched extends { facts: () => Facts }>(
  operator: Operator,
  watched: Watched,
  ofDay?: GasOfDay,
): Watched & GasWatch {
  const gas = createGasWatch(operator, ofDay);
  return { ...watched, ...gas, facts: () => ({ ...watched.facts(), ...gas.facts() }) };
}

export function createGasWatch({ client, deployment, sender }: Operator, ofDay?: GasOfDay) {
  let last: SettlerGas | null = null;
  let missing: string | null = null;
  const ordersLeft = () => (last ? Number(last.orders) : Number.NaN);
  const lacksRole = () =>
    missing &&
    `the settler ${sender.address} does not hold ${missing}: is SETTLER_PRIVATE_KEY the key of this deployment?`;
  const lacksGas = () =>
    last &&
    last.orders < ENOUGH_ORDERS &&
    `the settler has gas for ${last.orders} orders: it holds ${last.balance}, and ${ENOUGH_ORDERS} take ${last.needed}`;
  return {
    async readGas() {
      await ofDay?.read();
      last = await readSettlerGas(client, sender.address);
      const about = [client, deployment.plans, sender.address] as const;
      const lacked = await findMissingRole(...about);
      missing = lacked && (await isOperator(...about)) ? null : lacked;
    },
    /**
     * That the settler lacks a role or gas, or has used most of what is expected in a day, as last read; null while it has
     * both, and before it was read.
     */
    findSettlerFault: () =>
      [lacksRole(), lacksGas(), ofDay?.findFault()].filter(Boolean).join("; ") || null,
    /** How many orders the settler can pay for; NaN before it was read. */
    settlerOrdersLeft: ordersLeft,
    facts: (): Facts =>
      last ? { settlerBalance: last.balance, settlerOrdersLeft: ordersLeft() } : {},
  };
}
