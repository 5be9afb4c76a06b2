import type { Clock } from "@/lib/domain/ports.ts";
import type { Database, Queryable } from "./client.ts";
import { readRow } from "./rows.ts";

/** The database's own time, which replicas share. Unlike the clock of the ledger, the sandbox does not move it. */
export const readRealTime = async ({ query }: Queryable): Promise<Date> =>
  (await readRow(query<{ now: Date }>("select clock_timestamp() as now"))).now;

export function createClock(database: Database): Clock {
  const now = async () =>
    (await readRow(database.query<{ now: Date }>("select app_now() as now"))).now;
  return {
    now,
    async advance(seconds) {
      await database.query(
        `insert into clock (id, offset_ms) values (1, $1)
         on conflict (id) do update set offset_ms = clock.offset_ms + excluded.offset_ms`,
        [seconds * 1000],
      );
      return now();
    },
  };
}
