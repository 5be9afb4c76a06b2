import { paging } from "./lists.ts";
import { readParams } from "./read-params.ts";
import type { Scope } from "./scope.ts";
import type { WebhookTarget } from "./webhooks.ts";

/** Lists where events are sent: the one address that was given at the start. */
export const createListWebhookEndpoints =
  (target: WebhookTarget | undefined) =>
  ({ params }: Scope) => {
    readParams(params, paging);
    const endpoint = target && {
      id: "we_embedded",
      object: "webhook_endpoint",
      enabled_events: ["*"],
      status: "enabled",
      url: target.url,
    };
    return {
      object: "list",
      url: "/v1/webhook_endpoints",
      has_more: false,
      data: endpoint ? [endpoint] : [],
    };
  };
