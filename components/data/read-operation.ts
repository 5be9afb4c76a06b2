import {
  type ErrorEnvelope,
  type InputOf,
  type OutputOf,
  PaymentsError,
  readErrorCode,
} from "@turnpike/payments/protocol";
import type { DashboardOperations } from "@/lib/console/operations.ts";
import { errorText } from "../forms/action-answer.ts";

/** A read's input as it appears in a URL; amounts may be `bigint`. */
type Members = Record<string, string | number | bigint | boolean | readonly string[] | undefined>;

/** Reads an operation from the browser, as the person who is signed in. Throws `PaymentsError`. */
export async function readOperation<K extends keyof DashboardOperations>(
  name: K,
  input: InputOf<K, DashboardOperations>,
  signal?: AbortSignal,
): Promise<OutputOf<K, DashboardOperations>> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input as Members)) {
    if (value !== undefined) query.set(key, String(value));
  }
  const response = await fetch(`/data/${name}?${query}`, signal ? { signal } : {}).catch(
    (cause) => {
      throw new PaymentsError("network_error", "The service can’t be reached.", { cause });
    },
  );
  const body: unknown = await response.json().catch(() => null);
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

/** The text of what a read threw. */
export function causeText(cause: unknown): string {
  if (PaymentsError.is(cause)) return errorText(cause);
  return cause instanceof Error ? cause.message : String(cause);
}

/** A read as options of React Query: `useQuery(readQuery("getOrder", { orderId }))`. */
export const readQuery = <K extends keyof DashboardOperations>(
  name: K,
  input: InputOf<K, DashboardOperations>,
) => ({
  queryKey: [name, input] as const,
  queryFn: ({ signal }: { signal: AbortSignal }) => readOperation(name, input, signal),
});
