"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeHere = changeOf("/settings/api-keys");

/** Creates an API key. Only this answer ever contains its text. */
export async function createApiKey(input: InputOf<"createApiKey">) {
  return changeHere("createApiKey", input);
}

export async function revokeApiKey(keyId: string) {
  return changeHere("revokeApiKey", { keyId });
}
