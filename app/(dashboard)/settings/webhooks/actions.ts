"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeHere = changeOf("/settings/webhooks");

/** Adds an endpoint. Only this answer ever contains its signing secret. */
export async function createWebhookEndpoint(input: InputOf<"createWebhookEndpoint">) {
  return changeHere("createWebhookEndpoint", input);
}

export async function updateWebhookEndpoint(
  endpointId: string,
  changes: Omit<InputOf<"updateWebhookEndpoint">, "endpointId">,
) {
  return changeHere("updateWebhookEndpoint", { ...changes, endpointId });
}

export async function deleteWebhookEndpoint(endpointId: string) {
  return changeHere("deleteWebhookEndpoint", { endpointId });
}

export async function testWebhookEndpoint(endpointId: string) {
  return changeHere("testWebhookEndpoint", { endpointId });
}

/** Makes a new secret. Only this answer ever contains it. */
export async function rotateWebhookSecret(input: InputOf<"rotateWebhookSecret">) {
  return changeHere("rotateWebhookSecret", input);
}

export async function replayWebhookDelivery(endpointId: string, deliveryId: string) {
  return changeHere("replayWebhookDelivery", { endpointId, deliveryId });
}

export async function replayWebhookEvents(input: InputOf<"replayWebhookEvents">) {
  return changeHere("replayWebhookEvents", input);
}
