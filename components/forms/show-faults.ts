import { flushSync } from "react-dom";

/** `[data-fault]` is a group, whose first choice takes the focus. */
const WRONG = "[aria-invalid=true], [data-fault] input:enabled";

/**
 * Shows the faults of a form that keeps its own state, and moves the focus to the first wrong field, so that its fault is
 * read out. The text of the fault is scrolled to as well: it is below the field, where a bar may cover it.
 */
export function showFaults(form: HTMLElement | null, show: () => void): void {
  flushSync(show);
  form?.querySelector<HTMLElement>(WRONG)?.focus();
  form?.querySelector("[data-error]")?.scrollIntoView({ block: "nearest" });
}
