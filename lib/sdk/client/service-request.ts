/** One request to the service: text in. */
export type ServiceRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** On Node, the process may end before the answer. */
  isBackground?: boolean | undefined;
};

/** One answer of the service: text out. A `Response` is one. */
export type ServiceAnswer = {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
};
