import { z } from "zod";

/** A checkout session, as a link carries it. Keys with a slash are those of top-ups and renewals. */
export const CheckoutSessionId = z.string().regex(/^[^/]{1,254}$/);

/** A link's session; undefined where it names none. */
export const readSessionId = (given: string | string[] | undefined): string | undefined =>
  CheckoutSessionId.safeParse(given).data;
