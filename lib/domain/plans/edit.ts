import { type ParsedInputOf, PaymentsError } from "@turnpike/payments/protocol";
import type { Context } from "../context.ts";

const MOST_TRIES = 10;

/** What an edit may change. */
const FIELDS: {
  agent: Record<keyof Omit<ParsedInputOf<"updateAgent">, "agentId">, true>;
  plan: Record<keyof Omit<ParsedInputOf<"updatePlan">, "planId" | "planVersion">, true>;
} = {
  agent: { metadataAttributes: true, agentApiAttributes: true },
  plan: {
    ...{ metadataAttributes: true, priceConfig: true, creditsConfig: true },
    ...{ isTrialPlan: true, state: true, redeemers: true },
  },
};

/** Refuses an edit that names nothing to change: its fields may be misnamed, and are dropped as unknown. */
export function requireChange(of: keyof typeof FIELDS, input: object): void {
  const given = new Map<string, unknown>(Object.entries(input));
  const names = Object.keys(FIELDS[of]);
  if (names.some((name) => given.get(name) !== undefined)) return;
  const known = names.map((name) => `\`${name}\``).join(", ");
  throw new PaymentsError(
    "invalid_input",
    `The request has no field to change. Send at least one of ${known}.`,
    { hint: "Compare your field names with the API reference; unknown ones are ignored." },
  );
}

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
