import type { Ports } from "./ports.ts";

/**
 * Works on the items of a background round; how many it could. One that fails is logged, and the others continue. The list should be taken so that
 * failed items are due again later: listed first each time, they would fill every round.
 *
 * @example await eachAlone(ports, { items: due, says: "refund could not be looked at", facts: ({ refundId }) => ({ refundId }) }, send);
 */
export async function eachAlone<Item>(
  { log }: Pick<Ports, "log">,
  {
    items,
    says,
    facts,
    atOnce = 1,
  }: {
    items: readonly Item[];
    says: string;
    facts: (item: Item) => Record<string, unknown>;
    atOnce?: number;
  },
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  const one = (item: Item) =>
    work(item).then(
      () => {
        done += 1;
      },
      (cause: unknown) => log.warn({ ...facts(item), cause: String(cause) }, says),
    );
  for (let start = 0; start < items.length; start += atOnce)
    await Promise.all(items.slice(start, start + atOnce).map(one));
  return done;
}
