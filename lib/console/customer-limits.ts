/** How many orders and tokens of a customer their page shows, newest first. */
export const CUSTOMER_ORDERS = 20;
export const CUSTOMER_TOKENS = 10;
