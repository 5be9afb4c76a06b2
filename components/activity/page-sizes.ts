/** Requests of the first page, and of the one that is read again while the list moves. */
export const FIRST_PAGE = 50;

/** Unsettled calls that the queue shows at once. */
export const RECONCILE_PAGE = 50;
