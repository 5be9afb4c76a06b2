type Service = { HOST?: string | undefined; TURNPIKE_ENVIRONMENT: string };
type Ports = {
  PORT: number;
  METRICS_PORT?: number | undefined;
  METRICS_HOST: string;
  TURNPIKE_WORKERS: number;
};

export const hostOf = ({ HOST, TURNPIKE_ENVIRONMENT }: Service): string =>
  HOST ?? (TURNPIKE_ENVIRONMENT === "live" ? "0.0.0.0" : "127.0.0.1");

/** Why the service and the metrics of its workers cannot all listen, or null. */
export function findPortFault({
  PORT,
  METRICS_PORT,
  METRICS_HOST,
  TURNPIKE_WORKERS,
  ...service
}: Service & Ports): string | null {
  if (!METRICS_PORT) return null;
  const last = METRICS_PORT + TURNPIKE_WORKERS - 1;
  const rule = "each of TURNPIKE_WORKERS has one, from there up.";
  if (last > 65_535) return `METRICS_PORT is too high: ${rule}`;
  if (PORT < METRICS_PORT || PORT > last) return null;
  const hosts = [hostOf(service), METRICS_HOST];
  const [one, other] = hosts.map((host) => (host === "localhost" ? "127.0.0.1" : host));
  const isShared = one === other || hosts.some((host) => host === "0.0.0.0" || host === "::");
  return isShared
    ? `PORT ${PORT} is also a port of the metrics. Set METRICS_PORT to another: ${rule}`
    : null;
}
