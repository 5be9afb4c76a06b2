ALTER TABLE "chain_grants" ADD COLUMN "replaced_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "chain_grants_replaced" ON "chain_grants" USING btree ("replaced_at") WHERE replaced_at is not null and revoked_at is null;--> statement-breakpoint
-- Budgets that were set before bound no grant yet: what they bound is signed anew.
UPDATE chain_grants g SET replaced_at = now()
WHERE g.kind IN ('delegation', 'root') AND g.revoked_at IS NULL AND g.order_limit > 0
  AND EXISTS (SELECT 1 FROM accounts a WHERE a.address = g.account AND a.owner_key IS NOT NULL)
  AND EXISTS (SELECT 1 FROM budgets b, jsonb_array_elements(b.document->'limits') l
    WHERE b.account = g.account AND b.scope IN (g.account, g.delegation_id)
      AND l->>'unit' = 'money' AND NOT l ? 'builder' AND NOT l ? 'agentId');
