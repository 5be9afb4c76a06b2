import "server-only";
import type { Role } from "@turnpike/payments/protocol";
import { cache } from "react";
import { read } from "@/app/_session/operations.ts";
import type { Home } from "@/lib/console/figures.ts";

/** The figures of the home page, read once per request. */
export const readHome = cache((includeTest = false) => read("getHome", { includeTest }));

/** The default side of an account: the subscriber's only if it sells nothing. */
export function usualRole({ builder, subscriber }: Home): Role {
  const sells = builder.plans > 0 || builder.agents > 0;
  const { subscriptions, tokens, activeDelegations } = subscriber;
  const buys = [subscriptions, tokens, activeDelegations].some((each) => each > 0);
  return buys && !sells ? "subscriber" : "builder";
}
