import type { Queryable } from "../client.ts";
import { readValue } from "../rows.ts";

// The hour is read as it was before this statement.
const ADD = `with added as (
    insert into sponsored_gas (hour, gas) values (date_trunc('hour', app_now()), $1)
    on conflict (hour) do update set gas = sponsored_gas.gas + excluded.gas)
  select ($1 + coalesce((select sum(gas) from sponsored_gas where hour > app_now() - interval '1 day'), 0))::float8 as "ofDay"`;

/** Adds to the gas that the service pays for in this hour, over all replicas; what the last 24 hours come to then. */
export const addSponsoredGas = async ({ query }: Queryable, gas: bigint): Promise<number> =>
  (await readValue<number>(query(ADD, [gas]))) ?? 0;
