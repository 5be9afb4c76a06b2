import { useSyncExternalStore } from "react";

const never = () => () => undefined;

/**
 * Whether this part of the page can respond: false in the server's HTML, true once React has taken it over.
 * Controls that need the page's script are inert until then, so that no click and no typed text is lost.
 */
export const useLive = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
