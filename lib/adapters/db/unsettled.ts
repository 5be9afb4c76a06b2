import type { HeldRequest, Unsettled, WriteOff } from "@/lib/domain/permissions/unsettled-ports.ts";
import type { Database } from "./client.ts";
import { readFirst, readValue } from "./rows.ts";

const HELD = "select * from held_requests($1)";

/** Held requests that are not settled, with what is left of their permissions. */
export function createUnsettled({ query }: Database): Unsettled {
  const listHeld = async (builder: string, ids: string[]): Promise<HeldRequest[]> =>
    ids.length === 0 ? [] : query(HELD, [ids.map((id) => `${builder}/${id}`)]);
  return {
    listHeld,
    findHeld: (builder, id) => readFirst(listHeld(builder, [id])),
    async writeOff(builder, id, note) {
      const written = query("select write_off($1, $2)", [`${builder}/${id}`, note]);
      return (await readValue<WriteOff>(written)) ?? "unknown";
    },
  };
}
