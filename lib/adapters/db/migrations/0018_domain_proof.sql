ALTER TABLE "agents" ADD COLUMN "domain_proof" jsonb;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "doctor_run" jsonb;--> statement-breakpoint
CREATE INDEX "agents_domain_checked" ON "agents" USING btree ((domain_proof ->> 'checkedAt')) WHERE domain_proof is not null and archived_at is null;