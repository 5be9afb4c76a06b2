/** How many plans of a customer are listed, by name. */
export const CUSTOMER_PLANS = 20;
/** How many orders and tokens of a customer their page shows, newest first. */
export const CUSTOMER_ORDERS = 20;
export const CUSTOMER_TOKENS = 10;
