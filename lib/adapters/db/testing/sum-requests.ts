import type { Database } from "../client.ts";
import { createEvents } from "../events/events.ts";
import { createFigures } from "../figures/figures.ts";

/** Numbers every event and sums up every request, as the background does. */
export async function sumRequests(database: Database): Promise<void> {
  const events = createEvents(database);
  const figures = createFigures(database);
  while ((await events.sequence()) > 0);
  while ((await figures.sumRequests()) > 0);
}
