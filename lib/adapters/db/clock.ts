import type { Clock } from "@/lib/domain/ports.ts";
import type { Database } from "./client.ts";

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
