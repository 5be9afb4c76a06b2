"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/settings/api-keys");

/** Creates an API key. Only this answer ever contains its text. */
export const createApiKey = action("createApiKey");
export const revokeApiKey = action("revokeApiKey");
