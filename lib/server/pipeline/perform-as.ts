import "server-only";
import type { InputOf, OutputOf } from "@turnpike/payments/protocol";
import type { Caller } from "@/lib/domain/context.ts";
import type { Pipeline } from "./perform.ts";
import { answerText } from "./public-reads.ts";
import type { ServiceOperations } from "./served-operations.ts";

export type ServiceOperationName = keyof ServiceOperations;
export type ServiceInput<K extends ServiceOperationName> = InputOf<K, ServiceOperations>;
export type ServiceOutput<K extends ServiceOperationName> = OutputOf<K, ServiceOperations>;

type Session = {
  caller: Caller | null;
  requestId?: string;
  /** The client's address, for the turns of reads and the audit trail. */
  sentFrom?: string | undefined;
};

/**
 * Performs an operation for someone signed in, or for no one, and answers as JSON carries it.
 *
 * @example await performAs(pipeline, { caller }, "listPlans", {})
 */
export async function performAs<K extends ServiceOperationName>(
  pipeline: Pipeline,
  { caller, requestId = crypto.randomUUID(), sentFrom }: Session,
  name: K,
  input: ServiceInput<K>,
): Promise<ServiceOutput<K>> {
  const answer = await pipeline.perform({
    operation: pipeline.find(name),
    credentials: caller && { session: caller },
    input,
    requestId,
    sentFrom,
  });
  return JSON.parse(answerText(answer).text) as ServiceOutput<K>;
}
