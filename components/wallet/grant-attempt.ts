import { type ActionAnswer, isUnknownError } from "../forms/action-answer.ts";

type Submit = (input: {
  delegationId: string;
  signature: string;
}) => Promise<ActionAnswer<unknown>>;

/** Revokes a delegation. */
export type RevokeGrant = (delegationId: string) => Promise<ActionAnswer<unknown>>;

/**
 * One attempt to have a delegation signed. Canceled, it revokes the delegation with `revoke`, unless a signature may have
 * arrived: a delegation that waits for its signature is otherwise listed for an hour.
 */
export function createGrantAttempt(delegationId: string, submit: Submit, revoke?: RevokeGrant) {
  let mayBeSigned = false;
  return {
    async submit(signature: string): Promise<ActionAnswer<unknown>> {
      mayBeSigned = true;
      const answer = await submit({ delegationId, signature });
      mayBeSigned = answer.ok || isUnknownError(answer);
      return answer;
    },
    cancel(): void {
      // Revoked or not, nothing can be charged without a signature: a failure needs no words.
      if (!mayBeSigned) revoke?.(delegationId).catch(() => {});
    },
  };
}
