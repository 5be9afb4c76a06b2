import { PaymentsError } from "../protocol/errors.ts";
import type { Plan } from "../protocol/plans/plan.ts";
import { type SchemeId, schemeOfPrice } from "../protocol/schemes.ts";
import { type CallOptions, call } from "./call.ts";
import type { Connection } from "./connection.ts";

/**
 * The payment scheme of a plan (§1): `svc:card-delegation` when its price is not crypto, else
 * `svc:erc4337`. Remembered for five minutes per service and plan. An explicit scheme is returned as
 * it is, without asking. A plan that cannot be read throws, and is asked for again next time.
 *
 * @example await resolveScheme(payments, "42")
 */
export async function resolveScheme<S extends string = SchemeId>(
  payments: { readonly connection: Connection },
  planId: string,
  explicitScheme?: S,
): Promise<S | SchemeId> {
  if (explicitScheme !== undefined && explicitScheme !== null) return explicitScheme;
  const plan = await readPlan(payments.connection, planId);
  return schemeOfPrice(plan.registry.price);
}

/** A plan as it was at most five minutes ago. Failures are thrown and not remembered. */
export function readPlan(
  connection: Connection,
  planId: string,
  options?: CallOptions,
): Promise<Plan> {
  return remember(connection, planKey(connection, planId), () =>
    call(connection, "getPlan", { planId }, options),
  );
}

/** For `catch` of what reads a plan: null where the service does not know the plan, whose error is kept in the list. */
export const skipUnknown =
  (unknown: unknown[]) =>
  (error: unknown): null => {
    if (!PaymentsError.is(error) || error.code !== "not_found") throw error;
    unknown.push(error);
    return null;
  };

/** The plan behind a route's price; like `readPlan`, and per account. */
export function readPricedPlan(
  connection: Connection,
  price: string,
  options?: CallOptions,
): Promise<Plan> {
  return remember(connection, planKey(connection, `${connection.accountAddress} ${price}`), () =>
    call(connection, "getPricedPlan", { price }, options),
  );
}

function remember(connection: Connection, key: string, read: () => Promise<Plan>): Promise<Plan> {
  const known = connection.plans.get(key);
  if (known) return known;
  const reading = read();
  connection.plans.set(key, reading);
  reading.catch(() => {
    if (connection.plans.get(key) === reading) connection.plans.delete(key);
  });
  return reading;
}

/** Lets the next `readPlan` ask the service. */
export const forgetPlan = (connection: Connection, planId: string): void =>
  connection.plans.delete(planKey(connection, planId));

const planKey = ({ baseUrl }: Connection, planId: string) => `${baseUrl} ${planId}`;
