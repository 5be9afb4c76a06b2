/** What came to balances and went otherwise than to requests: transfers `q`, and their amount with its sign. */
export const OTHER_TRANSFERS =
  "q.kind in ('mint', 'restore', 'return', 'expire', 'refund', 'repay')";
export const OTHER_AMOUNT =
  "case when q.kind in ('mint', 'restore', 'return') then q.amount else -q.amount end";

/**
 * Credits of a balance `b` that requests used, over its whole life. Every request leaves transfers, so those are not
 * read: what was used is what came and did not go otherwise, less what is left.
 */
export const USED_CREDITS = `((select coalesce(sum(${OTHER_AMOUNT}), 0)
    from transfers q where q.account = b.account and q.plan_id = b.plan_id and ${OTHER_TRANSFERS}) - b.available - b.held)`;
