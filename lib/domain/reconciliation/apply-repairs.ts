import type { Repair } from "./repair.ts";

/** What became of a repair; `later`: an earlier one of the same seller failed. */
export type RepairOutcome = Omit<Repair, "apply"> & {
  state: "proposed" | "applied" | "failed" | "later" | "person";
};

const LATER =
  "Left to the next run: an earlier order of this seller failed, and invoices are numbered in the order of payment.";

/**
 * Applies repairs in their order, or says what would be applied. After one that failed, later orders of its seller wait:
 * they would permanently take the number of its invoice. After one that can't be written they do not.
 */
export async function applyRepairs(
  repairs: readonly Repair[],
  { isApplying }: { isApplying: boolean },
): Promise<RepairOutcome[]> {
  const outcomes: RepairOutcome[] = [];
  const failed = new Set<string>();
  for (const { apply, ...about } of repairs) {
    const { seller } = about;
    if (!apply) outcomes.push({ ...about, state: "person" });
    else if (!isApplying) outcomes.push({ ...about, state: "proposed" });
    else if (seller && failed.has(seller))
      outcomes.push({ ...about, state: "later", proposal: LATER });
    else {
      try {
        const refusal = await apply();
        outcomes.push(
          refusal === null
            ? { ...about, state: "applied" }
            : { ...about, state: "person", proposal: refusal },
        );
      } catch (cause) {
        if (seller) failed.add(seller);
        const proposal = cause instanceof Error ? cause.message : String(cause);
        outcomes.push({ ...about, state: "failed", proposal });
      }
    }
  }
  return outcomes;
}
