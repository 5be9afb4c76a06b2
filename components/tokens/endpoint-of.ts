const PLACEHOLDER = /[:{]/;

/** The first endpoint that can be called without filling in its path: a method and a URL. */
export function endpointOf(endpoints: readonly Record<string, string>[]): {
  url: string;
  method: string;
} {
  const pairs = endpoints.flatMap((each) => Object.entries(each));
  const isPlain = (url: string) => URL.canParse(url) && !PLACEHOLDER.test(new URL(url).pathname);
  const [method, url] = pairs.find(([, address]) => isPlain(address)) ?? pairs[0] ?? [];
  return { url: url ?? "https://your-agent.example/ask", method: method ?? "POST" };
}
