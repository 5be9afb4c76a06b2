import type { NodeResponse } from "./node-types.ts";

/** The ways to really answer, while the work's own are captured. */
export type Output = Pick<
  NodeResponse,
  "setHeader" | "removeHeader" | "writeHead" | "flushHeaders" | "write" | "end"
>;

export type Captured = {
  /** The work's answer, as soon as it begins. */
  answer: Promise<Response>;
  /** The response's own methods. */
  output: Output;
  /** The work failed: an answer that has begun breaks off, one that has not never comes. */
  fail(error: unknown): void;
  /** What the work says from now on goes nowhere, unless it has begun: the gate has answered. */
  close(): void;
  /** Gives the response its own methods back, for whoever answers instead. */
  restore(): void;
};

const BODILESS = new Set([204, 205, 304]);
const HIGH_WATER_BYTES = 64 * 1024;

/**
 * Turns what is written to a Node response into a Web response, chunk by chunk: `write` says false
 * while nobody takes, and `drain` follows. The gate decides what the client really gets.
 */
export function captureResponse(response: NodeResponse): Captured {
  const output = {
    setHeader: response.setHeader.bind(response),
    removeHeader: response.removeHeader.bind(response),
    writeHead: response.writeHead.bind(response),
    flushHeaders: response.flushHeaders.bind(response),
    write: response.write.bind(response),
    end: response.end.bind(response),
  } as Output;
  let begin: (answer: Response) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const answer = new Promise<Response>((resolve, reject) => {
    begin = resolve;
    fail = reject;
  });
  let body: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isBegun = false;
  let isEnded = false;
  let isOver = false;
  let isFull = false;

  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        body = controller;
      },
      pull: () => {
        if (!isFull || isOver) return;
        isFull = false;
        response.emit("drain");
      },
      cancel: () => {
        isOver = true;
        // Whoever waits to write on may write into the void, and so come to its end.
        if (isFull) response.emit("drain");
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_BYTES }),
  );

  function start(): void {
    if (isBegun) return;
    isBegun = true;
    try {
      begin(toWebResponse(response, stream));
    } catch (error) {
      isOver = true;
      fail(error);
    }
  }

  function put(chunk: unknown, encoding: unknown): boolean {
    start();
    if (isOver || isEnded || !body) return true;
    const bytes = toBytes(chunk, encoding);
    if (bytes.byteLength > 0) body.enqueue(bytes);
    isFull = (body.desiredSize ?? 1) <= 0;
    return !isFull;
  }

  function breakOff(error: unknown): void {
    fail(error);
    if (isOver || isEnded) return;
    isOver = true;
    if (isBegun) body?.error(error);
  }
  // Whatever the work would still say, nobody hears.
  response.once("close", () => breakOff(new Error("The client is gone.")));

  const captured = {
    writeHead(statusCode: number, ...rest: unknown[]) {
      if (isBegun) return response;
      response.statusCode = statusCode;
      const [reason, headers] =
        typeof rest[0] === "string" ? rest : [undefined, rest[0] ?? rest[1]];
      if (typeof reason === "string") response.statusMessage = reason;
      for (const [name, value] of pairsOf(headers)) response.setHeader(name, value);
      start();
      return response;
    },
    flushHeaders: start,
    write(chunk: unknown, ...rest: unknown[]) {
      const [encoding, done] = typeof rest[0] === "function" ? [undefined, rest[0]] : rest;
      const isFree = put(chunk, encoding);
      if (typeof done === "function") queueMicrotask(() => done());
      return isFree;
    },
    end(...all: unknown[]) {
      const done = all.find((each) => typeof each === "function") as (() => void) | undefined;
      const [chunk, encoding] = all.filter((each) => typeof each !== "function");
      if (done) response.once("finish", done);
      if (chunk !== undefined && chunk !== null) put(chunk, encoding);
      start();
      if (!isEnded && !isOver) body?.close();
      isEnded = true;
      return response;
    },
  };
  const original = Object.getOwnPropertyDescriptors(response) as Record<string, PropertyDescriptor>;
  Object.assign(response, captured);
  // An error handler must not begin a second answer behind the first one's back.
  Object.defineProperties(response, {
    headersSent: { configurable: true, get: () => isBegun },
    writableEnded: { configurable: true, get: () => isEnded },
  });
  return {
    answer,
    output,
    fail: breakOff,
    close() {
      if (isBegun) return;
      isBegun = true;
      isOver = true;
      const ignore = () => response;
      Object.assign(response, { setHeader: ignore, appendHeader: ignore, removeHeader: ignore });
    },
    restore() {
      for (const name of [...Object.keys(captured), "headersSent", "writableEnded"]) {
        if (original[name]) Object.defineProperty(response, name, original[name]);
        else Reflect.deleteProperty(response, name);
      }
    },
  };
}

function toWebResponse(response: NodeResponse, stream: ReadableStream<Uint8Array>): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.getHeaders())) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) {
      headers.append(name, String(item));
    }
  }
  // The server frames what it sends itself.
  headers.delete("transfer-encoding");
  const { statusCode: status, statusMessage: statusText } = response;
  return new Response(BODILESS.has(status) ? null : stream, {
    status,
    headers,
    ...(statusText && { statusText }),
  });
}

/** Headers as `writeHead` takes them: an object, a list of pairs, or a flat list. */
function pairsOf(headers: unknown): [string, string | string[]][] {
  if (typeof headers !== "object" || headers === null) return [];
  if (!Array.isArray(headers)) {
    return Object.entries(headers).filter(([, value]) => value !== undefined);
  }
  if (Array.isArray(headers[0])) return headers as [string, string][];
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    pairs.push([String(headers[index]), headers[index + 1]]);
  }
  return pairs;
}

type BufferLike = { from(text: string, encoding: string): Uint8Array };

function toBytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  const { Buffer } = globalThis as unknown as { Buffer: BufferLike };
  return Buffer.from(String(chunk), typeof encoding === "string" ? encoding : "utf8");
}
