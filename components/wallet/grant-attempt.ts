import { type ActionAnswer, isUnknownError } from "../forms/action-answer.ts";

type Submit = (input: {
  delegationId: string;
  signature: string;
}) => Promise<ActionAnswer<unknown>>;

export type RevokeGrant = (input: { delegationId: string }) => Promise<ActionAnswer<unknown>>;

/**
 * One attempt to have a delegation signed. Canceled, or left with its page, it revokes the delegation with `revoke`, unless
 * a signature may have arrived: a delegation that waits for its signature is otherwise listed for an hour.
 */
export function createGrantAttempt(delegationId: string, submit: Submit, revoke?: RevokeGrant) {
  let isKept = false;
  let isLeft = false;
  const cancel = () => {
    if (isKept) return;
    isKept = true;
    // Nothing is charged for it from here on, and a failure has no place to be shown.
    revoke?.({ delegationId }).catch(() => {});
  };
  return {
    cancel,
    isLeft: () => isLeft,
    /** The page shows the attempt; answers a function for when it is left. */
    enter(): () => void {
      isLeft = false;
      return () => {
        isLeft = true;
        // In development, React leaves and enters at once.
        setTimeout(() => isLeft && cancel());
      };
    },
    /** Hands the signature in; `follow` is what was signed for, and is not done for a page that was left. */
    async submit<Data = never>(
      signature: string,
      follow?: (delegationId: string) => Promise<ActionAnswer<Data>>,
    ): Promise<ActionAnswer<Data | undefined>> {
      isKept = true;
      const answer = await submit({ delegationId, signature });
      const isUnused = answer.ok ? isLeft && follow !== undefined : !isUnknownError(answer);
      isKept = !isUnused;
      if (isLeft) cancel();
      if (!answer.ok) return answer;
      return follow && !isLeft ? follow(delegationId) : { ok: true, data: undefined };
    },
  };
}
