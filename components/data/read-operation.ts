import type { QueryClient } from "@tanstack/react-query";
import {
  type ErrorEnvelope,
  type InputOf,
  type OutputOf,
  PaymentsError,
  readErrorCode,
} from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";

/** A read's input as it appears in a URL; amounts may be `bigint`. */
type Members = Record<string, string | number | bigint | boolean | readonly string[] | undefined>;

/** Marks what a page reads again on its own: no use of the session. */
export const READ_AGAIN_HEADER = "x-turnpike-read-again";

type Reading = { signal?: AbortSignal; isAgain?: boolean };

/** Reads an operation from the browser, as the person who is signed in. Throws `PaymentsError`. */
export async function readOperation<K extends keyof DashboardOperations>(
  name: K,
  input: InputOf<K, DashboardOperations>,
  { signal, isAgain = false }: Reading = {},
): Promise<OutputOf<K, DashboardOperations>> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input as Members)) {
    if (value !== undefined) query.set(key, String(value));
  }
  const init = {
    ...(signal && { signal }),
    ...(isAgain && { headers: { [READ_AGAIN_HEADER]: "1" } }),
  };
  const response = await fetch(`/data/${name}?${query}`, init).catch((cause) => {
    throw new PaymentsError("network_error", "The service can’t be reached.", { cause });
  });
  const body: unknown = await response.json().catch((cause) => {
    // The connection broke within the answer, or the caller gave up.
    if (response.ok)
      throw new PaymentsError("network_error", "The response was cut off.", { cause });
    return null;
  });
  if (response.ok) return body as OutputOf<K, DashboardOperations>;
  if (!isEnvelope(body)) {
    throw new PaymentsError("invalid_answer", `The service answered ${response.status}.`);
  }
  const { code, message, hint, details, requestId } = body;
  throw new PaymentsError(readErrorCode(code), message, {
    requestId,
    ...(hint && { hint }),
    ...(details && { details }),
  });
}

/** Our own service's answer needs no closer check; the schema would bring its parser onto every page. */
const isEnvelope = (body: unknown): body is ErrorEnvelope =>
  typeof body === "object" &&
  body !== null &&
  "code" in body &&
  typeof body.code === "string" &&
  "message" in body &&
  typeof body.message === "string" &&
  "requestId" in body &&
  typeof body.requestId === "string";

type QueryContext = {
  signal: AbortSignal;
  client: Pick<QueryClient, "getQueryState">;
  queryKey: readonly unknown[];
};

/** A read as options of React Query: `useQuery(readQuery("getOrder", { orderId }))`. */
export const readQuery = <K extends keyof DashboardOperations>(
  name: K,
  input: InputOf<K, DashboardOperations>,
) => ({
  queryKey: [name, input] as const,
  queryFn: ({ signal, client, queryKey }: QueryContext) => {
    // What the page has is read again by an event, a timer or a stream that opens. What a person asks for, it does not have yet.
    const state = client.getQueryState(queryKey);
    const isAgain = state !== undefined && (state.data !== undefined || state.errorUpdateCount > 0);
    return readOperation(name, input, { signal, isAgain });
  },
});
