type Target = { url: string; method: string };

/** The ways a token is pasted elsewhere. The texts go to the clipboard and nowhere else. */
export function tokenForms(accessToken: string, target: Target) {
  return {
    token: accessToken,
    header: `payment-signature: ${accessToken}`,
    env: `TURNPIKE_ACCESS_TOKEN=${accessToken}`,
    curl: [
      `curl -X ${target.method} ${quote(target.url)}`,
      `  -H ${quote(`payment-signature: ${accessToken}`)}`,
      ...(hasBody(target.method)
        ? [`  -H 'content-type: application/json'`, `  -d '{"question":"How many words is this?"}'`]
        : []),
    ].join(" \\\n"),
  };
}

/** First characters, last six: enough to tell tokens apart, not to use one. */
export const maskToken = (accessToken: string): string =>
  `${accessToken.slice(0, 8)}${"•".repeat(24)}${accessToken.slice(-6)}`;

const hasBody = (method: string) => !["GET", "HEAD", "DELETE"].includes(method);
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
