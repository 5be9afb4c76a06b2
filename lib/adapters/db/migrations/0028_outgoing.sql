ALTER TABLE "account_payments" ADD COLUMN "authorization" jsonb;--> statement-breakpoint
ALTER TABLE "account_payments" ADD COLUMN "delegation_id" text;--> statement-breakpoint
ALTER TABLE "account_payments" ADD COLUMN "delegation_cents" numeric(78,0);