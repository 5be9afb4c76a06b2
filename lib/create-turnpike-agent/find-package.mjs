import { setTimeout } from "node:timers/promises";

/**
 * The address of the SDK at this service. A project never names it in a registry instead: what is published there under
 * the name may be someone else's code, and would run beside the key in `.env`.
 */
export async function findPackage(url, pauses = [1000, 3000]) {
  const download = `${url}/downloads/turnpike-payments.tgz`;
  for (const pause of [0, ...pauses]) {
    await setTimeout(pause);
    const answer = await fetch(download, { method: "HEAD" }).catch(() => null);
    if (answer?.ok) return download;
    if (answer?.status === 404) break;
  }
  throw new Error(
    `The SDK could not be read from ${download}, so nothing was created. Start the sandbox, or pass the address of your Turnpike as --url.`,
  );
}
