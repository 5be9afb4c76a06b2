import "server-only";
import type { InputOf, OperationName, OutputOf } from "@turnpike/payments/protocol";
import { csvResponse, csvStream } from "@/components/activity/csv.ts";
import { errorAnswer } from "@/lib/server/http/error-answer.ts";
import { runOperation } from "@/lib/server/http/run-operation.ts";
import { getRunning } from "@/lib/server/running.ts";
import { readSession } from "./session.ts";

/** Runs an operation as the person signed in; throws what refuses it. */
export type Run = <K extends OperationName>(name: K, input: InputOf<K>) => Promise<OutputOf<K>>;

/**
 * A download of CSV lines. What `prepare` reads is read before the answer begins, so that a refusal is an answer of
 * its own; the lines are made as they are taken.
 */
export async function exportCsv(
  prepare: (run: Run) => Promise<{ lines: AsyncIterable<string>; fileName: string }>,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports } = await getRunning();
  try {
    const session = await readSession();
    const { address, isOperator } = session?.account ?? {};
    const caller = address
      ? { account: address, keyId: null, isOperator: isOperator === true }
      : null;
    const { lines, fileName } = await prepare((name, input) =>
      runOperation(ports, caller, name, input, requestId),
    );
    return csvResponse(csvStream(lines), fileName);
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}
