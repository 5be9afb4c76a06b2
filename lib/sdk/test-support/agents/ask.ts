import { type IncomingMessage, request } from "node:http";
import { decodeHeader } from "../../protocol/x402-headers.ts";
import { tokenTextOf } from "../fake-service.ts";

export type Answer = {
  status: number;
  headers: IncomingMessage["headers"];
  trailers: IncomingMessage["trailers"];
  text: string;
  json: () => Record<string, unknown>;
  /** The receipt in the header, decoded. */
  receipt: () => Record<string, unknown> | null;
};

export type AskOptions = {
  method?: string;
  body?: string;
  token?: string | string[] | null;
  headers?: Record<string, string>;
  /** Disconnects the client. */
  signal?: AbortSignal;
};

const TOKEN = tokenTextOf("42");

/** Sends a request over a real socket with the path as given, and a valid token unless `token` is null. */
export async function ask(origin: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const incoming = await open(origin, path, options);
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { statusCode = 0, headers, trailers } = incoming;
  return {
    status: statusCode,
    headers,
    trailers,
    text,
    json: () => JSON.parse(text),
    receipt: () => receiptIn(headers["payment-response"]),
  };
}

export const receiptIn = (header: string | string[] | undefined) =>
  decodeHeader(String(header ?? "")) as Record<string, unknown> | null;

/** The response as soon as its head has arrived; its body is still to be read. */
export function open(
  origin: string,
  path: string,
  { method = "POST", body = "{}", token = TOKEN, headers = {}, signal }: AskOptions = {},
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method,
        agent: false,
        headers: {
          ...(method === "POST" && { "content-type": "application/json" }),
          ...(token !== null && { "payment-signature": token }),
          ...headers,
        },
      },
      resolve,
    );
    sent.on("error", reject);
    signal?.addEventListener("abort", () => sent.destroy());
    sent.end(method === "POST" ? body : undefined);
  });
}

/** Waits until a condition holds, or fails. */
export async function until(holds: () => boolean, withinMs = 5000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`It does not hold after ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
