"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { changeOf } from "@/app/_session/operations.ts";

const changeSubscriptions = changeOf("/subscriptions");

export const setRenewal = async (input: InputOf<"setRenewal">) =>
  changeSubscriptions("setRenewal", input);
