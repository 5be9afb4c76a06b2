DROP INDEX "payables_owner";--> statement-breakpoint
CREATE INDEX "payables_owner_at" ON "payables" USING btree ("owner","created_at");