import pg from "pg";

/** No connection to Postgres was made: not this address, role or database, not now, or not with this TLS. */
export class NoConnection extends Error {
  override name = "NoConnection";

  constructor(cause: unknown) {
    super("Postgres does not answer.", { cause });
  }
}

/** Works on a separate connection, which is ended then with its locks. Throws as `openClient`. */
export async function withClient<T>(
  options: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * A connection for its caller only, who ends it. If it breaks later, its statement fails, which is reported.
 *
 * @throws NoConnection for whatever fails, also a certificate that an address names and that cannot be read.
 */
export async function openClient(options: pg.ClientConfig): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client(options);
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (cause) {
    // Not awaited: the other side may keep the connection open.
    void client?.end().catch(() => {});
    throw new NoConnection(cause);
  }
}
