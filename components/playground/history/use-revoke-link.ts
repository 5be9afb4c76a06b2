import { useOperation } from "../../forms/use-operation.ts";
import { type EndSharedRun, revokeLink } from "./revoke-link.ts";

/** What to do where it is not known whether a link was revoked. */
export const REVOKE_UNKNOWN = "Revoke the link again to be sure.";

export function useRevokeLink(endSharedRun: EndSharedRun) {
  const operation = useOperation();
  const revoke = (shareId: string, onRevoked: () => void) =>
    void operation.run(() => revokeLink(endSharedRun, shareId), onRevoked);
  return { ...operation, revoke };
}
