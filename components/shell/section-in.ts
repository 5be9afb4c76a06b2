import { sectionOf } from "./sections.ts";

/** The same section in the other environment's deployment: an object exists in one of them only. */
export const sectionIn = (otherUrl: string, path: string): string =>
  new URL(sectionOf(path)?.href ?? "/home", otherUrl).href;
