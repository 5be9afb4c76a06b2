import type { ChainFindings } from "@/lib/domain/finding-ports.ts";
import type { Differences } from "@/lib/domain/reconciliation/difference-ports.ts";

/** Explains what is open, so that the next test begins without it. */
export async function explainAll(
  book: Pick<ChainFindings, "listOpen" | "explain"> | Pick<Differences, "listOpen" | "explain">,
): Promise<void> {
  for (const item of await book.listOpen()) {
    await book.explain("findingId" in item ? item.findingId : item.differenceId, "For this test.");
  }
}
