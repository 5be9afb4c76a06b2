import { listAnswer, paging } from "./lists.ts";
import { created, readParams, text } from "./read-params.ts";
import type { Scope } from "./scope.ts";

/** Attempts at payments: a charge is created when the bank decides, however old its payment is. */
export function listCharges(scope: Scope) {
  const given = readParams(scope.params, {
    ...paging,
    customer: text,
    payment_intent: text,
    created,
  });
  const { customer, payment_intent, created: isWithin, ...page } = given;
  return listAnswer(
    scope,
    "charge",
    "/v1/charges",
    page,
    (row) =>
      (customer === undefined || row.customer === customer) &&
      (payment_intent === undefined || row.payment_intent === payment_intent) &&
      (isWithin?.(row.created) ?? true),
  );
}
