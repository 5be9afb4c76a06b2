"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/settings/webhooks");

/** Adds an endpoint. Only this answer ever contains its signing secret. */
export const createWebhookEndpoint = action("createWebhookEndpoint");
export const updateWebhookEndpoint = action("updateWebhookEndpoint");
export const deleteWebhookEndpoint = action("deleteWebhookEndpoint");
export const testWebhookEndpoint = action("testWebhookEndpoint");

/** Makes a new secret. Only this answer ever contains it. */
export const rotateWebhookSecret = action("rotateWebhookSecret");
export const replayWebhookDelivery = action("replayWebhookDelivery");
export const replayWebhookEvents = action("replayWebhookEvents");
