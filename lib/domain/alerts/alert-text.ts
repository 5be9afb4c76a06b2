import type { Alert } from "@turnpike/payments/protocol";
import type { AlertRecord } from "./alert-ports.ts";

type Text = Pick<Alert, "title" | "detail" | "action">;
type Facts = Pick<
  AlertRecord,
  "kind" | "object" | "measure" | "name" | "value" | "threshold" | "expiresAt" | "closedAt"
>;

const count = (value: string, one: string, many = `${one}s`) =>
  `${value} ${value === "1" ? one : many}`;

const SHARES: Record<string, string> = { money: "money", count: "charges", time: "time" };
const pathTo = (list: string, id: string) => (id ? `${list}/${encodeURIComponent(id)}` : list);

/** `1 Dec 2026`, in UTC. */
const dateOf = (at: Date) => at.toUTCString().slice(5, 16).replace(/^0/, "");
const instantOf = (at: Date) => `${dateOf(at)} ${at.toISOString().slice(11, 16)} UTC`;
/** The last day of a card, whose month ends at its instant. */
const lastDayOf = (at: Date) => dateOf(new Date(at.getTime() - 1));

/**
 * What an alert says, and what to do: for the inbox and for its mail. Both are read later, while the alert has the value that was
 * measured when it opened: values are in the past, and what expires is told by its date.
 */
export function alertText(alert: Facts): Text {
  const { kind, object, name, value, threshold, expiresAt } = alert;
  const expires = expiresAt ? `expires on ${instantOf(expiresAt)}` : "expires soon";
  switch (kind) {
    case "credits-below":
      return {
        title: `${name} fell to ${count(value, "credit")}`,
        detail: `Rule: below ${count(String(threshold), "credit")}. Calls get 402 when none are left.`,
        action: { label: "Order credits", path: pathTo("/subscriptions", object) },
      };
    case "credits-days":
      return {
        title: `Credits on ${name} were down to ${count(value, "day")}`,
        detail: `At the rate of the week before. Rule: less than ${count(String(threshold), "day")}.`,
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
        title: `Card ${name} ${expiresAt ? `expires on ${lastDayOf(expiresAt)}` : expires}`,
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

function sellerText(alert: Facts): Text {
  const { kind, object, name, value, threshold } = alert;
  const agent = { label: "Open agent", path: pathTo("/agents", object) };
  switch (kind) {
    case "unsettled":
      return {
        title: `Unsettled calls of ${name}`,
        detail: `The oldest was ${count(value, "minute")} old. Your gate delivered, and the payment was not confirmed.`,
        action: { label: "Reconcile", path: "/activity/reconcile" },
      };
    case "declined-rate":
      return {
        title: `${value}% of the calls of ${name} were declined`,
        detail: `In the 15 minutes before. Rule: ${threshold}%.`,
        action: { label: "Open causes", path: "/activity/errors" },
      };
    case "error-rate":
      return {
        title: `${value}% of the calls of ${name} failed`,
        detail: `In the 15 minutes before. Failed calls are not charged. Rule: ${threshold}%.`,
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
        title: "Mail to you was not accepted",
        detail: `${count(value, "try", "tries")} failed. Mail is tried for three days. Check your e-mail address.`,
        action: { label: "Check address", path: "/alerts#channels" },
      };
    default:
      return serviceText(alert);
  }
}

function serviceText({ object, closedAt }: Facts): Text {
  const action = { label: "Open activity", path: "/activity" };
  if (object === "sales") {
    return {
      title: `Sales ${closedAt ? "were" : "are"} stopped`,
      detail:
        "Paid orders are refused while a difference between the ledger, the chain and the card processor is examined. Credits that are bought stay usable.",
      action,
    };
  }
  const part = object === "cards" ? "The card processor" : "The blockchain";
  return {
    title: `${part} ${closedAt ? "was" : "is"} degraded`,
    detail: "Orders may wait or fail. Credits that are bought stay usable.",
    action,
  };
}
