/** The parts of Node's `IncomingMessage` that the gate uses, also under Express and Fastify. */
export type NodeRequest = {
  method?: string | undefined;
  url?: string | undefined;
  /** Express keeps the whole path here while a mounted router works on the rest. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  rawHeaders: string[];
  httpVersion: string;
  complete: boolean;
  /** Of HTTP/2: whether the message has no body. */
  stream?: { endAfterHeaders?: boolean };
  readableLength: number;
  _readableState?: { ended?: boolean };
  readonly socket: object;
  /** The body, when a parser before the gate has read it. */
  body?: unknown;
  read(): unknown;
  unshift(chunk: never): void;
  on(event: "readable" | "error" | "close", listener: (error?: never) => void): unknown;
  off(event: "readable" | "error" | "close", listener: (error?: never) => void): unknown;
};

/** The parts of Node's `ServerResponse` that the gate uses. */
export type NodeResponse = {
  statusCode: number;
  statusMessage: string;
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  readonly writableEnded: boolean;
  readonly writableNeedDrain?: boolean;
  readonly destroyed: boolean;
  /** Absent once the response is over, and under HTTP/2 a stand-in. */
  readonly socket?: {
    destroyed?: boolean;
    readableEnded?: boolean;
    errored?: unknown;
    destroy(error?: Error): unknown;
    resetAndDestroy?(): void;
  } | null;
  readonly req?: { httpVersion?: string };
  getHeaders(): Record<string, number | string | string[] | undefined>;
  getHeaderNames(): string[];
  setHeader(name: string, value: string | string[]): unknown;
  removeHeader(name: string): void;
  writeHead(statusCode: number, ...rest: never[]): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, ...rest: never[]): boolean;
  end(chunk?: string | Uint8Array, ...rest: never[]): unknown;
  addTrailers(trailers: Record<string, string>): void;
  destroy(error?: Error): unknown;
  emit(event: "drain" | "finish"): boolean;
  listeners(event: "close"): object[];
  on(event: "drain", listener: () => void): unknown;
  once(event: "drain" | "close" | "finish", listener: () => void): unknown;
  off(event: "drain" | "close" | "finish", listener: () => void): unknown;
};
