import type { Ports } from "../ports.ts";

/** How many sales are asked about at a time, fewer where a builder waits for it, and how many of them at once. */
const MOST = 100;
const MOST_WAITED_FOR = 20;
const AT_ONCE = 10;

/**
 * Asks the processor when sales clear, of one builder or of all, and notes it. What can't be read is asked for again later,
 * and counts as not cleared until then.
 */
export async function readClearings(
  { payouts, payoutProcessor, log }: Pick<Ports, "payouts" | "payoutProcessor" | "log">,
  account: string | null,
): Promise<void> {
  if (!payoutProcessor) return;
  const unclear = await payouts.listUnclear(account, account ? MOST_WAITED_FOR : MOST);
  for (let start = 0; start < unclear.length; start += AT_ONCE) {
    const clearings = unclear.slice(start, start + AT_ONCE).map(async ({ orderId, reference }) => {
      const clearing = await payoutProcessor.clearingOf(reference).catch((cause) => {
        log.warn({ orderId, cause: String(cause) }, "clearing of a sale could not be read");
        return null;
      });
      return { orderId, ...clearing };
    });
    await payouts.writeClearings(await Promise.all(clearings));
  }
}
