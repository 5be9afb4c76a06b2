ALTER TABLE "authorizations" ADD COLUMN "agent_request_id" text;--> statement-breakpoint
ALTER TABLE "authorizations" ADD COLUMN "closed_at" timestamp with time zone;