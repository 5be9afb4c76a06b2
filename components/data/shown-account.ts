/** Names the account that the page was rendered for: the service refuses to act or read on as another one. */
export const ACCOUNT_HEADER = "x-turnpike-account";

/** How a refusal says that another account is signed in, among its details. */
export const ACCOUNT_CHANGED = "account_changed";

export const isAccountChanged = (details: readonly { message: string }[] = []): boolean =>
  details.some(({ message }) => message === ACCOUNT_CHANGED);

let shown: string | undefined;
let isNamed = false;

/** The page was rendered for this account; undefined once it shows none. */
export function showAccount(account: string | undefined): void {
  shown = account;
  if (isNamed) return;
  isNamed = true;
  // Next sends every server action through it, so that no form can leave the account out.
  window.fetch = withAccount(window.fetch, () => shown);
}

/** A `fetch` that names the account in what it sends to this site. Pages that Next reads are at a `URL`, and need none. */
export const withAccount =
  (send: typeof fetch, account: () => string | undefined): typeof fetch =>
  (to, init) => {
    const named = account();
    if (named === undefined || typeof to !== "string" || !/^\/(?!\/)/.test(to))
      return send(to, init);
    const headers = new Headers(init?.headers);
    headers.set(ACCOUNT_HEADER, named);
    return send(to, { ...init, headers });
  };
