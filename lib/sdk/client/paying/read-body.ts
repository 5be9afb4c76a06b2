import { readJson, withoutNulls } from "../../protocol/json.ts";

const MAX_BODY = 1_048_576;
/** A call reads a refusal up to three times. */
const BODY_MS = 10_000;

/** A response's body as JSON; null when it is none, or not within 1 MiB and 10 s. The body can still be read. */
export async function readBody(response: Response): Promise<Record<string, unknown> | null> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // A read that waits for more is then at the end.
  const cancel = () => void reader?.cancel().catch(() => {});
  const timer = setTimeout(cancel, BODY_MS);
  const decoder = new TextDecoder();
  let text = "";
  try {
    reader = response.clone().body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length > MAX_BODY) return null;
    }
    const body: unknown = withoutNulls(readJson(text));
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

/** The client gave up, or the answer is of a proxy's time limit: what the agent does with the request goes on. */
const OF_PROXIES = /^(408|50[2-4]|52\d)$/;

/**
 * Whether an answer leaves open what became of its request: one of a proxy that did not wait for the agent, or of a gate that got
 * no answer of the service. A gate names each request that it lets through.
 */
export const isLost = ({ status, headers }: Response): boolean =>
  OF_PROXIES.test(`${status}`) && !headers.has("payment-request-id");

/** Whether a proxy answered in the agent's place. A gate that let nothing through says so in its own words, with 503. */
export const isOfProxy = async (response: Response): Promise<boolean> =>
  isLost(response) &&
  !(response.status === 503 && typeof (await readBody(response))?.code === "string");
