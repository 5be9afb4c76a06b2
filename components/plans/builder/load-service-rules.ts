import { useEffect, useState } from "react";
import type { ServiceRules } from "./payload-of-draft.ts";

/** The service's rules, loaded once. Undefined when loading fails: the service still checks what it is sent. */
export const loadServiceRules = (): Promise<ServiceRules | undefined> =>
  import("./service-rules.ts").then(
    ({ serviceRules }) => serviceRules,
    () => undefined,
  );

/** The service's rules, once `isNeeded`: a form that was only opened costs a phone no time for them. */
export function useServiceRules(isNeeded: boolean): ServiceRules | undefined {
  const [rules, setRules] = useState<ServiceRules>();
  useEffect(() => {
    if (!isNeeded) return;
    let isUnmounted = false;
    void loadServiceRules().then((loaded) => isUnmounted || setRules(loaded));
    return () => {
      isUnmounted = true;
    };
  }, [isNeeded]);
  return rules;
}
