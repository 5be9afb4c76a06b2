DROP INDEX "authorizations_open";--> statement-breakpoint
CREATE INDEX "authorizations_payer" ON "authorizations" USING btree ("payer","closed_at");