import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { isAccountChanged } from "@/components/data/shown-account.ts";
import { type ActionAnswer, isPageStale } from "@/components/forms/action-answer.ts";
import type { Caller } from "@/lib/domain/context.ts";
import { CLIENT_ADDRESS_HEADER } from "@/lib/server/http/client-address.ts";
import { readError } from "@/lib/server/pipeline/error-answer.ts";
import { requireOwnOrigin } from "@/lib/server/pipeline/is-own-origin.ts";
import {
  performAs,
  type ServiceInput,
  type ServiceOperationName,
  type ServiceOutput,
} from "@/lib/server/pipeline/perform-as.ts";
import { getRunning } from "@/lib/server/running.ts";
import { findCaller, requireCaller, requireSession } from "./session.ts";

type Name = ServiceOperationName;

/** Reads for a page, as the person signed in. What is not found, or not theirs, is a 404 page. */
export async function read<K extends Name>(
  name: K,
  input: ServiceInput<K>,
): Promise<ServiceOutput<K>> {
  await requireSession();
  return (await find(name, input, await findCaller())) ?? notFound();
}

/** Reads public data for a page, as no one. Null when there is none. */
export const readPublic = <K extends Name>(
  name: K,
  input: ServiceInput<K>,
): Promise<ServiceOutput<K> | null> => find(name, input, null);

/** Reads public data, as the person signed in where there is one. Null when there is none. */
export const readOwnOrPublic = async <K extends Name>(
  name: K,
  input: ServiceInput<K>,
): Promise<ServiceOutput<K> | null> => find(name, input, await findCaller());

async function find<K extends Name>(
  name: K,
  input: ServiceInput<K>,
  caller: Caller | null,
): Promise<ServiceOutput<K> | null> {
  const { pipeline } = await getRunning();
  try {
    return await performAs(pipeline, { caller, sentFrom: await sentFrom() }, name, input);
  } catch (cause) {
    if (PaymentsError.is(cause) && isNoSuch(cause)) return null;
    throw cause;
  }
}

/** A malformed id in a URL is of nothing that exists, not an error. */
const isNoSuch = ({ code, details = [] }: PaymentsError): boolean =>
  code === "not_found" ||
  (code === "invalid_input" &&
    details.length > 0 &&
    details.every(({ path }) => path.endsWith("Id")));

/** Reads a page of a list. A cursor the service does not know, as in an old link, leads to `first`, the list's first page. */
export async function readListed<K extends Name>(
  name: K,
  { cursor, ...query }: Omit<ServiceInput<K>, "cursor"> & { cursor?: string | undefined },
  first: string,
): Promise<ServiceOutput<K>> {
  try {
    return await read(name, { ...query, ...(cursor && { cursor }) } as ServiceInput<K>);
  } catch (cause) {
    const isCursor =
      PaymentsError.is(cause) && cause.details?.some(({ path }) => path === "cursor");
    if (isCursor) redirect(first);
    throw cause;
  }
}

/** The body of a server action that runs one operation. */
export const change = <K extends Name>(
  name: K,
  input: ServiceInput<K>,
): Promise<ActionAnswer<ServiceOutput<K>>> =>
  answer(async (requestId) => {
    const caller = await requireCaller();
    const { pipeline } = await getRunning();
    return performAs(pipeline, { caller, requestId, sentFrom: await sentFrom() }, name, input);
  });

/** The client's address, for the turns of reads and the audit trail: a change without one reads as the service's own. */
export const sentFrom = async (): Promise<string | undefined> =>
  (await headers()).get(CLIENT_ADDRESS_HEADER) ?? undefined;

/** Makes the action that runs an operation, where no page has to be read again. */
export const actionOf =
  <K extends Name>(name: K) =>
  async (input: ServiceInput<K>) =>
    change(name, input);

/**
 * Makes the actions of one page, each of which runs an operation. The page is read again where the answer says that it may
 * be out of date, and so are the pages that the browser's Back leads to.
 *
 * @example
 * const action = actionsOf("/settings/api-keys");
 * export const createApiKey = action("createApiKey");
 */
export const actionsOf =
  (...page: Parameters<typeof revalidatePath>) =>
  <K extends Name>(name: K) =>
  async (input: ServiceInput<K>) => {
    const changed = await change(name, input);
    if (isPageStale(changed)) revalidatePath(...page);
    return changed;
  };

/** Runs a server action for this site's own pages, and turns what it throws into its answer. */
export async function answer<T>(work: (requestId: string) => Promise<T>): Promise<ActionAnswer<T>> {
  const requestId = crypto.randomUUID();
  const { env, ports } = await getRunning();
  try {
    requireOwnOrigin(await headers(), env.origin);
    return { ok: true, data: await work(requestId) };
  } catch (cause) {
    const { code, message, hint, details = [] } = readError(cause, requestId, ports.log);
    // The page is not read again: its form would act for the account that is signed in now.
    const known = isAccountChanged(details) ? "page_outdated" : code;
    return { ok: false, code: known, message, hint, details, requestId };
  }
}
