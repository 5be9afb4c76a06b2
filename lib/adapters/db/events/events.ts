import type { EventRecord, Events } from "@/lib/domain/events/event-ports.ts";
import type { Queryable } from "../client.ts";
import { readFirst, readValue } from "../rows.ts";

/** Rows of the queue that are numbered in one transaction: a row of settlements is a whole batch. */
export const QUEUED_A_ROUND = 100;

/** An event's columns, with the hash before its own. `e` is the event. */
export const EVENT_COLUMNS = `e.account, e.sequence, e.position, e.type, event_data(e) as data, e.created_at as "createdAt",
  '0x' || encode(e.hash, 'hex') as hash,
  '0x' || coalesce((select encode(p.hash, 'hex') from events p where p.account = e.account and p.sequence = e.sequence - 1),
    (select encode(c.hash, 'hex') from event_cuts c where c.account = e.account and c.sequence = e.sequence - 1), repeat('0', 64)) as "previousHash"`;
const LIST = `select ${EVENT_COLUMNS} from events e where e.account = $1 and e.sequence > $2 order by e.sequence limit $3`;
const FIND = `select ${EVENT_COLUMNS} from events e where e.account = $1 and e.sequence = $2`;
const CUT =
  "select sequence, '0x' || encode(hash, 'hex') as hash from event_cuts where account = $1";
const BETWEEN = `select ${EVENT_COLUMNS} from events e
  where e.position > $1 and e.position <= $2 and e.account = any($4) order by e.position limit $3`;

/** Events on SQL: `functions/events.sql` writes them. */
export function createEvents({ query }: Queryable): Events {
  const count = async (text: string, parameters: unknown[] = []) =>
    (await readValue<number>(query(text, parameters))) ?? 0;
  return {
    sequence: () => count("select sequence_events($1)", [QUEUED_A_ROUND]),
    list: (account, after, limit) => query<EventRecord>(LIST, [account, after, limit]),
    find: (account, sequence) => readFirst(query(FIND, [account, sequence])),
    cut: (account) => readFirst(query(CUT, [account])),
    head: (account) => count("select sequence from event_heads where account = $1", [account]),
    between: ({ from, upTo, limit }, accounts) =>
      query<EventRecord>(BETWEEN, [from, upTo, limit, accounts]),
    lastPosition: () => count("select coalesce(max(position), 0)::bigint from events"),
    async queue({ account, type, subject, data }) {
      const event = [type, subject, account, JSON.stringify(data)];
      await query("select queue_event($1, $2, array[$3], $4)", event);
    },
  };
}
