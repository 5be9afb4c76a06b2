/** What the work answered, as a route's `isSuccess` sees it: a whole answer, or one event of a stream. */
export type Answered = {
  status: number;
  headers: Headers;
  /** The body, or an event's data. */
  text: string;
  /** The name of a stream's event; absent for a whole answer. */
  event?: string;
};

/** Whether work succeeded, told by its answer. */
export type SuccessCheck = (answered: Answered) => boolean;

// Members that an answer of failed work has; most answers are recognized by this at a glance.
const MARKS = /"(__error__|jsonrpc|isError|error)"|TASK_STATE_(FAILED|REJECTED|CANCELED)/;

/**
 * Whether work succeeded, by the ways known protocols report a failure under status 200: LangGraph's
 * `__error__`, an `error` event of a stream or an unnamed one with an `error` (OpenAI), a JSON-RPC error, an MCP result with `isError`, and an A2A task
 * that failed, was rejected or, in an answer that is not a stream, was cancelled.
 */
export const isKnownSuccess: SuccessCheck = ({ text, event }) => {
  if (event === "error") return false;
  if (!MARKS.test(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    if (event === "message" && isErrorData(value)) return false;
    return !isFailure(value, event ? FAILED : ENDED);
  } catch {
    return true;
  }
};

export type Members = Record<string, unknown>;
export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Data that says only that the work failed. Of a JSON-RPC response, its own rules decide; a named event may be any state. */
const isErrorData = (value: unknown): boolean =>
  isObject(value) &&
  !isRpc(value) &&
  (isObject(value.error) || (typeof value.error === "string" && value.error !== ""));

const ENDED = /^(TASK_STATE_)?(failed|rejected|canceled)$/i;
// Callers may cancel a task once they have read its content: of a stream that is as leaving it.
export const FAILED = /^(TASK_STATE_)?(failed|rejected)$/i;

export function isFailure(value: unknown, states: RegExp): boolean {
  // A JSON-RPC batch succeeds when one of its calls does.
  if (Array.isArray(value))
    return value.length > 0 && value.every((each) => isFailure(each, states));
  if (!isObject(value)) return false;
  if (isRpc(value)) return isObject(value.error) || isFailedResult(value.result, states);
  return "__error__" in value || isFailedResult(value, states);
}

export const isRpc = ({ jsonrpc }: Members) => jsonrpc === "2.0";

/** An MCP tool's result, or an A2A task or its update, alone or under its kind. */
const isFailedResult = (result: unknown, states: RegExp): boolean =>
  isObject(result) &&
  (result.isError === true ||
    [result, result.task, result.statusUpdate].some(
      (each) =>
        isObject(each) &&
        isObject(each.status) &&
        typeof each.status.state === "string" &&
        states.test(each.status.state),
    ));
