import type pg from "pg";

/** No connection to Postgres was made: not this address, role or database, not now, or not with this TLS. */
export class NoConnection extends Error {
  override name = "NoConnection";

  constructor(cause: unknown) {
    super("Postgres does not answer.", { cause });
  }
}

/** Throws `NoConnection` for whatever fails. */
export async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    throw new NoConnection(cause);
  }
}
