import type { Frozen } from "../paid-call.ts";

type Held = {
  response: Response;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
};

/** The work's response and its body, where the gate held it. */
export function freeze({ response, body }: Held): Frozen | null {
  if (body instanceof ReadableStream) return null;
  const { status, headers } = response;
  return {
    head: JSON.stringify({ status, headers: Array.from(headers) }),
    body: typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array()),
  };
}

export function thaw({ head, body: bytes }: Frozen): Held & { isUnread: boolean } {
  const response = new Response(bytes.byteLength > 0 ? bytes : null, JSON.parse(head));
  return { response, body: response.body, isUnread: false };
}
