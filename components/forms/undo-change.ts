import { toast } from "../ui/overlays/toast-store.ts";
import { type ActionAnswer, failingOf } from "./action-answer.ts";
import { answerOf } from "./answer-of.ts";

type Undo = {
  undo: () => Promise<ActionAnswer<unknown>>;
  /** Said once it is undone: `“Pro” is restored`. */
  undone: string;
  /** Said first when it is not: `The plan “Pro” was not restored.` */
  failed: string;
  /** Reads the page again. */
  onDone: () => void;
};

/** Says what was done, with a button that undoes it. The layout keeps the server action of `undo` (`KeptActions`). */
export const toastWithUndo = (text: string, undo: Undo): number =>
  toast(text, { action: { label: "Undo", run: () => void undoChange(undo) } });

/** Undoes from the toast, which outlives its page: only another toast can say how that went. */
export async function undoChange({ undo, undone, failed, onDone }: Undo) {
  const answer = await answerOf(undo());
  if (answer?.ok) {
    toast(undone);
    return onDone();
  }
  toast(`${failed} ${failingOf(answer).failure}`, { tone: "bad" });
}
