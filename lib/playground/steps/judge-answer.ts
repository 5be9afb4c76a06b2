import { type Exchange, headerOf, jsonOf } from "../exchange.ts";
import type { Judgement, OutcomeCode } from "../outcomes.ts";

type Failure = NonNullable<Exchange["failure"]>;

export function judgeUnpaid({ answer, failure }: Exchange): Judgement {
  if (failure) return judgeFailure(failure);
  const status = answer?.status ?? 0;
  const values = { status: String(status) };
  if (status === 402) return { outcome: "challenged", values };
  if (speaksJsonRpc(answer)) return { outcome: "speaks-json-rpc", values };
  if (status >= 300 && status < 400) {
    const location = headerOf(answer, "location") ?? "an unnamed address";
    return { outcome: "redirected", values: { ...values, location } };
  }
  if (status === 401 || status === 403) return { outcome: "agent-auth", values };
  if (status >= 500) return { outcome: "ask-failed", values };
  if (status < 200 || status >= 400) return { outcome: "ask-refused", values };
  if (answer?.cut) {
    return { outcome: "never-ending", values: { ...values, message: answer.cut.message } };
  }
  const location = cardUrlOf(answer);
  return location === null
    ? { outcome: "not-gated", values }
    : { outcome: "agent-card", values: { ...values, location } };
}

/** Why there is no response; other codes mean that the agent could not be reached. */
const FAILED: Record<string, OutcomeCode> = {
  aborted: "stopped",
  name_unknown: "name-unknown",
  tls_invalid: "tls-invalid",
  headers_timeout: "too-slow",
  total_timeout: "too-slow",
  headers_too_large: "headers-too-large",
  answer_malformed: "not-http",
  broken_off: "connection-lost",
  service_lost: "service-failed",
};
/** Why the browser shows no response; other codes mean CORS. */
const UNSEEN: Record<string, OutcomeCode> = {
  redirect: "redirect-hidden",
  unreachable: "browser-unreachable",
};

function judgeFailure({ kind, code, message, limitSecs }: Failure): Judgement {
  const values = { message, limit: String(limitSecs ?? "") };
  if (kind === "refused") return { outcome: judgeRefusal(code), values };
  if (kind === "failed") return { outcome: FAILED[code] ?? "unreachable", values };
  return { outcome: UNSEEN[code] ?? "ask-hidden", values: { ...values, lines: message } };
}

/** Why a request was not sent: the server refused it, or the page ended first. */
function judgeRefusal(code: string): OutcomeCode {
  if (code === "aborted") return "stopped";
  if (code === "total_timeout" || code === "service_lost") return "service-failed";
  if (code === "address_refused" || code === "port_refused") return "not-sent";
  return code === "rate_limited" || code === "too_many" ? "send-limited" : "request-blocked";
}

/** The URL that an A2A agent card names, or null for anything else. */
function cardUrlOf(answer: Exchange["answer"]): string | null {
  const card = jsonOf(answer) as Record<string, unknown> | null | undefined;
  if (!Array.isArray(card?.skills) || typeof card.name !== "string") return null;
  const [first] = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces : [];
  const url = card.url ?? (first as { url?: unknown } | undefined)?.url;
  return typeof url === "string" ? url : null;
}

/** A response of MCP or A2A, plain or as the first event of a stream. */
function speaksJsonRpc(answer: Exchange["answer"]): boolean {
  const [, event] = /^data: ?(\{.*\})$/m.exec(answer?.body ?? "") ?? [];
  const message = jsonOf(answer && event ? { ...answer, body: event } : answer);
  return (message as { jsonrpc?: unknown } | null | undefined)?.jsonrpc === "2.0";
}

/** The outcome of the request with payment, before its settlement is known. `dryRun` is the result of verifying. */
export function judgePaid({ answer, failure }: Exchange, dryRun: string): Judgement {
  if (failure) {
    const { kind, code, message } = failure;
    if (kind === "refused") return { outcome: judgeRefusal(code), values: { message } };
    if (kind === "hidden") {
      return { outcome: "hidden-by-browser", values: { message, lines: message } };
    }
    return { outcome: "lost-answer", values: { message } };
  }
  const status = answer?.status ?? 0;
  const values = { status: String(status), size: sizeText(answer?.bytes ?? 0) };
  if (status === 402) {
    const body = jsonOf(answer) as Record<string, unknown> | undefined;
    const reason = [body?.reason, body?.code, body?.error].find((text) => typeof text === "string");
    const code = typeof body?.code === "string" && body.code !== reason ? ` (${body.code})` : "";
    const message = typeof reason === "string" ? `${reason}${code}` : "the agent gave no reason.";
    return { outcome: "refused-again", values: { ...values, message, verify: dryRun } };
  }
  if (status === 503 && headerOf(answer, "retry-after")) {
    return { outcome: "gate-unavailable", values };
  }
  if (status === 401 || status === 403) return { outcome: "token-not-accepted", values };
  if (status >= 200 && status < 300) {
    if (!answer?.cut) return { outcome: "answered", values };
    return { outcome: "answer-cut", values: { ...values, message: answer.cut.message } };
  }
  if (status >= 500) return { outcome: "agent-failed", values };
  return {
    outcome: "agent-refused",
    values: { ...values, message: firstLine(answer?.body ?? "") },
  };
}

const KB = 1024;

/** Bytes with a unit: `3.1 kB`. */
export function sizeText(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  if (bytes < KB * KB) return `${(bytes / KB).toFixed(1)} kB`;
  return `${(bytes / KB / KB).toFixed(1)} MB`;
}

const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n");
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
};
