/** Where the service under test answers: what the global setup booted, or `TURNPIKE_URL`. */
export const serviceUrl = (): string | undefined => process.env.TURNPIKE_URL;

/** The data folder of the service the global setup booted; absent with a `TURNPIKE_URL` of your own. */
export const serviceDataDir = (): string | undefined => process.env.TURNPIKE_E2E_DATA_DIR;

export function setService(url: string, dataDir: string): void {
  process.env.TURNPIKE_URL = url;
  process.env.TURNPIKE_E2E_DATA_DIR = dataDir;
}
