import { readJsonLines } from "@/lib/text/json-lines.ts";
import { UNREACHABLE } from "../forms/action-answer.ts";

/** Posts a request and yields the JSON lines of the response as they arrive. Throws an error with a message to show. */
export async function* readStream<T>(
  url: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) {
    const failure: unknown = await response.json().catch(() => null);
    const { message } = (failure ?? {}) as { message?: unknown };
    throw new Error(typeof message === "string" ? message : UNREACHABLE);
  }
  yield* readJsonLines<T>(response.body);
}
