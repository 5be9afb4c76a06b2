import { setTimeout } from "node:timers/promises";

/** The SDK's file in a project. */
export const PACKAGE_FILE = "turnpike-payments.tgz";

/**
 * The SDK of this service, as a file for the project: the service's next release serves other bytes at this address, and a
 * lock file that names it would fail. A project never names the SDK in a registry instead: what is published there under
 * the name may be someone else's code, and would run beside the key in `.env`.
 */
export async function readPackage(url, pauses = [1000, 3000]) {
  const download = `${url}/downloads/${PACKAGE_FILE}`;
  for (const pause of [0, ...pauses]) {
    await setTimeout(pause);
    const answer = await fetch(download).catch(() => null);
    const bytes = answer?.ok && (await answer.arrayBuffer().catch(() => null));
    if (bytes) return Buffer.from(bytes);
    if (answer?.status === 404) break;
  }
  throw new Error(
    `The SDK could not be read from ${download}, so nothing was created. Start the sandbox, or pass the address of your Turnpike as --url.`,
  );
}
