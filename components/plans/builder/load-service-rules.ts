import { useEffect, useState } from "react";
import { whenIdle } from "../../ui/later.ts";
import type { ServiceRules } from "./payload-of-draft.ts";

/** The service's rules, loaded once. Undefined when loading fails: the service still checks what it is sent. */
export const loadServiceRules = (): Promise<ServiceRules | undefined> =>
  import("./service-rules.ts").then(
    ({ serviceRules }) => serviceRules,
    () => undefined,
  );

/** The service's rules, loaded when the page is idle. */
export function useServiceRules(): ServiceRules | undefined {
  const [rules, setRules] = useState<ServiceRules>();
  useEffect(() => {
    let isUnmounted = false;
    const cancel = whenIdle(() => {
      void loadServiceRules().then((loaded) => isUnmounted || setRules(loaded));
    });
    return () => {
      isUnmounted = true;
      cancel();
    };
  }, []);
  return rules;
}
