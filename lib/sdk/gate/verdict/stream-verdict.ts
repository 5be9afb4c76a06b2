import { isEventStream } from "../media-types.ts";
import { createKnownFailures } from "./known-failures.ts";
import type { Answered, SuccessCheck } from "./outcome.ts";

/** Code without types can have a check that is asynchronous. */
type Verdict = boolean | Promise<boolean>;

/** Reads an event stream as it passes, and tells whether one of its events reported a failure. */
export type StreamVerdict = {
  read(chunk: Uint8Array): void;
  hasFailed(): Verdict;
  /** Whether it ends inside an event, which another one may not follow. */
  isOpen(): boolean;
  /** The stream is complete: what it ends inside of is an event too. */
  finish(): void;
};

const MAX_EVENT_LENGTH = 1024 * 1024;

/** The verdict on an answer that streams; one that is not of plain events is never called failed. */
export function createStreamVerdict(
  { status, headers }: Response,
  isSuccess?: SuccessCheck,
): StreamVerdict {
  if (!isEventStream(headers) || headers.has("content-encoding")) {
    const never = () => false;
    return { read: never, hasFailed: never, isOpen: never, finish: () => {} };
  }
  const hasFailedBy = isSuccess ? createRouteFailures(isSuccess) : createKnownFailures();
  const decoder = new TextDecoder();
  let rest = "";
  // A carriage return at the end of a chunk, which may be half of a line end.
  let held = "";
  let event = "message";
  let data: string[] = [];
  let hasFailed: Verdict = false;

  function readLine(line: string): void {
    if (line !== "") {
      const [, field, value = ""] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "event") event = value;
      if (field === "data") data.push(value);
      return;
    }
    // An event without data is not dispatched, except that a name alone already reports an error.
    if (data.length > 0 || event === "error") {
      hasFailed = hasFailedBy({ status, headers, text: data.join("\n"), event });
    }
    event = "message";
    data = [];
  }

  return {
    read(chunk) {
      const text = held + decoder.decode(chunk, { stream: true });
      held = text.endsWith("\r") ? "\r" : "";
      const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
      const last = lines.pop() as string;
      for (const line of lines) {
        readLine(rest + line);
        rest = "";
      }
      // Joined, not searched again: a long line comes in many chunks.
      rest += last;
      // An event this long is content; what reports a failure is short.
      if (rest.length > MAX_EVENT_LENGTH) rest = "";
    },
    hasFailed: () => hasFailed,
    isOpen: () => rest + held !== "" || data.length > 0,
    finish() {
      try {
        if (rest !== "") readLine(rest);
        readLine("");
      } catch {
        // The route's own check can't say that it succeeded.
        hasFailed = true;
      }
    },
  };
}

/** By a route's own check, a stream has failed once one of its events has. */
function createRouteFailures(isSuccess: SuccessCheck): (answered: Answered) => Verdict {
  let hasFailed: Verdict = false;
  return (answered) => {
    if (hasFailed === true) return true;
    const before: Verdict = hasFailed;
    const verdict: Verdict = isSuccess(answered);
    if (!verdict) hasFailed = true;
    else if (verdict !== true)
      hasFailed = Promise.resolve(verdict).then(
        (is) => !is || before,
        () => true,
      );
    return hasFailed;
  };
}
