/** `session` is that of the link that led to the checkout, which can be paid until `ends`, in milliseconds since 1970. */
export type CheckoutLink = { session?: string | undefined; ends?: string | undefined };
type Query = CheckoutLink & { follows?: string | undefined };

/** The checkout of a plan: after which order it was opened, and the session of the link that led there. */
export const checkoutHref = (planId: string, query: Query): string =>
  withQuery(`/checkout/${planId}`, query);

/** An order's page; `session` keeps its checkout's, for another card after a decline. */
export const orderHref = (planId: string, orderId: string, session: string | undefined): string =>
  withQuery(`/checkout/${planId}/${orderId}`, { session });

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given as [string, string][]).toString();
  return search ? `${path}?${search}` : path;
}
