const KINDS = "('mint', 'restore', 'return', 'expire', 'refund', 'repay')";

/**
 * Credits of a balance `b` that requests used, over its whole life. Every request leaves transfers, so those are not
 * read: what was used is what came and did not go otherwise, less what is left.
 */
export const USED_CREDITS = `((select coalesce(sum(case when q.kind in ('mint', 'restore', 'return') then q.amount else -q.amount end), 0)
    from transfers q where q.account = b.account and q.plan_id = b.plan_id and q.kind in ${KINDS}) - b.available - b.held)`;
