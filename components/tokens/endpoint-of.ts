const PLACEHOLDER = /[:{]/;

/** The first endpoint one can call as it stands: a verb and a URL without placeholders in its path. */
export function endpointOf(endpoints: readonly Record<string, string>[]): {
  url: string;
  method: string;
} {
  const pairs = endpoints.flatMap((each) => Object.entries(each));
  const isPlain = (url: string) => URL.canParse(url) && !PLACEHOLDER.test(new URL(url).pathname);
  const [method, url] = pairs.find(([, address]) => isPlain(address)) ?? pairs[0] ?? [];
  return { url: url ?? "https://your-agent.example/ask", method: method ?? "POST" };
}
