import "server-only";
import {
  type InputOf,
  type Operation,
  type OperationName,
  type OutputOf,
  operations,
  PaymentsError,
  toJson,
  withoutNulls,
} from "@turnpike/payments/protocol";
import type { Caller, Context } from "@/lib/domain/context.ts";
import type { Ports } from "@/lib/domain/ports.ts";
import { verbs } from "@/lib/domain/verbs.ts";
import { checkStorable, faultsOf } from "./read-input.ts";

export type AnyVerb = (context: Context, input: unknown) => Promise<unknown>;

/** An operation's input, parsed. Throws `invalid_input` that names every wrong field. */
export function parseInput(row: Operation, given: unknown): unknown {
  const parsed = row.input.safeParse(given);
  if (parsed.success) return parsed.data;
  const details = faultsOf(parsed.error, given);
  const [first] = details;
  const message = first ? `${first.path || "input"}: ${first.message}` : "The input is not valid.";
  throw new PaymentsError("invalid_input", message, { details });
}

/**
 * Runs an operation for someone who signed in, with the API's own checks and answers.
 * `await runOperation(ports, caller, "listPlans", {}, requestId)`
 */
export async function runOperation<K extends OperationName>(
  ports: Ports,
  caller: Caller | null,
  name: K,
  input: InputOf<K>,
  requestId: string,
): Promise<OutputOf<K>> {
  const row: Operation = operations[name];
  if (row.access === "key" && !caller) {
    throw new PaymentsError("unauthorized", "Sign in to do this.");
  }
  if (row.sandboxOnly && ports.environment !== "sandbox") {
    throw new PaymentsError("not_found", `${name} exists in the sandbox only.`);
  }
  checkStorable(input, "", 0);
  const parsed = parseInput(row, withoutNulls(input));
  const answer = await (verbs[name] as AnyVerb)(
    { ports, caller, keyHash: null, requestId },
    parsed,
  );
  return JSON.parse(toJson(answer)) as OutputOf<K>;
}
