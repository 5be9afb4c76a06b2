import type { PriceFunction } from "./routes.ts";

/** What a server adapter knows beyond the request, and can do beyond the response. */
export type Delivery = {
  /** The path the router matches, where it is not the path of the request's URL. */
  path?: string;
  /** A body parser ran before the gate: the body is as the parser's value reads, not as it was sent. */
  isBodyParsed?: boolean;
  /** Asks a `credits` function, where the work could read another request than it does. */
  price?(request: Request, credits: PriceFunction<Request>): ReturnType<PriceFunction<Request>>;
  /** The request as the work sees it, where the server has it without a copy. */
  forWork?(request: Request): Request | null;
  /** The text of the work's answer, where the server keeps it as the work gave it; else `null`. */
  textOf?(response: Response): string | null;
  /**
   * Called with what gated work throws: the gate then answers 500, under the request's id and with what was paid for it. By
   * default it does so only for what was paid before, and else rejects with it.
   */
  onError?(error: unknown): void;
  /** Called where the gate answers in place of the work. */
  onRefusal?(): void;
  /** Adds HTTP trailers; called at most once, before a flowing answer ends. */
  addTrailers?(trailers: Record<string, string>): void;
  /** Has the platform wait for the charge of a stream, also once its client has left: `waitUntil` of workers. */
  waitUntil?(end: Promise<unknown>): void;
  /** Trailers need a chunked body; this server would set a length on a short one. */
  needsChunks?: boolean;
};
