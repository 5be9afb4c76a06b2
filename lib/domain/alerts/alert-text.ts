import type { Alert, AlertKind } from "@turnpike/payments/protocol";
import { isKnownKind } from "@/lib/console/alert-kinds.ts";
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

const expiry = ({ expiresAt }: Facts) =>
  expiresAt ? `expires on ${instantOf(expiresAt)}` : "expires soon";
const orderCredits = ({ object }: Facts) => ({
  label: "Order credits",
  path: pathTo("/subscriptions", object),
});
const OPEN_CAUSES = { label: "Open causes", path: "/activity/errors" };

const TEXTS: Record<AlertKind, (alert: Facts) => Text> = {
  "credits-below": (alert) => ({
    title: `${alert.name} fell to ${count(alert.value, "credit")}`,
    detail: `Rule: below ${count(String(alert.threshold), "credit")}. Calls get 402 when none are left.`,
    action: orderCredits(alert),
  }),
  "credits-days": (alert) => ({
    title: `Credits on ${alert.name} were down to ${count(alert.value, "day")}`,
    detail: `At the rate of the week before. Rule: less than ${count(String(alert.threshold), "day")}.`,
    action: orderCredits(alert),
  }),
  "delegation-used": ({ name, value, measure, threshold, object }) => ({
    title: `${name} used ${value}% of its ${SHARES[measure] ?? "limit"}`,
    detail: `Rule: ${threshold}%. Calls under this delegation are declined once it is used up.`,
    action: { label: "Open delegation", path: pathTo("/delegations", object) },
  }),
  "card-expiring": (alert) => ({
    title: `Card ${alert.name} ${alert.expiresAt ? `expires on ${lastDayOf(alert.expiresAt)}` : expiry(alert)}`,
    detail: "Delegations that charge it are declined after that. Add another card.",
    action: { label: "Open cards", path: "/payment-methods" },
  }),
  "token-expiring": (alert) => ({
    title: `A token for ${alert.name} ${expiry(alert)}`,
    detail: "Calls with it get 402 after that. Create a new token.",
    action: { label: "Open token", path: pathTo("/tokens", alert.object) },
  }),
  "key-expiring": (alert) => ({
    title: `API key ${alert.name} ${expiry(alert)}`,
    detail: "Calls with it get 401 after that. Rotate it before then.",
    action: { label: "Open API keys", path: "/settings/api-keys" },
  }),
  unsettled: ({ name, value }) => ({
    title: `Unsettled calls of ${name}`,
    detail: `The oldest was ${count(value, "minute")} old. Your gate delivered, and the payment was not confirmed.`,
    action: { label: "Reconcile", path: "/activity/reconcile" },
  }),
  "declined-rate": ({ name, value, threshold }) => ({
    title: `${value}% of the calls of ${name} were declined`,
    detail: `Within 15 minutes. Rule: ${threshold}%.`,
    action: OPEN_CAUSES,
  }),
  "error-rate": ({ name, value, threshold }) => ({
    title: `${value}% of the calls of ${name} failed`,
    detail: `Within 15 minutes. Failed calls are not charged. Rule: ${threshold}%.`,
    action: OPEN_CAUSES,
  }),
  "doctor-failing": ({ name, value, object }) => ({
    title: `The doctor found ${count(value, "problem")} in ${name}`,
    detail: "Fix them, then run it again.",
    action: { label: "Open agent", path: pathTo("/agents", object) },
  }),
  "payout-failed": ({ object, name }) => ({
    ...(object === "schedule"
      ? {
          title: `Your ${name} payouts are on hold`,
          detail: "Your payout account is not active. Finish its setup, or set up another one.",
        }
      : {
          title: "A payout failed",
          detail: "Its money is owed to you again, and goes out with the next payout.",
        }),
    action: { label: "Open payouts", path: "/balance/payouts" },
  }),
  "service-degraded": serviceText,
  "email-failing": ({ value }) => ({
    title: "Email to you was not accepted",
    detail: `${count(value, "delivery attempt")} failed. Attempts continue for three days. Check your email address.`,
    action: { label: "Check address", path: "/alerts#channels" },
  }),
  "webhook-disabled": ({ name, object }) => ({
    title: `The webhook endpoint at ${name} was disabled`,
    detail: "Its deliveries failed, so it gets no more events. Fix your server, then enable it.",
    action: {
      label: "Open endpoint",
      path: `/settings/webhooks?endpoint=${encodeURIComponent(object)}`,
    },
  }),
  "domain-lost": ({ name, object }) => ({
    title: `${name} lost its domain verification`,
    detail:
      "Its public pages no longer show “Domain verified”. Publish the file or TXT record again, then check the domain.",
    action: {
      label: "Open domain",
      path: `${pathTo("/agents", object)}/settings#agent-domain`,
    },
  }),
  "renewal-failing": ({ name, object, closedAt }) => ({
    title: `The renewal of ${name} ${closedAt ? "couldn’t" : "can’t"} be paid`,
    detail:
      "Its last payment failed, or the next one can’t be made. Access ends with the time you paid for.",
    action: { label: "Open subscription", path: pathTo("/subscriptions", object) },
  }),
};

/**
 * What an alert says, and what to do: for the inbox and for its mail. Both are read later, while the alert has the
 * value that was measured when it opened: values are in the past, and expiry is given as a date.
 */
export const alertText = (alert: Facts): Text =>
  isKnownKind(alert.kind) ? TEXTS[alert.kind](alert) : laterText(alert);

/** An alert that a replica of a later release opened. */
const laterText = ({ name }: Facts): Text => ({
  title: `Alert: ${name}`,
  detail: "Open your alerts to see what happened.",
  action: { label: "Open alerts", path: "/alerts" },
});

function serviceText({ object, closedAt }: Facts): Text {
  const action = { label: "Open activity", path: "/activity" };
  if (object === "sales") {
    return {
      title: `Sales ${closedAt ? "were" : "are"} stopped`,
      detail:
        "Paid orders are declined while a difference between the ledger, the chain and the card processor is investigated. Credits already bought stay usable.",
      action,
    };
  }
  const part = object === "cards" ? "The card processor" : "The blockchain";
  return {
    title: `${part} ${closedAt ? "was" : "is"} degraded`,
    detail: "Orders may wait or fail. Credits already bought stay usable.",
    action,
  };
}
