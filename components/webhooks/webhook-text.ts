import type { InputOf, OutputOf, WebhookDelivery } from "@turnpike/payments/protocol";
import type { ActionAnswer, OperationAction } from "../forms/action-answer.ts";
import type { StateTone } from "../ui/values/state-pill.tsx";

type Changed<Data> = Promise<ActionAnswer<Data>>;

/** What the page can change. */
export type WebhookActions = {
  createWebhookEndpoint: OperationAction<"createWebhookEndpoint">;
  updateWebhookEndpoint: (
    endpointId: string,
    changes: Omit<InputOf<"updateWebhookEndpoint">, "endpointId">,
  ) => Changed<unknown>;
  deleteWebhookEndpoint: (endpointId: string) => Changed<unknown>;
  testWebhookEndpoint: (endpointId: string) => Changed<unknown>;
  rotateWebhookSecret: (endpointId: string) => Changed<OutputOf<"rotateWebhookSecret">>;
  replayWebhookDelivery: (endpointId: string, deliveryId: string) => Changed<unknown>;
  replayWebhookEvents: OperationAction<"replayWebhookEvents">;
};

type State = { tone: StateTone; word: string };

/** How a delivery is shown: a first try has not failed yet. */
export function stateOf({ status, tries }: Pick<WebhookDelivery, "status" | "tries">): State {
  if (status === "delivered") return { tone: "good", word: "Delivered" };
  if (status === "failed") return { tone: "bad", word: "Failed" };
  return tries.length > 0
    ? { tone: "warn", word: "Retrying" }
    : { tone: "neutral", word: "Waiting" };
}

/** One sentence: what happened and what follows. */
export function outcomeOf({ status, tries }: Pick<WebhookDelivery, "status" | "tries">): string {
  const last = tries.at(-1);
  if (!last) return "Not sent yet.";
  const heard =
    last.status === undefined ? (last.error ?? "") : `Your server answered ${last.status}.`;
  if (status === "delivered") return heard;
  return status === "failed" ? `${heard} No more tries.` : heard;
}

/** Types typed into a field, separated by spaces or commas. */
export const typesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
