import { sha256 } from "../protocol/encoding/sha256.ts";
import { X402_HEADERS } from "../protocol/x402-headers.ts";
import type { Delivery } from "./delivery.ts";
import type { GateOptions } from "./gate-options.ts";
import { requestForWork } from "./headers.ts";
import { findMethodOverride } from "./method-override.ts";
import type { PaidCall } from "./paid-call.ts";
import type { Payment } from "./payment.ts";
import { IDEMPOTENCY_KEY_HEADER } from "./repeats/repeat-id.ts";
import { copyOf, MAX_BODY_BYTES, readBody } from "./request-body.ts";

/** The agent's work. `payment` is there exactly when the route is gated. */
export type Work = (request: Request, payment?: Payment) => Response | Promise<Response>;

/** The work's response, and its body once it was held. */
export type HttpAnswer = {
  response: Response;
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  /** Whether the server has made no stream of its body yet: some members of the response would make one. */
  isUnread: boolean;
  /** What holds it, judges it and passes its stream on: loaded with the first answer. */
  judge?: typeof import("./verdict/judge.ts");
};

/** Kept once loaded: an import of a loaded module still waits for the loader, which each paid call would pay. */
let judge: HttpAnswer["judge"];
let signed: typeof import("./read-proof.ts") | undefined;

/** The public URL as paths are appended to it. */
export const publicUrlOf = ({ publicUrl }: GateOptions) => publicUrl?.replace(/\/+$/, "");

/** A request as the gate's core takes it. `path` is the one the router matches, where it is not the URL's. */
export function createHttpCall(
  request: Request,
  work: Work,
  {
    path,
    isBodyParsed,
    price,
    forWork,
    textOf,
    onError,
    buffer,
    maxBodyBytes = MAX_BODY_BYTES,
    publicUrl,
  }: Delivery & Pick<GateOptions, "buffer" | "maxBodyBytes" | "publicUrl">,
): PaidCall<Request, HttpAnswer> {
  let body: ReturnType<typeof readBody> | undefined;
  const readOnce = () => {
    body ??= readBody(request, maxBodyBytes);
    return body;
  };
  const isHead = request.method === "HEAD";
  const target = () => request.url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const resource = publicUrl ? publicUrl + target() : request.url;
  return {
    method: request.method,
    url: path ?? request.url,
    resource,
    token: request.headers.get(X402_HEADERS.PAYMENT_SIGNATURE) || null,
    overridesMethod: findMethodOverride(request),
    idempotencyKey: request.headers.get(IDEMPOTENCY_KEY_HEADER),
    async proof() {
      signed ??= await import("./read-proof.ts");
      return signed.readProof(request, resource, isBodyParsed ? null : await readOnce());
    },
    async fingerprint(isAsked = true) {
      // A stream may wait for the answer, and states no length.
      const mayNotEnd = request.body !== null && !request.headers.has("content-length");
      if (!isAsked && mayNotEnd) return { fault: "long", maxBytes: 0 };
      const body = await readOnce();
      return "fault" in body ? body : sha256(`${request.method} ${target()}\n`, body);
    },
    async price(credits) {
      const copy = copyOf(request);
      try {
        return await (price ? price(copy, credits) : credits(copy));
      } finally {
        // Not awaited: an unread copy ends only with the original, but would buffer all of it until then.
        if (copy !== request && !copy.bodyUsed) copy.body?.cancel().catch(() => {});
      }
    },
    async run(payment, late) {
      const own = late ? null : forWork?.(request);
      const response = await work(own ?? requestForWork(request, late), payment);
      // By a member: a response may be of another class.
      if (response?.status === undefined) throw new TypeError("The work returned no response.");
      const text = textOf?.(response) ?? null;
      return { response, body: text ?? response.body, isUnread: text !== null };
    },
    onError,
    statusOf: ({ response }) => response.status,
    async hold(answer, isVerdictAwaited) {
      judge ??= await import("./verdict/judge.ts");
      answer.judge = judge;
      const { kind, body } = await judge.holdBody(answer, { isHead, isVerdictAwaited, buffer });
      answer.body = body;
      return kind;
    },
    async discard({ body }) {
      if (body && typeof body === "object" && "cancel" in body) await body.cancel().catch(() => {});
    },
    frozen: () => import("./repeats/frozen-response.ts"),
    hasSucceeded: ({ response, body, judge }, isSuccess) =>
      !judge || judge.judgeBody(response, body ?? (isHead ? null : ""), isSuccess),
  };
}
