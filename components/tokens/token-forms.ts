type Target = { url: string; method: string };

/** The forms a token is copied in. They go to the clipboard only. */
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

/** The first and last characters: enough to recognize a token, not to use it. */
export const maskToken = (accessToken: string): string =>
  `${accessToken.slice(0, 8)}${"•".repeat(24)}${accessToken.slice(-6)}`;

const hasBody = (method: string) => !["GET", "HEAD", "DELETE"].includes(method);
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
