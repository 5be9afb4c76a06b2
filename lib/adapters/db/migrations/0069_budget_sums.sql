CREATE TABLE "budget_sums" (
	"scope" text NOT NULL,
	"payee" text NOT NULL,
	"unit" text NOT NULL,
	"day" date NOT NULL,
	"account" text NOT NULL,
	"amount" numeric NOT NULL,
	CONSTRAINT "budget_sums_scope_payee_unit_day_pk" PRIMARY KEY("scope","payee","unit","day")
);
--> statement-breakpoint
ALTER TABLE "budgets" ADD COLUMN "summed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "budget_sums_account" ON "budget_sums" USING btree ("account","day");