import { createListeners } from "../create-listeners.ts";

/** The content of a toast. A toast must not be the only place that says it. */
export type ToastMessage = {
  text: string;
  tone?: "done" | "warn" | "bad";
  /** Until it is dismissed. */
  stays?: true;
  action?: { label: string; run: () => void };
};

export type Toast = ToastMessage & { id: number };

/** Whether it disappears on its own. */
export const isTimed = ({ action, stays }: Pick<ToastMessage, "action" | "stays">): boolean =>
  !action && !stays;

const MOST = 3;
const NONE: readonly Toast[] = [];

/** Toasts in order of arrival; at most three, the oldest goes first. */
export function createToastStore() {
  let toasts = NONE;
  let lastId = 0;
  const { notify, subscribe } = createListeners();
  const set = (next: readonly Toast[]) => {
    toasts = next;
    notify();
  };
  return {
    add(message: ToastMessage): number {
      lastId += 1;
      set([...toasts, { ...message, id: lastId }].slice(-MOST));
      return lastId;
    },
    dismiss(id: number): void {
      set(toasts.filter((toast) => toast.id !== id));
    },
    read: () => toasts,
    readOnServer: () => NONE,
    subscribe,
  };
}

export const toasts = createToastStore();

/** Shows a toast: `toast("“CI smoke test” is revoked")`. Returns its id. */
export const toast = (text: string, more: Omit<ToastMessage, "text"> = {}): number =>
  toasts.add({ text, ...more });
