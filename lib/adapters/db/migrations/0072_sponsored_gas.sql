ALTER TABLE "chain_orders" ADD COLUMN "gas" integer;--> statement-breakpoint
UPDATE "chain_orders" SET "gas" = 600000 WHERE "state" <> 'refused' AND "created_at" > now() - interval '1 day';