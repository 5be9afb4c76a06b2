/** Whether a body is one JSON document, which is of use only once it is complete. */
const isJson = (headers: Headers): boolean =>
  /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers.get("content-type") ?? "");

export const isUntyped = (headers: Headers): boolean => !headers.has("content-type");

/** Whether a body may say that its work failed: JSON, or one of no type, as LangGraph's waiting routes answer. */
export const mayBeJson = (headers: Headers): boolean => isJson(headers) || isUntyped(headers);

export const isEventStream = (headers: Headers): boolean =>
  /^text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "");
