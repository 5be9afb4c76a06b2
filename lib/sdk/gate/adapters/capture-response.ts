import { letGo } from "../../client/waiting/let-go.ts";
import { answerLater } from "./answer-later.ts";
import { createCapturedBody } from "./captured-body.ts";
import { closeWhenWritten } from "./close-when-written.ts";
import { headerPairs } from "./header-pairs.ts";
import type { NodeResponse } from "./node-types.ts";

/** The response's original methods, while the work's calls are captured, and whether its client is gone. */
export type Output = Pick<
  NodeResponse,
  | "setHeader"
  | "removeHeader"
  | "writeHead"
  | "flushHeaders"
  | "addTrailers"
  | "write"
  | "end"
  | "destroy"
  | "destroyed"
  | "on"
> & {
  /** Added at the end, because Node forgets those before the last ones; `null` where the gate answers in place of the work. */
  trailers?: Record<string, string> | null;
};

export type Captured = {
  /** The work's answer, as soon as it begins. */
  answer: Promise<Response>;
  output: Output;
  /** The work failed: an answer that has begun breaks off, one that has not is rejected. */
  fail(error: unknown): void;
  /** Drops what the work writes from now on, unless its answer has begun: the gate has answered. */
  close(): void;
  /** Puts the original methods back, so that an error handler can answer. */
  restore(): void;
};

/** As long as a reservation lasts at most. */
const MAX_ABANDONED_MS = 86_400_000;

/** Work goes on without its client, and is paid when it answers; some never does once the socket is closed. */
function abandonLater(fail: (error: unknown) => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(fail, MAX_ABANDONED_MS, new Error("The client is gone."));
  letGo(timer);
  return timer;
}

const BROKEN_OFF = "The work broke off its answer.";

/** Whether the connection was closed on this side: the client neither ended nor broke it. */
function isClosedHere({ socket }: NodeResponse): boolean {
  return socket?.destroyed === true && socket.readableEnded === false && !socket.errored;
}

/** Tells a connection that the work has closed, whose answer fails, from one that its client has left. */
function watchClose(
  response: NodeResponse,
  { isBegun, isEnded, fail }: Record<"isBegun" | "isEnded", () => boolean> & Pick<Captured, "fail">,
) {
  let isClosed = false;
  let isBroken = false;
  let isStopped = false;
  let abandoned: ReturnType<typeof setTimeout> | undefined;
  let closeAgain: (() => void) | undefined;
  const onClose = () => {
    isClosed = true;
    if (isStopped || isEnded()) return;
    // An error handler closes the connection of an answer that has begun.
    if (isBegun() && isClosedHere(response)) return fail(new Error(BROKEN_OFF));
    abandoned = abandonLater(fail);
    if (!isBegun() && !isBroken) closeAgain = answerLater(response);
  };
  if (response.destroyed) onClose();
  else response.once("close", onClose);
  return {
    isAnsweredLater: () => closeAgain !== undefined,
    /** The gate takes no more of the answer, so nothing waits for its end. */
    stop() {
      isStopped = true;
      clearTimeout(abandoned);
      closeAgain?.();
    },
    breakOff(error: Error, destroy: NodeResponse["destroy"] | null) {
      isBroken = true;
      // Where the client has left, what it owes is decided first.
      if (isClosed) queueMicrotask(() => fail(error));
      else fail(error);
      return destroy ? breakOff(response, error, destroy) : response;
    },
    end() {
      clearTimeout(abandoned);
      // Work that waits for the end of its pipe goes on.
      if (closeAgain) queueMicrotask(() => response.emit("finish"));
    },
  };
}

const BODILESS = new Set([204, 205, 304]);

/**
 * Turns what is written to a Node response into a Web response, chunk by chunk: `write` returns false
 * while the reader is slower, and `drain` follows. The gate decides what the client gets; where it `isPaid`, also if the work
 * destroys its response before the gate has answered.
 */
