import "server-only";
import type { ChainFindings } from "@/lib/domain/finding-ports.ts";
import type { Differences } from "@/lib/domain/reconciliation/difference-ports.ts";

type Parts = {
  findings: Pick<ChainFindings, "listOpen" | "explain"> | undefined;
  differences: Pick<Differences, "listOpen" | "explain">;
};

export type OpenItem = { id: string; detail: string };

/** What a person may have seen: everything that is open before a new scan finds more. */
export async function listOpenItems({ findings, differences }: Parts): Promise<OpenItem[]> {
  const onChain = (await findings?.listOpen()) ?? [];
  return [
    ...onChain.map(({ findingId, detail }) => ({ id: findingId, detail })),
    ...(await differences.listOpen()).map(({ differenceId, detail }) => ({
      id: differenceId,
      detail,
    })),
  ];
}

/**
 * Records that a person examined one item, or `all` of those that they may have seen.
 *
 * @returns the items that no longer stop sales.
 * @example await explainSeen(parts, seen, { id: "all", note: "Our own change of the cap." });
 */
export async function explainSeen(
  { findings, differences }: Parts,
  seen: readonly OpenItem[],
  { id, note }: { id: string; note: string },
): Promise<OpenItem[]> {
  const explained: OpenItem[] = [];
  for (const item of seen.filter((each) => id === "all" || each.id === id)) {
    const count =
      ((await findings?.explain(item.id, note)) ?? 0) + (await differences.explain(item.id, note));
    if (count > 0) explained.push(item);
  }
  return explained;
}
