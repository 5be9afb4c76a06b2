-- `functions/request-sums.sql` makes it again. No row is written anew: the type only loses its bound.
DROP VIEW IF EXISTS "inv_request_sums";--> statement-breakpoint
ALTER TABLE "budget_uses" ALTER COLUMN "credits" SET DATA TYPE numeric;--> statement-breakpoint
ALTER TABLE "request_sums" ALTER COLUMN "credits" SET DATA TYPE numeric;