export function captureResponse(response: NodeResponse, isPaid = false): Captured {
  const output = methodsOf(response, () => leaving.isAnsweredLater());
  const onCancel = () => leaving.stop();
  const body = createCapturedBody(() => response.emit("drain"), onCancel);
  let [begin, reject] = [(_answer: Response) => {}, (_error: unknown) => {}];
  const answer = new Promise<Response>((...settle) => {
    [begin, reject] = settle;
  });
  let isBegun = false;
  let isEnded = false;
  let closeLater: ReturnType<typeof closeWhenWritten>;

  function start(): void {
    if (isBegun) return;
    isBegun = true;
    try {
      begin(toWebResponse(response, body.stream));
    } catch (error) {
      fail(error);
    }
  }

  function fail(error: unknown): void {
    reject(error);
    body.fail(error);
    leaving.stop();
  }
  const leaving = watchClose(response, { isBegun: () => isBegun, isEnded: () => isEnded, fail });

  const captured = {
    writeHead(statusCode: number, ...rest: unknown[]) {
      if (isBegun) return response;
      setHead(response, statusCode, rest);
      start();
      return response;
    },
    flushHeaders: start,
    addTrailers: (more: unknown) => addTrailers(output, more),
    ...plainListening(response),
    write(chunk: unknown, ...rest: unknown[]) {
      const [encoding, done] = typeof rest[0] === "function" ? [undefined, rest[0]] : rest;
      start();
      const isFree = body.write(toBytes(chunk, encoding));
      if (typeof done === "function") queueMicrotask(() => done());
      return isFree;
    },
    end(...all: unknown[]) {
      const done = all.find((each) => typeof each === "function") as (() => void) | undefined;
      const [chunk = null, encoding] = all.filter((each) => typeof each !== "function");
      if (done) response.once("finish", done);
      start();
      if (chunk !== null) body.write(toBytes(chunk, encoding));
      body.end();
      isEnded = true;
      closeLater ??= closeWhenWritten(response);
      leaving.end();
      return response;
    },
    destroy(error = new Error(BROKEN_OFF)) {
      if (!isEnded) return leaving.breakOff(error, isPaid ? null : output.destroy);
      closeLater?.();
      return response;
    },
  };
  // An error handler must not begin a second answer behind the first one's back.
  const restore = replaceMembers(response, captured, {
    headersSent: () => isBegun,
    writableEnded: () => isEnded,
  });

  return {
    answer,
    output,
    fail,
    restore,
    close() {
      isPaid = false;
      if (isBegun) return;
      isBegun = true;
      body.drop();
      leaving.stop();
      ignoreHeaders(response);
    },
  };
}

/** Trailers of the work, kept until it is known whether its answer is passed on. */
const addTrailers = ({ trailers }: Output, more: unknown) =>
  Object.assign(trailers ?? {}, Object.fromEntries(headerPairs(more)));

/**
 * Breaks off an answer so that its client can tell: HTTP/2 resets a stream only for an error, and HTTP/1.0, which nginx speaks to an
 * agent by default, takes the end of the connection for the end of the body.
 */
export function breakOff(
  response: NodeResponse,
  error: Error,
  destroy: NodeResponse["destroy"] = response.destroy,
): NodeResponse {
  try {
    if (response.req?.httpVersion === "1.0") response.socket?.resetAndDestroy?.();
  } catch {
    // Only plain TCP can be reset.
  }
  destroy.call(response, error);
  return response;
}

function ignoreHeaders(response: NodeResponse): void {
  const ignore = () => response;
  Object.assign(response, { setHeader: ignore, appendHeader: ignore, removeHeader: ignore });
}

/** Compression before the gate keeps listeners of `drain` until a head is sent, and the gate's head waits for what is written. */
function plainListening(response: NodeResponse): Record<string, unknown> {
  if (!Object.hasOwn(response, "on")) return {};
  const { on } = Object.getPrototypeOf(response) as NodeResponse;
  return { on, addListener: on };
}

const methodsOf = (response: NodeResponse, isGone: () => boolean): Output => ({
  trailers: {},
  get destroyed() {
    return response.destroyed || isGone();
  },
  setHeader: response.setHeader.bind(response),
  removeHeader: response.removeHeader.bind(response),
  writeHead: response.writeHead.bind(response),
  flushHeaders: response.flushHeaders.bind(response),
  addTrailers: response.addTrailers.bind(response),
  write: response.write.bind(response),
  end: response.end.bind(response),
  destroy: response.destroy.bind(response),
  on: response.on.bind(response),
});

/** Replaces methods and getters of a response; the function it returns puts the originals back. */
function replaceMembers(
  response: NodeResponse,
  methods: Record<string, unknown>,
  getters: Record<string, () => boolean>,
): () => void {
  const original = Object.getOwnPropertyDescriptors(response) as Record<string, PropertyDescriptor>;
  Object.assign(response, methods);
  for (const [name, get] of Object.entries(getters)) {
    Object.defineProperty(response, name, { configurable: true, get });
  }
  return () => {
    for (const name of [...Object.keys(methods), ...Object.keys(getters)]) {
      if (original[name]) Object.defineProperty(response, name, original[name]);
      else Reflect.deleteProperty(response, name);
    }
  };
}

/** Sets status and headers as `writeHead` takes them: with or without a reason, headers in any of its forms. */
function setHead(response: NodeResponse, statusCode: number, rest: readonly unknown[]): void {
  response.statusCode = statusCode;
  const [reason, headers] = typeof rest[0] === "string" ? rest : [undefined, rest[0] ?? rest[1]];
  if (typeof reason === "string") response.statusMessage = reason;
  for (const [name, value] of headerPairs(headers)) response.setHeader(name, value);
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

type BufferLike = { from(text: string, encoding: string): Uint8Array };

function toBytes(chunk: unknown, encoding: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  const { Buffer } = globalThis as unknown as { Buffer: BufferLike };
  return Buffer.from(String(chunk), typeof encoding === "string" ? encoding : "utf8");
}
