import type { Exchange, HeaderLine } from "./exchange.ts";
import { type Run, STEPS } from "./run.ts";

const VERSION = "0.1.0";

/** A run as an HTTP archive (HAR 1.2): every request sent, with its step as the comment. */
export function harOf(run: Run): object {
  const entries = run.steps.flatMap(({ id, exchange }) =>
    exchange ? [entryOf(exchange, STEPS.find((step) => step.id === id)?.title ?? id)] : [],
  );
  return {
    log: {
      version: "1.2",
      creator: { name: "Turnpike playground", version: VERSION },
      pages: [],
      entries,
    },
  };
}

function entryOf(exchange: Exchange, comment: string): object {
  const { request, answer, failure, startedAt, durationMs } = exchange;
  const url = new URL(request.url);
  return {
    startedDateTime: startedAt,
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(request.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(request.body !== null && {
        postData: { mimeType: typeOf(request.headers), text: request.body },
      }),
      headersSize: -1,
      bodySize: request.body === null ? 0 : byteLength(request.body),
    },
    response: {
      status: answer?.status ?? 0,
      statusText: "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(answer?.headers ?? []),
      content: {
        size: answer?.bytes ?? 0,
        mimeType: typeOf(answer?.headers ?? []),
        text: answer?.body ?? "",
        ...(answer?.cut && { comment: answer.cut.message }),
      },
      redirectURL: headerValue(answer?.headers ?? [], "location") ?? "",
      headersSize: -1,
      bodySize: answer?.bytes ?? -1,
      ...(failure && { comment: failure.message }),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment,
  };
}

const pairs = (headers: readonly HeaderLine[]) => headers.map(([name, value]) => ({ name, value }));

const headerValue = (headers: readonly HeaderLine[], wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

const typeOf = (headers: readonly HeaderLine[]): string =>
  headerValue(headers, "content-type") ?? "application/octet-stream";

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
