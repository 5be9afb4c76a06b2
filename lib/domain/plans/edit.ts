import { PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";

const MOST_TRIES = 10;

/**
 * Repeats an edit until nothing came between its read and its write, so that edits of different fields at once all
 * remain. An edit that another request overtook answers null. Throws `conflict` when that goes on.
 */
export async function untilWritten<T>(edit: () => Promise<T | null>): Promise<T> {
  for (let round = 1; round <= MOST_TRIES; round++) {
    const written = await edit();
    if (written !== null) return written;
  }
  throw new PaymentsError("conflict", "Other requests keep changing this. Try again.");
}

/** The time of an edit: later than the one before, so that it names what was read. */
export async function editTime(
  { ports }: Context,
  { updatedAt }: { updatedAt: Date },
): Promise<Date> {
  const now = await ports.clock.now();
  return now > updatedAt ? now : new Date(updatedAt.getTime() + 1);
}

/** Throws `conflict` for an edit of another version: it would revert what a later one changed. */
export function requireEdited({ version }: { version: number }, edited: number | undefined): void {
  if (edited === undefined || edited === version) return;
  throw new PaymentsError(
    "conflict",
    `Version ${version} was published after version ${edited}, which you edited. Nothing was changed.`,
    { hint: "Read the plan, check what your edit changes now, then send it again." },
  );
}
