import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";

/**
 * What the pages' code sees of the browser that calls it. Test files share loaded modules, and so this.
 *
 * @example
 * vi.mock("next/headers", async () => (await import("./testing/browser.ts")).headersModule);
 */
export const browser = {
  cookie: undefined as string | undefined,
  origin: "",
  /** The client's address as the server tells it to pages. */
  address: undefined as string | undefined,
};

/** Stands for `app/_session/cookies.ts`. */
export const cookiesModule = { readCookie: async () => browser.cookie };

/** Stands for `next/headers`. */
export const headersModule = {
  headers: async () =>
    new Headers({
      origin: browser.origin,
      ...(browser.address !== undefined && { [CLIENT_ADDRESS_HEADER]: browser.address }),
    }),
};

/** Stands for `next/cache`, which works in a request of Next alone. */
export const cacheModule = { revalidatePath: () => {} };

/** Stands for `next/navigation`: its ways out of a page throw, as Next's do. */
export const navigationModule = {
  notFound: () => {
    throw Object.assign(new Error("404"), { code: "not_found" });
  },
  redirect: () => {
    throw Object.assign(new Error("redirect"), { code: "unauthorized" });
  },
};
