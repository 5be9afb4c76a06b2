type Service = { HOST?: string | undefined; TURNPIKE_ENVIRONMENT: string };
type Ports = {
  PORT: number | string;
  METRICS_PORT?: number | string | undefined;
  METRICS_HOST: string;
};

export const hostOf = ({ HOST, TURNPIKE_ENVIRONMENT }: Service): string =>
  HOST ?? (TURNPIKE_ENVIRONMENT === "live" ? "0.0.0.0" : "127.0.0.1");

/** Whether the service and its metrics cannot both listen on one port. */
export function isOnePort({
  PORT,
  METRICS_PORT,
  METRICS_HOST,
  ...service
}: Service & Ports): boolean {
  if (!METRICS_PORT || METRICS_PORT !== PORT) return false;
  const hosts = [hostOf(service), METRICS_HOST];
  const [one, other] = hosts.map((host) => (host === "localhost" ? "127.0.0.1" : host));
  return one === other || hosts.some((host) => host === "0.0.0.0" || host === "::");
}
