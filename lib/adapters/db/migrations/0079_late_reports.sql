ALTER TABLE "alert_accounts" ADD COLUMN "judged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "alert_accounts" ADD COLUMN "late_from" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "alert_accounts" ADD COLUMN "late_to" timestamp with time zone;