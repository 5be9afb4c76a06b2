import { type ActionAnswer, failingOf } from "../forms/action-answer.ts";
import { answerOf } from "../forms/answer-of.ts";
import { toast } from "../ui/overlays/toast-store.ts";

type Archived = {
  what: "plan" | "agent";
  name: string;
  restore: () => Promise<ActionAnswer<unknown>>;
};

/** Restores from the toast, which outlives its page: only another toast can say how that went. */
export async function undoArchive({ what, name, restore }: Archived, onDone: () => void) {
  const answer = await answerOf(restore());
  if (answer?.ok) {
    toast(`“${name}” is restored`);
    return onDone();
  }
  toast(`The ${what} “${name}” was not restored. ${failingOf(answer).failure}`, { tone: "bad" });
}
