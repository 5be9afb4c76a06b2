import { useSyncExternalStore } from "react";
import { createListeners } from "../create-listeners.ts";

const listeners = createListeners();
/** Choices of this page, for browsers without storage. */
const unkept = new Map<string, string>();

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? unkept.get(key);
  } catch {
    return unkept.get(key);
  }
}

function write(key: string, value: string): void {
  unkept.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage the choice lasts until the page is left.
  }
  listeners.notify();
}

function subscribe(listener: () => void): () => void {
  const leave = listeners.subscribe(listener);
  window.addEventListener("storage", listener);
  return () => {
    leave();
    window.removeEventListener("storage", listener);
  };
}

/**
 * A display preference, stored in this browser and shared across the page. `undefined` on the server and
 * until something is chosen. Not for tokens, keys or amounts.
 */
export function useRememberedChoice(key: string) {
  const name = `turnpike.${key}`;
  const value = useSyncExternalStore(
    subscribe,
    () => read(name),
    () => undefined,
  );
  return [value, (next: string) => write(name, next)] as const;
}
