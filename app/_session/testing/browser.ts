import { unstable_isUnrecognizedActionError } from "next/dist/client/components/unrecognized-action-error.js";
import { unstable_rethrow } from "next/dist/client/components/unstable-rethrow.js";
import { ACCOUNT_HEADER } from "@/components/data/shown-account.ts";
import { openSession } from "@/lib/domain/accounts/sessions.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { setRunning } from "@/lib/server/running.ts";
import type { TestService } from "@/lib/server/testing/test-service.ts";

/** What the pages' code sees of the browser that calls it. Test files share loaded modules, and so this. */
export const browser = {
  cookie: undefined as string | undefined,
  origin: "",
  /** The client's address as the server tells it to pages. */
  address: undefined as string | undefined,
  /** The account that the page was rendered for. */
  shows: undefined as string | undefined,
  /** How often an action made it drop the pages it keeps. */
  pagesDropped: 0,
};

/** Signs an account in with the browser, and lets the pages call this service. */
export async function signIn(
  { ports, pipeline }: Pick<TestService, "ports" | "pipeline">,
  { address }: { address: string },
): Promise<void> {
  browser.origin = "http://service.test";
  browser.cookie = await openSession(ports, address, "demo");
  setRunning(Promise.resolve({ env: { origin: browser.origin }, ports, pipeline } as never));
}

/** Stands for `app/_session/cookies.ts`. */
export const cookiesModule = {
  readCookie: async () => browser.cookie,
  removeCookie: async () => {
    browser.cookie = undefined;
  },
};

/** Stands for `next/headers`. */
export const headersModule = {
  headers: async () =>
    new Headers({
      origin: browser.origin,
      ...(browser.address !== undefined && { [CLIENT_ADDRESS_HEADER]: browser.address }),
      ...(browser.shows !== undefined && { [ACCOUNT_HEADER]: browser.shows }),
    }),
};

/** Stands for `next/cache`, which works in a request of Next alone. */
export const cacheModule = {
  revalidatePath: () => {
    browser.pagesDropped += 1;
  },
};

/** Stands for `next/navigation`: its ways out of a page throw, as Next's do. What tells their errors apart is Next's own. */
export const navigationModule = {
  unstable_isUnrecognizedActionError,
  unstable_rethrow,
  useRouter: () => ({}),
  notFound: () => {
    throw Object.assign(new Error("404"), { code: "not_found" });
  },
  redirect: () => {
    throw Object.assign(new Error("redirect"), { code: "unauthorized" });
  },
};
