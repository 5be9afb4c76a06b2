"use client";

import { useEffect, useState } from "react";
import { whenIdle } from "../../ui/later.ts";
import type { ServiceRules } from "./payload-of-draft.ts";

/**
 * The service's rules, fetched once. Undefined when they could not be fetched: the service then says by
 * itself what it refuses, and names the field.
 */
export const loadServiceRules = (): Promise<ServiceRules | undefined> =>
  import("./service-rules.ts").then(
    ({ serviceRules }) => serviceRules,
    () => undefined,
  );

/** The service's rules once they are there; they are fetched when the page has nothing else to do. */
export function useServiceRules(): ServiceRules | undefined {
  const [rules, setRules] = useState<ServiceRules>();
  useEffect(() => {
    let isGone = false;
    const callOff = whenIdle(() => {
      void loadServiceRules().then((loaded) => isGone || setRules(loaded));
    });
    return () => {
      isGone = true;
      callOff();
    };
  }, []);
  return rules;
}
