import "server-only";
import { setTimeout } from "node:timers/promises";
import { PaymentsError } from "@turnpike/payments/protocol";
import { type Download, downloadResponse } from "@/lib/server/documents/download.ts";
import { errorAnswer } from "@/lib/server/pipeline/error-answer.ts";
import {
  performAs,
  type ServiceInput,
  type ServiceOperationName,
  type ServiceOutput,
} from "@/lib/server/pipeline/perform-as.ts";
import { getRunning } from "@/lib/server/running.ts";
import { forSpreadsheets } from "@/lib/text/csv.ts";
import { findCaller } from "./session.ts";

/** How often one read is sent while payments are busy. */
const MOST_TRIES = 20;

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

/**
 * A download of CSV lines for a spreadsheet. Once it has begun, a read that is refused for the moment waits and is repeated: the file would
 * end in its middle. `signal` is that of the request, so that it ends when its reader leaves.
 */
export const exportCsv = (
  { signal }: Pick<Request, "signal">,
  prepare: (run: Run) => Promise<{ lines: AsyncIterable<string>; fileName: string }>,
): Promise<Response> =>
  download(async ({ run }) => {
    let hasBegun = false;
    const { lines, fileName } = await prepare(async (name, input) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await run(name, input);
        } catch (cause) {
          const waitSecs = retrySecsOf(cause);
          if (!hasBegun || waitSecs === null || tries === MOST_TRIES) throw cause;
          await setTimeout(waitSecs * 1_000, undefined, { signal });
        }
      }
    });
    hasBegun = true;
    return { contentType: "text/csv; charset=utf-8", fileName, chunks: forSpreadsheets(lines) };
  });

/** How long to wait before a refused read may be sent again; null for what no wait cures. */
function retrySecsOf(cause: unknown): number | null {
  const isBusy =
    PaymentsError.is(cause) && (cause.code === "unavailable" || cause.code === "rate_limited");
  return isBusy ? (cause.retryAfterSecs ?? 1) : null;
}
