import { appendFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the SDK sent it, and the processor's answer. */
export type Exchange = {
  method: string;
  path: string;
  /** The body, or the query of a GET. */
  form: string;
  status: number;
  answer: string;
};

/**
 * An address in front of a processor that notes each exchange as a line of `file`: what the official SDK really sends,
 * and what it gets. A connection that breaks on one side breaks on the other, so that faults stay what they are.
 */
export async function recordExchanges(
  apiBase: string,
  file: string,
): Promise<{ apiBase: string; stop: () => Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk);
    const url = new URL(incoming.url ?? "/", apiBase);
    const { method = "GET", headers } = incoming;
    const upstream = send(url, { method, headers }, async (response) => {
      try {
        const parts: Buffer[] = [];
        for await (const chunk of response) parts.push(chunk);
        const answer = Buffer.concat(parts);
        const form = method === "GET" ? url.search.slice(1) : Buffer.concat(body).toString();
        const status = response.statusCode ?? 0;
        const exchange = { method, path: url.pathname, form, status, answer: answer.toString() };
        appendFileSync(file, `${JSON.stringify(exchange satisfies Exchange)}\n`);
        outgoing.writeHead(status, response.headers).end(answer);
      } catch {
        outgoing.destroy();
      }
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    upstream.end(Buffer.concat(body));
  });
  await new Promise<void>((started) => server.listen(0, "127.0.0.1", () => started()));
  return {
    apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
