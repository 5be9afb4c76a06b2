import type { Database } from "../client.ts";

type Node = {
  "Relation Name"?: string;
  "Actual Loops": number;
  "Actual Rows": number;
  Plans?: Node[];
};

/** How often statements looked into each table, and how many rows they read there. */
export type Reads = Record<string, { loops: number; rows: number }>;

/** The database, whose queries are explained in place of being answered: `reads` has what they read. */
export function explained(database: Database): { database: Database; reads: Reads } {
  const reads: Reads = {};
  const note = (node: Node) => {
    const table = node["Relation Name"];
    if (table) {
      const known = reads[table] ?? { loops: 0, rows: 0 };
      const loops = node["Actual Loops"];
      reads[table] = {
        loops: known.loops + loops,
        rows: known.rows + loops * node["Actual Rows"],
      };
    }
    node.Plans?.forEach(note);
  };
  return {
    reads,
    database: {
      ...database,
      async query(text, parameters) {
        const explain = `explain (analyze, format json) ${text}`;
        type Answer = { "QUERY PLAN": [{ Plan: Node }] };
        const rows = await database.query<Answer>(explain, parameters);
        for (const { "QUERY PLAN": plans } of rows) note(plans[0].Plan);
        return [];
      },
    },
  };
}
