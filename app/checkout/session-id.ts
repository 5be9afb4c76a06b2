import { z } from "zod";

/** A checkout session, as a link carries it. Keys with a slash are those of top-ups and renewals. */
export const CheckoutSessionId = z.string().regex(/^[^/]{1,254}$/);

/** When a link ends, in milliseconds since 1970. */
export const LinkEnd = z.string().regex(/^\d{13}$/);

/** A link's session; undefined where it names none. */
export const readSessionId = (given: string | string[] | undefined): string | undefined =>
  CheckoutSessionId.safeParse(given).data;

/** When a link ends; undefined where it does not say, as those of earlier releases. */
export const readLinkEnd = (given: string | string[] | undefined): string | undefined =>
  LinkEnd.safeParse(given).data;
