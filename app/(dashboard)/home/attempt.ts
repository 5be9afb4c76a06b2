import "server-only";
import { unstable_rethrow } from "next/navigation";
import { getRunning } from "@/lib/server/running.ts";

/** Loads an optional part of a page. When it fails, the page is shown without it. */
export async function attempt<T>(part: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    unstable_rethrow(cause);
    const { ports } = await getRunning();
    ports.log.error({ part, cause: String(cause) }, "a part of the page could not be loaded");
    return undefined;
  }
}
