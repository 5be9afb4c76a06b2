/** What this browser keeps under a name, which anyone may have changed; null without it or without storage. */
export function readKept(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Keeps a value under a name; a browser without storage keeps none. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It lasts as long as the page.
  }
}
