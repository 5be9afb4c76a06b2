ALTER TABLE "api_keys" ADD COLUMN "root_delegation_id" text;--> statement-breakpoint
ALTER TABLE "delegations" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "delegations" ADD COLUMN "sign_before" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "delegations" ADD COLUMN "grant_token" text;--> statement-breakpoint
CREATE INDEX "api_keys_root" ON "api_keys" USING btree ("root_delegation_id");