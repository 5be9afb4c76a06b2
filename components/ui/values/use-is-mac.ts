import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

/** Whether keys are shown as on a Mac; the server, which cannot know, shows the others. */
export const useIsMac = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => /Mac|iPhone|iPad/.test(navigator.platform),
    () => false,
  );
