"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/subscriptions");

export const setRenewal = action("setRenewal");
