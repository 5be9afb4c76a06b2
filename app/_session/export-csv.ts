import "server-only";
import { downloadResponse } from "@/lib/server/documents/download.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import {
  performAs,
  type ServiceInput,
  type ServiceOperationName,
  type ServiceOutput,
} from "@/lib/server/pipeline/perform-as.ts";
import { getRunning } from "@/lib/server/running.ts";
import { findCaller } from "./session.ts";

/** Runs an operation as the person signed in. */
export type Run = <K extends ServiceOperationName>(
  name: K,
  input: ServiceInput<K>,
) => Promise<ServiceOutput<K>>;

/**
 * A download of CSV lines. `prepare` reads before the response begins, so that its errors are responses; the
 * lines are made as the browser takes them.
 */
export async function exportCsv(
  prepare: (run: Run) => Promise<{ lines: AsyncIterable<string>; fileName: string }>,
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports, pipeline } = await getRunning();
  try {
    const caller = await findCaller();
    const { lines, fileName } = await prepare((name, input) =>
      performAs(pipeline, { caller, requestId }, name, input),
    );
    return downloadResponse({
      contentType: "text/csv; charset=utf-8",
      fileName,
      chunks: lines,
    });
  } catch (cause) {
    return errorAnswer(cause, requestId, ports.log);
  }
}
