import { and, eq, exists, getTableColumns, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { AgentCheck, Agents } from "@/lib/domain/ports.ts";
import type { AgentRecord, DoctorRun } from "@/lib/domain/records.ts";
import { audited, auditedIf, inTurn } from "./audit.ts";
import { inTransaction, type Orm } from "./client.ts";
import { inPage, readPage } from "./paging.ts";
import { insertPlan } from "./plans.ts";
import { isAsRead, matches, readFirst } from "./rows.ts";
import { agentPlans, agents } from "./schema.ts";

export function createAgents(orm: Orm): Agents {
  const list = (where: SQL | undefined, query: Parameters<Agents["listByOwner"]>[1]) =>
    readPage({
      orm,
      from: agents,
      where,
      id: "agentId",
      query,
      bytes: sql`octet_length(${agents}::text) + octet_length(${planIdsOf}::text)`,
      read: (page) => inPage(selectAgents(orm), page),
    });

  const findOne = (where: SQL | undefined) => readFirst(selectAgents(orm).where(where));

  return {
    find: (agentId) => findOne(eq(agents.agentId, agentId)),
    findByNonce: (owner, nonce) => findOne(matches(agents, { owner, nonce })),
    async findByEndpoint(owner, endpoints) {
      if (endpoints.length === 0) return null;
      // The keys name the owner: a condition on the column would have all agents of the owner read.
      const keys = sql`endpoint_keys(${owner}, ${JSON.stringify(endpoints)}::jsonb)`;
      const isKnown = sql`endpoint_keys(${agents.owner}, ${agents.endpoints}) && ${keys}`;
      return findOne(and(isNull(agents.archivedAt), isKnown));
    },
    listByOwner: (owner, query) => list(eq(agents.owner, owner), query),
    listByPlan: (planId, query, origins) => {
      const linked = orm
        .select({ agentId: agentPlans.agentId })
        .from(agentPlans)
        .where(and(eq(agentPlans.planId, planId), eq(agentPlans.agentId, agents.agentId)));
      const isThere = origins ? hasEndpointAt(planId, origins) : isNull(agents.archivedAt);
      return list(and(exists(linked), isThere), query);
    },
    insert: ({ planIds, ...agent }, plan, note, check) =>
      audited(orm, note, async (transaction) => {
        await checkInTurn(transaction, agent.owner, check);
        if (plan) await insertPlan(transaction, plan);
        await transaction.insert(agents).values(agent);
        const links = planIds.map((planId) => ({ agentId: agent.agentId, planId }));
        if (links.length > 0) await transaction.insert(agentPlans).values(links);
      }),
    update: (read, agent, note, check) =>
      auditedIf(orm, note, async (transaction) => {
        if (check) await checkInTurn(transaction, agent.owner, check);
        const { planIds: _, agentId, createdAt: _c, ...rest } = agent;
        const { domainProof: _p, doctorRun: _r, checkDueAt: _d, ...changed } = rest;
        // Long endpoints that stay as they are would be written again, and indexed again.
        const replaced = Object.entries(changed).filter(
          ([name, value]) => value !== read[name as keyof AgentRecord],
        );
        const written = await transaction
          .update(agents)
          .set(Object.fromEntries(replaced))
          .where(and(eq(agents.agentId, agentId), isAsRead(agents.updatedAt, read.updatedAt)))
          .returning({ agentId: agents.agentId });
        return written.length > 0;
      }),
    ...createEvidence(orm),
    ...createDailyChecks(orm),
    delete: (agentId, note) =>
      auditedIf(orm, note, async (transaction) => {
        await transaction.delete(agentPlans).where(eq(agentPlans.agentId, agentId));
        const deleted = await transaction
          .delete(agents)
          .where(and(eq(agents.agentId, agentId), isUnused))
          .returning({ agentId: agents.agentId });
        return deleted.length > 0;
      }),
    link: (agentId, planId, most, note) =>
      auditedIf(orm, note, async (transaction) => {
        // Two at once must not both be the last.
        await transaction
          .select({ agentId: agents.agentId })
          .from(agents)
          .where(eq(agents.agentId, agentId))
          .for("no key update");
        const isRoom = sql`(select count(*) from agent_plans l where l.agent_id = ${agentId} and l.plan_id <> ${planId}) < ${most}`;
        await transaction.execute(
          sql`insert into agent_plans (agent_id, plan_id) select ${agentId}, ${planId} where ${isRoom} on conflict do nothing`,
        );
        const linked = matches(agentPlans, { agentId, planId });
        return (await transaction.select().from(agentPlans).where(linked)).length > 0;
      }),
    unlink: (agentId, planId, note) =>
      audited(orm, note, async (transaction) => {
        await transaction.delete(agentPlans).where(matches(agentPlans, { agentId, planId }));
      }),
  };
}

async function checkInTurn(transaction: Orm, owner: string, check: AgentCheck): Promise<void> {
  await inTurn(transaction, owner);
  await check(createAgents(transaction));
}

/** What everyone may know of agents. */
const createEvidence = (orm: Orm) =>
  ({
    async onSale(agentIds) {
      if (agentIds.length === 0) return [];
      const isShown = and(
        inArray(agents.agentId, [...agentIds]),
        isNull(agents.archivedAt),
        hasListed,
      );
      return selectAgents(orm, listedIdsOf).where(isShown);
    },
    setDomainProof(agentId, domainProof, read) {
      const isAsRead = sql`${agents.domainProof} is not distinct from ${read && JSON.stringify(read)}::jsonb`;
      return note(orm, and(eq(agents.agentId, agentId), isAsRead), { domainProof });
    },
    async dueDomainChecks(before, limit) {
      const checkedAt = sql`(${agents.domainProof} ->> 'checkedAt')`;
      const isDue = sql`${agents.domainProof} is not null and ${agents.archivedAt} is null and ${checkedAt} < ${before.toISOString()}`;
      return selectAgents(orm).where(isDue).orderBy(checkedAt).limit(limit);
    },
  }) satisfies Partial<Agents>;

/** Notes what a check found. Alerts of a quiet account are looked at rarely: one of this must not wait for that. */
async function note(
  orm: Orm,
  where: SQL | undefined,
  change: PgUpdateSetSource<typeof agents>,
): Promise<boolean> {
  const noted = await orm
    .update(agents)
    .set(change)
    .where(where)
    .returning({ owner: agents.owner });
  for (const { owner } of noted) await orm.execute(sql`select wake_alerts(${owner})`);
  return noted.length > 0;
}

/** Runs of the doctor, and when the service makes the next one. */
const createDailyChecks = (orm: Orm) =>
  ({
    async setDoctorRun(agentId, run, endpoint) {
      const others = sql`coalesce(${agents.doctorRun} -> 'offers', '{}') - ${endpoint}::text`;
      const merged = sql<DoctorRun>`jsonb_set(${JSON.stringify(run)}::jsonb, '{offers}', ${others} || ${JSON.stringify(run.offers ?? {})}::jsonb)`;
      const doctorRun = endpoint === undefined ? run : merged;
      await note(orm, eq(agents.agentId, agentId), { doctorRun });
    },
    scheduleCheck: (agentId, checkDueAt, audit) =>
      audited(orm, audit, async (transaction) => {
        await transaction.update(agents).set({ checkDueAt }).where(eq(agents.agentId, agentId));
      }),
    leaseChecks: (limit, now, untilOf) =>
      inTransaction(orm, async (transaction) => {
        const due = await transaction
          .select({ agentId: agents.agentId, dueAt: agents.checkDueAt })
          .from(agents)
          .where(and(lte(agents.checkDueAt, now), isNull(agents.archivedAt)))
          .orderBy(agents.checkDueAt)
          .limit(limit)
          .for("update", { skipLocked: true });
        for (const { agentId, dueAt } of due) {
          const checkDueAt = untilOf(agentId, dueAt as Date);
          await transaction.update(agents).set({ checkDueAt }).where(eq(agents.agentId, agentId));
        }
        if (due.length === 0) return [];
        const isLeased = inArray(
          agents.agentId,
          due.map(({ agentId }) => agentId),
        );
        return selectAgents(transaction).where(isLeased);
      }),
    finishCheck: ({ agentId, checkDueAt }, doctorRun, dueAt) =>
      note(orm, and(eq(agents.agentId, agentId), eq(agents.checkDueAt, checkDueAt as Date)), {
        doctorRun,
        checkDueAt: dueAt,
      }),
  }) satisfies Partial<Agents>;

/** Read apart from the list's other conditions, by which each agent's endpoints would be read. Agents are of their plans' owner. */
function hasEndpointAt(planId: string, origins: readonly string[]): SQL {
  const asked = JSON.stringify(origins.map((url) => ({ url })));
  const owner = sql`(select p.owner from plans p where p.plan_id = ${planId})`;
  const isThere = sql`endpoint_origins(o.owner, o.endpoints) && endpoint_origins(${owner}, ${asked}::jsonb)`;
  // Each by its index.
  return sql`${agents.agentId} in (
    select o.agent_id from agents o where o.archived_at is null and ${isThere} union all
    select o.agent_id from agents o where o.archived_at is not null and ${isThere} offset 0)`;
}

const selectAgents = (orm: Orm, planIds = planIdsOf) =>
  orm
    .select({ ...getTableColumns(agents), planIds })
    .from(agents)
    .$dynamic();

// Each plan by its key: a join can read the table once for each agent.
const listedLinks = sql`from agent_plans l where l.agent_id = ${agents}.agent_id
  and (select p.state = 'listed' and p.archived_at is null from plans p where p.plan_id = l.plan_id)`;

const hasListed = sql`exists (select 1 ${listedLinks})`;

// Requests are the owner's: read by the index of builders. A posted hold has its settlement.
const isUnused = sql`not exists (select 1 from tokens t where t.agent_id = ${agents.agentId})
  and not exists (select 1 from holds h where h.builder = ${agents.owner} and h.state <> 'posted' and h.agent_id = ${agents.agentId})
  and not exists (select 1 from settlements s where s.builder = ${agents.owner} and s.agent_id = ${agents.agentId})`;

// The table is named by hand: a column alone is written without it, and would be the inner table's.
const planIdsOf = sql<
  string[]
>`array(select l.plan_id from agent_plans l where l.agent_id = ${agents}.agent_id order by l.plan_id)`;

const listedIdsOf = sql<string[]>`array(select l.plan_id ${listedLinks}
  order by strpos(${agents}.doctor_run ->> 'offers', l.plan_id) > 0 desc nulls last, l.plan_id limit 100)`;
