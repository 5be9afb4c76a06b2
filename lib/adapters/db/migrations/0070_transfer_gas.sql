ALTER TABLE "authorizations" ADD COLUMN "gas" integer;--> statement-breakpoint
CREATE INDEX "authorizations_gas" ON "authorizations" USING btree ("builder","created_at") WHERE gas is not null;