import { valuesOf } from "./form-body.ts";
import type { Scope } from "./scope.ts";
import type { Kind } from "./store.ts";
import { invalid } from "./stripe-failure.ts";

const KIND_OF: Record<string, Kind> = {
  cus: "customer",
  pm: "payment_method",
  seti: "setup_intent",
  pi: "payment_intent",
  ch: "charge",
  re: "refund",
  dp: "dispute",
  acct: "account",
  tr: "transfer",
  trr: "transfer_reversal",
  po: "payout",
  txn: "balance_transaction",
};

/** Replaces the ids listed in `expand[]`, such as `latest_charge` or `data.customer`, with their objects. */
export function expandAnswer(scope: Scope, answer: unknown): unknown {
  const paths = valuesOf(scope.params.expand);
  if (paths.length === 0) return answer;
  const copy = structuredClone(answer);
  for (const path of paths) {
    if (typeof path !== "string" || path.split(".").length > 5) {
      throw invalid("Invalid expand.", { param: "expand" });
    }
    expandAt(scope, copy, path.split("."), path);
  }
  return copy;
}

function expandAt(scope: Scope, node: unknown, [step = "", ...rest]: string[], path: string): void {
  if (Array.isArray(node)) {
    for (const each of node) expandAt(scope, each, [step, ...rest], path);
    return;
  }
  const object = node as Record<string, unknown>;
  if (typeof node !== "object" || node === null || !Object.hasOwn(object, step)) {
    throw invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
  }
  const value = object[step];
  if (typeof value === "string") {
    const kind = KIND_OF[value.slice(0, value.indexOf("_"))];
    const row = kind && scope.work.find(kind, value);
    if (!row) throw invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
    object[step] = row;
  }
  if (rest.length > 0 && object[step] !== null) expandAt(scope, object[step], rest, path);
}
