DROP INDEX "settlements_request";--> statement-breakpoint
CREATE INDEX "settlements_request" ON "settlements" USING btree ("agent_request_id");