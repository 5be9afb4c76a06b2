/**
 * Reloads the page when Back restores it as it was left: a sign-in that was under way then would be pending forever, and the person
 * may be signed in by now. Returns how to stop.
 */
export function reloadRestored(page: EventTarget, reload: () => void): () => void {
  const shown = (event: Event) => {
    if ((event as PageTransitionEvent).persisted) reload();
  };
  page.addEventListener("pageshow", shown);
  return () => page.removeEventListener("pageshow", shown);
}
