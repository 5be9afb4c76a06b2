import type { Clock } from "@/lib/domain/ports.ts";
import type { Database } from "./client.ts";

/** The database's own time, which replicas share. Unlike the clock of the ledger, the sandbox does not move it. */
export async function readRealTime({ query }: Pick<Database, "query">): Promise<Date> {
  const [row] = await query<{ now: Date }>("select clock_timestamp() as now", []);
  return (row as { now: Date }).now;
}

export function createClock(database: Database): Clock {
  const now = async () => {
    const [row] = await database.query<{ now: Date }>("select app_now() as now", []);
    return (row as { now: Date }).now;
  };
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
