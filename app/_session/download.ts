import "server-only";
import { type Download, downloadResponse } from "@/lib/server/documents/download.ts";
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

type Work = {
  run: Run;
  /** The same with the input as the address has it, and the answer as the verb made it. */
  perform: (name: ServiceOperationName, input: unknown) => Promise<unknown>;
};

/**
 * A file for the person signed in. `prepare` reads before the response begins, so that its errors are responses; the
 * rest is made as the browser takes it.
 */
export async function download(prepare: (work: Work) => Promise<Download>): Promise<Response> {
  const requestId = crypto.randomUUID();
  const { ports, pipeline } = await getRunning();
  try {
    const caller = await findCaller();
    const credentials = caller && { session: caller };
    return downloadResponse(
      await prepare({
        run: (name, input) => performAs(pipeline, { caller, requestId }, name, input),
        perform: (name, input) =>
          pipeline.perform({ operation: pipeline.find(name), credentials, input, requestId }),
      }),
    );
  } catch (cause) {
    return errorAnswer(cause, requestId, ports);
  }
}

/** A download of CSV lines. */
export const exportCsv = (
  prepare: (run: Run) => Promise<{ lines: AsyncIterable<string>; fileName: string }>,
): Promise<Response> =>
  download(async ({ run }) => {
    const { lines, fileName } = await prepare(run);
    return { contentType: "text/csv; charset=utf-8", fileName, chunks: lines };
  });
