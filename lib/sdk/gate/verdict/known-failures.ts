import {
  type Answered,
  FAILED,
  isFailure,
  isKnownSuccess,
  isObject,
  isRpc,
  type Members,
} from "./outcome.ts";

/**
 * Whether the events of a stream so far report that its work failed, where the route does not say. The function it
 * returns takes the next event.
 *
 * A stream may answer several JSON-RPC calls, each in a separate event: as in a batch, one that succeeded is owed.
 */
export function createKnownFailures(): (answered: Answered) => boolean {
  const failedCalls = new Map<unknown, boolean>();
  let hasFailed = false;
  let hasResult = false;
  let hasDelivered = false;

  function readResponse(response: Members): void {
    const { id, result } = response;
    const isFailed = isFailure(response, FAILED);
    // Two calls may have the same id, so what follows a result does not undo it.
    if (!isFailed && !isTaskPart(result)) hasResult = true;
    else failedCalls.set(id, isFailed || failedCalls.get(id) === true);
  }

  return (answered) => {
    const responses = answered.event === "error" ? [] : responsesIn(answered.text);
    for (const response of responses) readResponse(response);
    if (responses.length === 0 && !(hasDelivered && isCancel(answered))) {
      hasFailed ||= !isKnownSuccess(answered);
    }
    hasDelivered ||= answered.text !== "";
    const haveCallsFailed = failedCalls.size > 0 && [...failedCalls.values()].every(Boolean);
    return hasFailed || (haveCallsFailed && !hasResult);
  };
}

/** The JSON-RPC responses of an event: one, or a batch. */
function responsesIn(text: string): Members[] {
  if (!text.includes('"jsonrpc"')) return [];
  const value = parse(text);
  return (Array.isArray(value) ? value : [value]).filter(
    (each): each is Members =>
      isObject(each) && isRpc(each) && ("result" in each || "error" in each),
  );
}

/** Part of an A2A answer: others under the same id follow, and one may say that the task failed. */
const isTaskPart = (result: unknown): boolean =>
  isObject(result) &&
  (typeof result.kind === "string" ||
    (isObject(result.task) && isObject(result.task.status)) ||
    [result.statusUpdate, result.artifactUpdate, result.message].some(isObject));

/**
 * Whether an error event says that the run was cancelled, in LangGraph's words. Its caller can cancel it after reading what
 * they came for. An `AbortError` is not among them: an agent whose own call was aborted fails with it.
 */
function isCancel({ event, text }: Answered): boolean {
  const data = event === "error" && parse(text);
  if (!isObject(data)) return false;
  const { error, message } = data;
  return (
    error === "UserInterrupt" ||
    error === "UserRollback" ||
    (error === "Error" && (message === "interrupt" || message === "rollback"))
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
