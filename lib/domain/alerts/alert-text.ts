import type { Alert } from "@turnpike/payments/protocol";
import type { AlertRecord } from "./alert-ports.ts";

type Text = Pick<Alert, "title" | "detail" | "action">;
type Facts = Pick<AlertRecord, "kind" | "object" | "measure" | "name" | "value" | "threshold">;

const count = (value: string, one: string, many = `${one}s`) =>
  `${value} ${value === "1" ? one : many}`;

const SHARES: Record<string, string> = { money: "money", count: "charges", time: "time" };
const pathTo = (list: string, id: string) => (id ? `${list}/${encodeURIComponent(id)}` : list);

/** What an alert says, and what to do: for the inbox and for its mail. */
export function alertText(alert: Facts): Text {
  const { kind, object, name, value, threshold } = alert;
  const expires = `expires in ${count(value, "day")}`;
  switch (kind) {
    case "credits-below":
      return {
        title: `${count(value, "credit")} left on ${name}`,
        detail: `Rule: below ${count(String(threshold), "credit")}. Calls get 402 when none are left.`,
        action: { label: "Order credits", path: pathTo("/subscriptions", object) },
      };
    case "credits-days":
      return {
        title: `Credits on ${name} last ${count(value, "day")}`,
        detail: `At the rate of the last week. Rule: less than ${count(String(threshold), "day")}.`,
        action: { label: "Order credits", path: pathTo("/subscriptions", object) },
      };
    case "delegation-used":
      return {
        title: `${name} used ${value}% of its ${SHARES[alert.measure] ?? "limit"}`,
        detail: `Rule: ${threshold}%. Calls under this delegation are declined once it is used up.`,
        action: { label: "Open delegation", path: pathTo("/delegations", object) },
      };
    case "card-expiring":
      return {
        title: `Card ${name} ${expires}`,
        detail: "Delegations that charge it are declined after that. Add another card.",
        action: { label: "Open cards", path: "/payment-methods" },
      };
    case "token-expiring":
      return {
        title: `A token for ${name} ${expires}`,
        detail: "Calls with it get 402 after that. Create a new token.",
        action: { label: "Open token", path: pathTo("/tokens", object) },
      };
    case "key-expiring":
      return {
        title: `API key ${name} ${expires}`,
        detail: "Calls with it get 401 after that. Rotate it before.",
        action: { label: "Open API keys", path: "/settings/api-keys" },
      };
    default:
      return sellerText(alert);
  }
}

function sellerText({ kind, object, name, value, threshold }: Facts): Text {
  const agent = { label: "Open agent", path: pathTo("/agents", object) };
  switch (kind) {
    case "unsettled":
      return {
        title: `Unsettled calls of ${name}`,
        detail: `The oldest is ${count(value, "minute")} old. Your gate delivered, and the payment is not confirmed.`,
        action: { label: "Reconcile", path: "/activity/reconcile" },
      };
    case "declined-rate":
      return {
        title: `${value}% of the calls of ${name} are declined`,
        detail: `In the last 15 minutes. Rule: ${threshold}%.`,
        action: { label: "Open causes", path: "/activity/errors" },
      };
    case "error-rate":
      return {
        title: `${value}% of the calls of ${name} fail`,
        detail: `In the last 15 minutes. Failed calls are not charged. Rule: ${threshold}%.`,
        action: { label: "Open causes", path: "/activity/errors" },
      };
    case "doctor-failing":
      return {
        title: `The doctor found ${count(value, "problem")} in ${name}`,
        detail: "Of its last run. Fix them and run it again.",
        action: agent,
      };
    case "payout-failed":
      return {
        title: "A payout failed",
        detail: "Its money is owed to you again, and goes out with the next payout.",
        action: { label: "Open payouts", path: "/balance/payouts" },
      };
    case "email-failing":
      return {
        title: "Mail to you is not accepted",
        detail: `After ${count(value, "try", "tries")}. It is sent again for three days. Check your e-mail address.`,
        action: { label: "Check address", path: "/alerts#channels" },
      };
    default:
      return {
        title: object === "cards" ? "The card processor is degraded" : "The blockchain is degraded",
        detail: "Orders may wait or fail. Credits that are bought stay usable.",
        action: { label: "Open activity", path: "/activity" },
      };
  }
}
