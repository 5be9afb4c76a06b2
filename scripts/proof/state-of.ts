import { readStored } from "./figures.ts";

export type Figure = { ok: boolean; figure: string; secs: number; date: string };

export type State = "holds" | "broken" | "old" | "not run";

const WEEK_MS = 7 * 86_400_000;

/** What a row's last figure says: it is old where the row now prints other lines, has another bar, or ran over a week ago. */
export function stateOf(id: string, last: Figure | undefined, today = last?.date): State {
  if (!last) return "not run";
  if (!last.ok) return "broken";
  // Figures of tests alone have no bar that could change, and the code behind every figure does.
  if (Date.parse(today ?? "") - Date.parse(last.date) > WEEK_MS) return "old";
  try {
    readStored(id, last.figure);
    return "holds";
  } catch {
    return "old";
  }
}
