import { readStored } from "./figures.ts";

export type Figure = { ok: boolean; figure: string; secs: number; date: string };

export type State = "holds" | "broken" | "old" | "not run";

/** What a row's last figure says today: it is old where the row now prints other lines, or has another bar. */
export function stateOf(id: string, last: Figure | undefined): State {
  if (!last) return "not run";
  if (!last.ok) return "broken";
  try {
    readStored(id, last.figure);
    return "holds";
  } catch {
    return "old";
  }
}
