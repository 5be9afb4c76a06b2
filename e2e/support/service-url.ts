/** The URL of the service under test: booted by the global setup, or `TURNPIKE_URL`. */
export const serviceUrl = (): string | undefined => process.env.TURNPIKE_URL;

/** The data folder of the service the global setup booted; absent with `TURNPIKE_URL`. */
export const serviceDataDir = (): string | undefined => process.env.TURNPIKE_E2E_DATA_DIR;

export function setService(url: string, dataDir: string): void {
  process.env.TURNPIKE_URL = url;
  process.env.TURNPIKE_E2E_DATA_DIR = dataDir;
}
