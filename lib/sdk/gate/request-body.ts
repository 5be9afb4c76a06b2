import { PaymentsError } from "../protocol/errors.ts";
import type { Unnamed } from "./faults/unnamed.ts";

/** A longer body is read only where the seller allows it. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** A request whose body may be read or not, without using up the work's. */
export const copyOf = (request: Request): Request =>
  !request.body || request.bodyUsed ? request : request.clone();

/** A request's body, which the work still gets, unless it is longer than `maxBytes` or cannot be read. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | Unnamed> {
  const tooLong: Unnamed = { fault: "long", maxBytes };
  if (!request.body) return new Uint8Array();
  if (request.bodyUsed) return { fault: "used" };
  if (Number(request.headers.get("content-length")) > maxBytes) return tooLong;
  const reader = (request.clone().body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      size += next.value.byteLength;
      if (size > maxBytes) break;
    }
  } catch (error) {
    // A Node server reads no further than its own limit.
    return PaymentsError.is(error) ? tooLong : { fault: "broken" };
  }
  if (size <= maxBytes) return joinBytes(chunks, size);
  reader.cancel().catch(() => {});
  return tooLong;
}

/** The chunks as one. */
export function joinBytes(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
