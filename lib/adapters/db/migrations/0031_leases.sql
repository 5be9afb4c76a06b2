ALTER TABLE "holds" ADD COLUMN "requests" integer;--> statement-breakpoint
ALTER TABLE "settlements" ADD COLUMN "lease_id" text;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "lease_secs" integer DEFAULT 0 NOT NULL;