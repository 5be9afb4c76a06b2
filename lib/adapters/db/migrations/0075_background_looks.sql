ALTER TABLE "chain_cursors" ADD COLUMN "first" bigint;--> statement-breakpoint
update chain_cursors c set first = f.block from chain_cursors f where f.contract = 'first ' || c.contract;--> statement-breakpoint
delete from chain_cursors where contract like 'first %';--> statement-breakpoint
CREATE INDEX "chain_cursors_behind" ON "chain_cursors" USING btree ("block") WHERE block < first;--> statement-breakpoint
CREATE INDEX "delegations_cards" ON "delegations" USING btree ("expires_at") WHERE payment_method_id is not null and revoked_at is null;