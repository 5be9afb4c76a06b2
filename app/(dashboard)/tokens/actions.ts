"use server";

import type { InputOf } from "@turnpike/payments/protocol";
import { z } from "zod";
import { actionsOf } from "@/app/_session/operations.ts";
import { getRunning } from "@/lib/server/running.ts";

const LifeSecs = z.int().min(60).max(315_576_000);

const action = actionsOf("/tokens");

/** Mints an access token that expires in `lifeSecs`. Its text is in this answer only. */
export async function mintToken(input: InputOf<"getX402AccessToken">, lifeSecs: number) {
  const life = LifeSecs.safeParse(lifeSecs);
  const { ports } = await getRunning();
  const now = (await ports.clock.now()).getTime();
  return action("getX402AccessToken")({
    ...input,
    ...(life.success && { expiration: new Date(now + life.data * 1_000).toISOString() }),
  });
}

export const revokeToken = action("revokeToken");
