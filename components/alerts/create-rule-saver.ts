import type { AlertActions } from "./alert-actions.ts";

type Actions = Pick<AlertActions, "createAlertRule" | "setEmailAddress">;
type NewRule = Parameters<Actions["createAlertRule"]>[0];

/** Saves the rule of a form, after the address where its mail goes. */
export function createRuleSaver({ createAlertRule, setEmailAddress }: Actions) {
  // Setting an address again would replace the link that was sent there.
  let setAddress: string | undefined;
  return async (rule: NewRule, address?: string) => {
    if (address !== undefined && address !== setAddress) {
      const set = await setEmailAddress({ address });
      if (!set.ok) return set;
      setAddress = address;
    }
    return createAlertRule(rule);
  };
}
