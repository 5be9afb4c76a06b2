type Ask = (go: () => void) => void;

let asks: Ask | undefined;

/** Goes to another page by command or shortcut, after the open one was asked. */
export const leavePage = (go: () => void): void => (asks ? asks(go) : go());

/**
 * Asks before the visitor leaves the open page, until the function it returns is called: by a link, by `leavePage`, by
 * Back or Forward, or by closing the tab, where the browser asks in its own words. `go` goes where they wanted to.
 */
export function guardPage(ask: Ask, push: (href: string) => void): () => void {
  const unload = (event: BeforeUnloadEvent) => event.preventDefault();
  const click = (event: MouseEvent) => {
    const link = (event.target as Element).closest?.<HTMLAnchorElement>("a[href]");
    if (!link || link.target === "_blank" || link.origin !== location.origin || link.hash) return;
    if (event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    event.stopPropagation();
    ask(() => push(link.pathname + link.search));
  };
  // Browsers without the Navigation API do not let a page cancel Back.
  const history = window.navigation as Navigation | undefined;
  const traverse = (event: NavigateEvent) => {
    if (event.navigationType !== "traverse" || !event.cancelable) return;
    event.preventDefault();
    const { key } = event.destination;
    ask(() => history?.traverseTo(key));
  };
  asks = ask;
  window.addEventListener("beforeunload", unload);
  document.addEventListener("click", click, true);
  history?.addEventListener("navigate", traverse);
  return () => {
    if (asks === ask) asks = undefined;
    window.removeEventListener("beforeunload", unload);
    document.removeEventListener("click", click, true);
    history?.removeEventListener("navigate", traverse);
  };
}
