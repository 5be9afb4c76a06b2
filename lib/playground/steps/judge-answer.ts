import { type Exchange, headerOf, jsonOf } from "../exchange.ts";
import type { Judgement } from "../outcomes.ts";

/** The outcome of the request without payment. */
export function judgeUnpaid({ answer, failure }: Exchange): Judgement {
  if (failure) {
    const outcome = {
      refused: "not-sent",
      failed: "unreachable",
      hidden: "ask-hidden",
    } as const;
    return { outcome: outcome[failure.kind], values: { message: failure.message } };
  }
  const status = answer?.status ?? 0;
  const values = { status: String(status) };
  if (status === 402) return { outcome: "challenged", values };
  if (answer?.cut) {
    return { outcome: "never-ending", values: { ...values, message: answer.cut.message } };
  }
  if (speaksJsonRpc(answer)) return { outcome: "speaks-json-rpc", values };
  if (status >= 300 && status < 400) {
    const location = headerOf(answer, "location") ?? "an unnamed address";
    return { outcome: "redirected", values: { ...values, location } };
  }
  if (status >= 200 && status < 300) return { outcome: "not-gated", values };
  if (status === 401 || status === 403) return { outcome: "agent-auth", values };
  return { outcome: status >= 500 ? "ask-failed" : "ask-refused", values };
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
    const { kind, message } = failure;
    if (kind === "refused") return { outcome: "not-sent", values: { message } };
    if (kind === "hidden") return { outcome: "hidden-by-browser", values: { message } };
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
