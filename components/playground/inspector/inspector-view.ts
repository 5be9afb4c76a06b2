import { decodeHeader, X402_HEADERS } from "@turnpike/payments/protocol";
import { type Exchange, headerOf } from "@/lib/playground/exchange.ts";
import type { Run, StepId } from "@/lib/playground/run.ts";

export type InspectorView =
  | "explain"
  | "headers"
  | "body"
  | "decoded"
  | "diff"
  | "spans"
  | "code"
  | "raw";

/** The exchange a step is about; steps 2 to 4 read the request without payment. */
export function exchangeOf(run: Run, id: StepId): Exchange | null {
  const source: StepId = id === "pay" || id === "settle" ? "pay" : "ask";
  return run.steps.find((step) => step.id === source)?.exchange ?? null;
}

/** The header a step reads, as received; null if it reads none or none was sent. */
export function readHeaderOf(run: Run, id: StepId): { name: string; value: string } | null {
  const name = READ[id];
  const value = name ? headerOf(exchangeOf(run, id)?.answer ?? null, name) : null;
  return name && value !== null ? { name, value } : null;
}

const READ: Partial<Record<StepId, string>> = {
  offer: X402_HEADERS.PAYMENT_REQUIRED,
  settle: X402_HEADERS.PAYMENT_RESPONSE,
};

/** The tab a step's exchange opens in; null for a step without an exchange. */
export function openingOf(run: Run, id: StepId): InspectorView | null {
  const step = run.steps.find((one) => one.id === id);
  if (!step?.outcome || step.status === "skipped") return null;
  if (id === "permission" || id === "verify") return null;
  const exchange = exchangeOf(run, id);
  if (!exchange) return null;
  if (!exchange.answer) return "raw";
  const header = readHeaderOf(run, id);
  return header && decodeHeader(header.value) !== null ? "decoded" : "headers";
}
