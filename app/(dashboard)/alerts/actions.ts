"use server";

import { actionsOf } from "@/app/_session/operations.ts";

const action = actionsOf("/alerts", "layout");

export const createAlertRule = action("createAlertRule");
export const updateAlertRule = action("updateAlertRule");
export const deleteAlertRule = action("deleteAlertRule");

/** Sends a link to the address, which confirms it. */
export const setEmailAddress = action("setEmailAddress");

export const confirmEmailAddress = action("confirmEmailAddress");
export const removeEmailAddress = action("removeEmailAddress");
