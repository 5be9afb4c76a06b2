import type { Database } from "../client.ts";
import { createEvents } from "../events/events.ts";
import { createFigures } from "../figures/figures.ts";

/** Numbers every event and sums up every request, as the background does for accounts with `busyFrom` requests. */
export async function sumRequests(database: Database, busyFrom = 1): Promise<void> {
  const events = createEvents(database);
  const figures = createFigures(database);
  while ((await events.sequence()) > 0);
  while ((await figures.sumRequests(busyFrom)) > 0);
}
