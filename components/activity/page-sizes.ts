/** Requests on the first page, which the live tail reads again. */
export const FIRST_PAGE = 50;

/** Unsettled requests that the queue shows at once. */
export const RECONCILE_PAGE = 50;
