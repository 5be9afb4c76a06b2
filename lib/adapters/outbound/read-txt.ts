import { Resolver } from "node:dns/promises";

/** The TXT records of a name, each as one text; empty when there are none. Rejects when the DNS can't say. */
export async function readTxt(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENODATA" || code === "ENOTFOUND") return [];
    throw cause;
  }
}
