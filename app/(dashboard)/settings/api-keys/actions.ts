"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { revalidatePath } from "next/cache";
import { change } from "@/app/_session/operations.ts";

/** Creates an API key. Only this answer ever contains its text. */
export async function createApiKey(input: InputOf<"createApiKey">) {
  const created = await change("createApiKey", input);
  revalidatePath("/settings/api-keys");
  return created;
}

export async function revokeApiKey(keyId: string) {
  const revoked = await change("revokeApiKey", { keyId });
  revalidatePath("/settings/api-keys");
  return revoked;
}
