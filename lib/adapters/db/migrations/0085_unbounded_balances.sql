-- `functions/invariants.sql` makes them again.
DROP VIEW IF EXISTS "inv_balance_negative", "inv_balance_entries", "inv_balance_holds", "inv_plan_totals";--> statement-breakpoint
-- No row is written anew: the type only loses its bound. Checks on a column whose type changes would be checked again on each
-- row, under the lock. The index `balances_debts` is built again, because its condition names such a column.
ALTER TABLE "balances" DROP CONSTRAINT "balances_available", DROP CONSTRAINT "balances_held", DROP CONSTRAINT "balances_debt";--> statement-breakpoint
ALTER TABLE "balances" ALTER COLUMN "available" SET DATA TYPE numeric, ALTER COLUMN "held" SET DATA TYPE numeric, ALTER COLUMN "debt" SET DATA TYPE numeric;--> statement-breakpoint
ALTER TABLE "balances" ADD CONSTRAINT "balances_available" CHECK (available >= 0) NOT VALID, ADD CONSTRAINT "balances_held" CHECK (held >= 0) NOT VALID, ADD CONSTRAINT "balances_debt" CHECK (debt >= 0) NOT VALID;--> statement-breakpoint
ALTER TABLE "checked_balances" ALTER COLUMN "available" SET DATA TYPE numeric, ALTER COLUMN "held" SET DATA TYPE numeric, ALTER COLUMN "debt" SET DATA TYPE numeric;
