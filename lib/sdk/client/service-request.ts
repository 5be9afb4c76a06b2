/** One request to the service: text in. */
export type ServiceRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
};

/** One answer of the service: text out. A `Response` is one. */
export type ServiceAnswer = {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
};
