import { createAccount, createAccountLink, getAccount } from "./accounts.ts";
import { getBalance, isOwn } from "./balance.ts";
import { createCustomer, updateCustomer } from "./customers.ts";
import { updateDispute } from "./disputes.ts";
import { listEvents, listOf, paging, searchCustomers } from "./lists.ts";
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  getPaymentIntent,
} from "./payment-intents.ts";
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  listPaymentMethods,
} from "./payment-methods.ts";
import { createPayout, getPayout, listPayouts } from "./payouts.ts";
import { getBalanceSettings } from "./platform.ts";
import { readParams } from "./read-params.ts";
import { createRefund } from "./refunds.ts";
import { find, type Scope } from "./scope.ts";
import { confirmSetupIntent, createSetupIntent, getSetupIntent } from "./setup-intents.ts";
import type { Kind } from "./store.ts";
import { createTransfer, listReversals, reverseTransfer } from "./transfers.ts";
import type { WebhookTarget } from "./webhooks.ts";

export type Route = {
  handle: (scope: Scope) => unknown;
  /** Whether the publishable key may call it. */
  isPublic: boolean;
  ids: string[];
};

/** Every route; `:id` matches one path segment. */
export function createRoutes(webhook?: WebhookTarget) {
  const table: Record<string, (scope: Scope) => unknown> = {
    "GET /v1/balance": getBalance,
    "GET /v1/balance_settings": plain(getBalanceSettings),
    "GET /v1/balance_transactions": listOf("balance_transaction", BALANCE_FILTERS, (scope, row) =>
      isOwn(scope, row.id),
    ),
    "GET /v1/balance_transactions/:id": read("balance_transaction"),
    "POST /v1/accounts": createAccount,
    "GET /v1/accounts/:id": getAccount,
    "POST /v1/account_links": createAccountLink,
    "POST /v1/transfers": createTransfer,
    "GET /v1/transfers": listOf("transfer", TRANSFER_FILTERS),
    "GET /v1/transfers/:id": read("transfer"),
    "GET /v1/transfers/:id/reversals": listReversals,
    "POST /v1/transfers/:id/reversals": reverseTransfer,
    "POST /v1/payouts": createPayout,
    "GET /v1/payouts": listPayouts,
    "GET /v1/payouts/:id": plain(getPayout),
    "POST /v1/customers": createCustomer,
    "GET /v1/customers/search": searchCustomers,
    "GET /v1/customers/:id": read("customer"),
    "POST /v1/customers/:id": updateCustomer,
    "POST /v1/payment_methods": createPaymentMethod,
    "GET /v1/payment_methods": listPaymentMethods,
    "POST /v1/payment_methods/:id/attach": attachPaymentMethod,
    "POST /v1/payment_methods/:id/detach": detachPaymentMethod,
    "POST /v1/setup_intents": createSetupIntent,
    "GET /v1/setup_intents/:id": getSetupIntent,
    "POST /v1/setup_intents/:id/confirm": confirmSetupIntent,
    "POST /v1/payment_intents": createPaymentIntent,
    "GET /v1/payment_intents": listOf("payment_intent", { customer: "customer" }),
    "GET /v1/payment_intents/:id": getPaymentIntent,
    "POST /v1/payment_intents/:id/confirm": confirmPaymentIntent,
    "POST /v1/payment_intents/:id/cancel": cancelPaymentIntent,
    "GET /v1/charges": listOf("charge", { ...OF_PAYMENT, customer: "customer" }),
    "POST /v1/refunds": createRefund,
    "GET /v1/refunds": listOf("refund", { ...OF_PAYMENT, charge: "charge" }),
    "GET /v1/disputes": listOf("dispute", { ...OF_PAYMENT, charge: "charge" }),
    "GET /v1/disputes/:id": read("dispute"),
    "POST /v1/disputes/:id": updateDispute,
    "GET /v1/webhook_endpoints": createListWebhookEndpoints(webhook),
    "GET /v1/events": listEvents,
    "GET /v1/events/:id": read("event"),
  };
  const routes = Object.entries(table).map(([key, handle]) => {
    const [method = "", path = ""] = key.split(" ");
    return { key, method, parts: path.split("/"), handle };
  });

  return function findRoute(method: string, path: string): Route | null {
    const parts = path.split("/");
    for (const route of routes) {
      if (route.method !== method || route.parts.length !== parts.length) continue;
      if (!route.parts.every((part, index) => part === ":id" || part === parts[index])) continue;
      const ids = parts.filter((_, index) => route.parts[index] === ":id");
      return { handle: route.handle, isPublic: PUBLIC.has(route.key), ids };
    }
    return null;
  };
}

/** A route without parameters. */
const plain =
  (handle: (scope: Scope) => unknown) =>
  (scope: Scope): unknown => {
    readParams(scope.params, {});
    return handle(scope);
  };

const read = (kind: Kind) => plain((scope) => find(scope, kind, scope.ids[0]));

const OF_PAYMENT = { payment_intent: "payment_intent" } as const;
const TRANSFER_FILTERS = { destination: "destination", transfer_group: "transfer_group" } as const;
const BALANCE_FILTERS = {
  type: "type",
  source: "source",
  payout: "source",
  currency: "currency",
} as const;

const PUBLIC = new Set([
  "POST /v1/payment_methods",
  "GET /v1/setup_intents/:id",
  "POST /v1/setup_intents/:id/confirm",
  "GET /v1/payment_intents/:id",
  "POST /v1/payment_intents/:id/confirm",
]);

/** Lists where events are sent: the one address that was given at the start, for the platform and for connected accounts. */
const createListWebhookEndpoints =
  (target: WebhookTarget | undefined) =>
  ({ params }: Scope) => {
    readParams(params, paging);
    const endpoints = ["we_embedded", "we_connected"].map((id) => ({
      id,
      object: "webhook_endpoint",
      enabled_events: target?.events ?? ["*"],
      status: "enabled",
      url: target?.url,
    }));
    return {
      object: "list",
      url: "/v1/webhook_endpoints",
      has_more: false,
      data: target ? endpoints : [],
    };
  };
