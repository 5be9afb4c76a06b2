type Ask = (go: () => void) => void;

/** What asks before the open page is left. Only the last one does: a page may have several forms with unsaved edits. */
let asks: readonly Ask[] = [];

/** Goes to another page by command or shortcut, after the open one was asked once. */
export function leavePage(go: () => void): void {
  const ask = asks.at(-1);
  const leave = () => {
    asks = [];
    go();
  };
  if (ask) ask(leave);
  else go();
}

/**
 * Asks before the visitor leaves the open page, until the function it returns is called: by a link, by `leavePage`, by
 * Back or Forward, or by closing the tab, where the browser asks in its own words. `go` goes where they wanted to.
 */
export function guardPage(ask: Ask, push: (href: string) => void): () => void {
  const isAsking = () => asks.at(-1) === ask;
  const unload = (event: BeforeUnloadEvent) => isAsking() && event.preventDefault();
  const click = (event: MouseEvent) => {
    if (!isAsking()) return;
    const link = (event.target as Element).closest?.<HTMLAnchorElement>("a[href]");
    if (!link || link.target === "_blank" || link.origin !== location.origin || link.hash) return;
    if (event.metaKey || event.ctrlKey) return;
    // What is typed stays on the page.
    if (link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    event.stopPropagation();
    leavePage(() => push(link.pathname + link.search));
  };
  // Browsers without the Navigation API do not let a page cancel Back.
  const history = window.navigation as Navigation | undefined;
  const traverse = (event: NavigateEvent) => {
    if (!isAsking() || event.navigationType !== "traverse" || !event.cancelable) return;
    event.preventDefault();
    const { key } = event.destination;
    leavePage(() => history?.traverseTo(key));
  };
  asks = [...asks, ask];
  window.addEventListener("beforeunload", unload);
  document.addEventListener("click", click, true);
  history?.addEventListener("navigate", traverse);
  return () => {
    asks = asks.filter((other) => other !== ask);
    window.removeEventListener("beforeunload", unload);
    document.removeEventListener("click", click, true);
    history?.removeEventListener("navigate", traverse);
  };
}
