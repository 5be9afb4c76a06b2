ALTER TABLE "agents" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "archived_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "chain_bundles_hashes" ON "chain_bundles" USING gin (transactions jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "transfers_expired" ON "transfers" USING btree ("plan_id","created_at") WHERE kind = 'expire';