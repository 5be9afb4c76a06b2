import type { WebhookDelivery } from "@turnpike/payments/protocol";
import type { ActionAnswer, OperationActions } from "../forms/action-answer.ts";
import { changedFields } from "../forms/changes.ts";
import type { State } from "../ui/values/state-pill.tsx";

export type WebhookActions = OperationActions<
  | "createWebhookEndpoint"
  | "updateWebhookEndpoint"
  | "deleteWebhookEndpoint"
  | "testWebhookEndpoint"
  | "rotateWebhookSecret"
  | "replayWebhookDelivery"
  | "replayWebhookEvents"
>;

type Shown = Pick<WebhookDelivery, "status" | "attempts" | "tries">;

/** How a delivery is shown: a first try has not failed yet, nor has that of a replay, which keeps the tries before it. */
export function stateOf({ status, attempts }: Pick<Shown, "status" | "attempts">): State {
  if (status === "delivered") return { tone: "good", word: "Delivered" };
  if (status === "failed") return { tone: "bad", word: "Failed" };
  return attempts > 0 ? { tone: "warn", word: "Retrying" } : { tone: "neutral", word: "Waiting" };
}

/** One sentence: what happened and what follows. */
export function outcomeOf({ status, attempts, tries }: Shown): string {
  const last = tries.at(-1);
  if (!last) return "Not sent yet.";
  if (status === "waiting" && attempts === 0) return "Not sent again yet.";
  const heard =
    last.status === undefined ? (last.error ?? "") : `Your server answered ${last.status}.`;
  if (status === "delivered") return heard;
  return status === "failed" ? `${heard} No more attempts.` : heard;
}

/** The button that makes a new secret where one has leaked. */
export const STOP_EARLIER = "Rotate and stop earlier secrets";

/** What a rotation answered. The hint of its limit is for callers of the API: the page says what can be done on it. */
export const rotationAnswer = <Data>(answer: ActionAnswer<Data>): ActionAnswer<Data> =>
  answer.ok || !answer.details.some(({ path }) => path === "overlapSecs")
    ? answer
    : {
        ...answer,
        hint: `Rotate again once a secret under Also signs has expired, or use “${STOP_EARLIER}”.`,
      };

type Typed = { url: string; events: string };

/** What an endpoint's form changes of what it opened with: another tab may have changed the rest. */
export const endpointChange = (opened: Typed, typed: Typed) =>
  changedFields(endpointOf(opened), endpointOf(typed));

const endpointOf = ({ url, events }: Typed) => ({ url: url.trim(), events: typesOf(events) });

/** Types typed into a field, separated by spaces or commas. */
export const typesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
