import type { Stripe } from "stripe";
import { metadata, object, readParams, text } from "./read-params.ts";
import { find, newId, type Scope, save } from "./scope.ts";
import { invalid } from "./stripe-failure.ts";

const terms = {
  email: text,
  name: text,
  description: text,
  metadata,
  invoice_settings: object({ default_payment_method: text }),
};

export function createCustomer(scope: Scope): Stripe.Customer {
  const given = readParams(scope.params, terms);
  const customer: Stripe.Customer = {
    id: newId("cus"),
    object: "customer",
    balance: 0,
    created: scope.now,
    default_source: null,
    delinquent: false,
    description: given.description ?? null,
    email: given.email ?? null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: given.metadata ?? {},
    name: given.name ?? null,
    shipping: null,
  };
  return save(scope, customer, "customer.created");
}

export function updateCustomer(scope: Scope): Stripe.Customer {
  const customer = find(scope, "customer", scope.ids[0]);
  const given = readParams(scope.params, terms);
  const card = given.invoice_settings?.default_payment_method;
  if (card) {
    const param = "invoice_settings[default_payment_method]";
    if (find(scope, "payment_method", card, param).customer !== customer.id) {
      throw invalid(
        `The customer does not have a payment method with the ID ${card}. The payment method must be attached to the customer.`,
        { code: "resource_missing", param },
      );
    }
  }
  const changed: Stripe.Customer = {
    ...customer,
    ...(given.email !== undefined && { email: given.email || null }),
    ...(given.name !== undefined && { name: given.name || null }),
    ...(given.description !== undefined && { description: given.description || null }),
    metadata: mergeMetadata(customer.metadata, given.metadata),
    invoice_settings: {
      ...customer.invoice_settings,
      ...(card !== undefined && { default_payment_method: card || null }),
    },
  };
  return save(scope, changed, "customer.updated");
}

/** Merges metadata: new values replace old ones, and empty values remove keys. */
export const mergeMetadata = (
  before: Record<string, string>,
  given: Record<string, string> | undefined,
): Record<string, string> =>
  Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== ""));
