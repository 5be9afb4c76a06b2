import type * as z from "zod/mini";
import { detailsOf, ErrorEnvelope } from "../protocol/error-envelope.ts";
import { type ErrorCode, PaymentsError, readErrorCode } from "../protocol/errors.ts";
import { ISSUE_WORDS } from "../protocol/issue-text.ts";
import { readJson, withoutNulls } from "../protocol/json.ts";
import type { Answer } from "./send-within.ts";

/** The parsed output of a call, or the service's error as a `PaymentsError`. */
export function readAnswer(subject: string, output: z.ZodMiniType, answer: Answer): unknown {
  if (answer.status < 200 || answer.status > 299) throw readError(subject, answer);
  const parsed = output.safeParse(withoutNulls(readJson(answer.text)), ISSUE_WORDS);
  if (parsed.success) return parsed.data;
  throw new PaymentsError(
    "invalid_answer",
    `${subject} was answered ${answer.status}, but not in the form this version reads.`,
    { details: detailsOf(parsed.error) },
  );
}

function readError(subject: string, answer: Answer): PaymentsError {
  const retryAfterSecs = readRetryAfter(answer.headers.get("retry-after"));
  const envelope = ErrorEnvelope.safeParse(withoutNulls(readJson(answer.text)));
  if (!envelope.success) {
    const { code, message } = withoutEnvelope(answer);
    return new PaymentsError(code, `${subject} ${message}`, { retryAfterSecs });
  }
  const { code, message, hint, details, requestId } = envelope.data;
  return new PaymentsError(readErrorCode(code), message, {
    hint,
    details,
    requestId,
    retryAfterSecs,
  });
}

// Something between us and the service answered: a proxy, a load balancer, another server.
function withoutEnvelope({ status, headers }: Answer): { code: ErrorCode; message: string } {
  const location = headers.get("location");
  if (location) return { code: "invalid_answer", message: `was redirected to ${location}.` };
  const code = CODE_OF_STATUS[status] ?? "invalid_answer";
  return { code, message: `was answered ${status} by something that is not the service.` };
}

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  401: "unauthorized",
  403: "forbidden",
  413: "payload_too_large",
  429: "rate_limited",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/** The seconds of a `Retry-After` header, which is a number or a date. */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}
