"use client";

/**
 * Server actions that a page calls after it was left, as for the Undo of a toast: Next finds an action on pages that name it,
 * and the root layout names these for every page.
 */
export function KeptActions(_: { actions: Record<string, unknown> }) {
  return null;
}
