import type { Movement } from "@/lib/console/money.ts";
import { listHref } from "../list-query.ts";

export type MovementPage = { items: Movement[]; total: number; nextCursor?: string | undefined };

type Query = { currency?: string; cursor?: string };

/** Where the newest and the older movements are. `page` is the one on screen: after it grew, the first cursor would skip rows. */
export function movementPages({ currency, cursor }: Query, { nextCursor }: MovementPage) {
  return {
    newest: cursor && listHref("/balance", { currency }),
    older: nextCursor && listHref("/balance", { currency, cursor: nextCursor }),
  };
}

/** Whether movements came, or changed, between two readings of a page. */
export const areOtherMovements = (one: MovementPage, other: MovementPage): boolean =>
  contentOf(one) !== contentOf(other);

const contentOf = ({ items, total }: MovementPage): string =>
  JSON.stringify([
    total,
    ...items.map(({ movementId, kind, amount, isOpen }) => [movementId, kind, amount, isOpen]),
  ]);
