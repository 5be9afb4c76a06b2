ALTER TABLE "alerts" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("endpoint_id","created_at","state");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("endpoint_id","created_at") WHERE state = 'failed';--> statement-breakpoint
-- Alerts of before have the days that were left, rounded down to a tenth.
UPDATE alerts SET expires_at = created_at + value::float8 * interval '1 day'
  WHERE kind IN ('card-expiring', 'token-expiring', 'key-expiring');
