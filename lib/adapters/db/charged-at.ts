/** When an order was charged, as SQL; when it began if it was not. The index `orders_plan` has the same expression. */
export const chargedAt = (order: string): string =>
  `coalesce(${order}.charged_at, ${order}.created_at)`;
