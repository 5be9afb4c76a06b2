CREATE TABLE "approvals" (
	"approval_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"jti" text NOT NULL,
	"delegation_id" text,
	"subject" text NOT NULL,
	"subject_hash" text NOT NULL,
	"plan_id" text NOT NULL,
	"builder" text NOT NULL,
	"agent_id" text,
	"reason" text NOT NULL,
	"max_cents" numeric(78,0) NOT NULL,
	"currency" text,
	"max_credits" numeric(78,0) NOT NULL,
	"state" text NOT NULL,
	"minutes" integer NOT NULL,
	"secret_hash" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"decided_at" timestamp with time zone,
	"decided_key" text,
	"decided_by" text,
	"used_by" text
);
--> statement-breakpoint
CREATE TABLE "budget_uses" (
	"account" text NOT NULL,
	"day" date NOT NULL,
	"delegation_id" text NOT NULL,
	"builder" text NOT NULL,
	"agent_id" text NOT NULL,
	"credits" numeric(78,0) NOT NULL,
	CONSTRAINT "budget_uses_account_day_delegation_id_builder_agent_id_pk" PRIMARY KEY("account","day","delegation_id","builder","agent_id")
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"scope" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"document" jsonb NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "cents" numeric(78,0);--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "agent_id" text;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_open" ON "approvals" USING btree ("account","jti","subject_hash") WHERE state in ('pending', 'approved');--> statement-breakpoint
CREATE INDEX "approvals_subject" ON "approvals" USING btree ("account","jti","subject_hash");--> statement-breakpoint
CREATE INDEX "approvals_account" ON "approvals" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "budgets_account" ON "budgets" USING btree ("account");