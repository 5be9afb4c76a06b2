ALTER TABLE "request_reports" ADD COLUMN "payer" text;--> statement-breakpoint
ALTER TABLE "request_reports" ADD COLUMN "jti" text;--> statement-breakpoint
ALTER TABLE "request_reports" ADD COLUMN "delegation_id" text;--> statement-breakpoint
ALTER TABLE "request_reports" ADD COLUMN "cause" text;--> statement-breakpoint
CREATE INDEX "request_reports_payer" ON "request_reports" USING btree ("payer","at") WHERE payer is not null;