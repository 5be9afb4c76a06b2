import { InlineScript } from "./inline-script.tsx";

const RUN = `{
  const run = () => {
    for (const held of document.querySelectorAll('script[type="text/held"]')) {
      const script = document.createElement("script");
      for (const { name, value } of held.attributes) if (name !== "type") script.setAttribute(name, value);
      script.nonce = held.nonce;
      held.replaceWith(script);
    }
  };
  const start = () => {
    run();
    if (document.readyState !== "loading") return;
    const observer = new MutationObserver(run);
    observer.observe(document, { childList: true, subtree: true });
    addEventListener("DOMContentLoaded", () => observer.disconnect());
  };
  const painted = (list, observer) => {
    if (list.getEntriesByName("first-contentful-paint").length === 0) return;
    observer.disconnect();
    start();
  };
  if (document.hidden) start();
  else new PerformanceObserver(painted).observe({ type: "paint", buffered: true });
  document.addEventListener("visibilitychange", start, { once: true });
  setTimeout(start, 3000);
}`;

/**
 * Runs the scripts that `servePages` holds: once the page is painted, at once in a hidden tab, and those of later parts
 * as they arrive; after three seconds in a browser that does not tell when it paints. Render it last in the root layout.
 */
export const HeldScripts = ({ nonce }: { nonce: string | undefined }) => (
  <InlineScript text={RUN} nonce={nonce} />
);
